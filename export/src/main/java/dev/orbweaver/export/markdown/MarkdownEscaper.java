package dev.orbweaver.export.markdown;

import dev.orbweaver.model.TextScan;

/** Escapes text so that it is not parsed as Markdown or HTML (CommonMark 2.4). */
final class MarkdownEscaper {

    private static final int NUMBER_DIGITS_MAX = 9;
    private static final int HEADING_LEVEL_MAX = 6;

    private MarkdownEscaper() {}

    static String inline(String text) {
        var out = new StringBuilder(text.length() + 8);
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            if (needsEscape(text, i, c)) {
                out.append('\\');
            }
            // Control characters are invisible, and some readers fail on them.
            if (c >= ' ' || c == '\n' || c == '\t') {
                out.append(c);
            }
        }
        return out.toString();
    }

    private static boolean needsEscape(String text, int at, char c) {
        return switch (c) {
            case '\\', '`', '*', '[', ']', '<' -> true;
            case '_' -> !isInWord(text, at);
            case '~' -> at + 1 < text.length() && text.charAt(at + 1) == '~';
            case '&' -> isReference(text, at + 1);
            default -> false;
        };
    }

    /** Whether a character reference follows an ampersand. */
    private static boolean isReference(String text, int at) {
        if (at + 1 >= text.length()) {
            return false;
        }
        var next = text.charAt(at + 1);
        if (text.charAt(at) == '#') {
            return TextScan.isDigit(next) || (next | 0x20) == 'x';
        }
        var end = TextScan.endOf(text, at, TextScan::isAlphanumeric);
        return end > at
                && !TextScan.isDigit(text.charAt(at))
                && end < text.length()
                && text.charAt(end) == ';';
    }

    private static boolean isInWord(String text, int at) {
        return at > 0
                && at + 1 < text.length()
                && Character.isLetterOrDigit(text.charAt(at - 1))
                && Character.isLetterOrDigit(text.charAt(at + 1));
    }

    /** Escapes line starts of a paragraph that would open another block. */
    static String paragraph(String markdown) {
        var out = new StringBuilder(markdown.length() + 2);
        for (var line : markdown.split("\n", -1)) {
            if (!out.isEmpty()) {
                out.append('\n');
            }
            out.append(line(line));
        }
        return out.toString();
    }

    private static String line(String line) {
        var digits = TextScan.endOf(line, 0, TextScan::isDigit);
        if (digits > 0
                && digits <= NUMBER_DIGITS_MAX
                && digits < line.length()
                && ".)".indexOf(line.charAt(digits)) >= 0
                && isEndOrSpace(line, digits + 1)) {
            return line.substring(0, digits) + "\\" + line.substring(digits);
        }
        return startsBlock(line) ? "\\" + line : line;
    }

    /** Whether a line would open a heading, list, quotation, rule or fence. */
    private static boolean startsBlock(String line) {
        if (line.isEmpty()) {
            return false;
        }
        var first = line.charAt(0);
        var run = TextScan.endOf(line, 0, c -> c == first);
        return switch (first) {
            case '#' -> run <= HEADING_LEVEL_MAX && isEndOrSpace(line, run);
            case '+' -> run == 1 && isEndOrSpace(line, 1);
            case '-' -> run == 1 ? isEndOrSpace(line, 1) : isBlankFrom(line, run);
            case '=' -> isBlankFrom(line, run);
            case '~' -> run >= 3;
            case '>' -> true;
            case ':' -> line.length() > 1 && TextScan.isSpace(line.charAt(1));
            default -> false;
        };
    }

    private static boolean isEndOrSpace(String line, int at) {
        return at == line.length() || TextScan.isSpace(line.charAt(at));
    }

    private static boolean isBlankFrom(String line, int at) {
        return TextScan.endOf(line, at, TextScan::isSpace) == line.length();
    }

    /** Escapes a link target: unbalanced parentheses would end it (CommonMark 6.3). */
    static String target(String url) {
        return isBalanced(url) ? url : url.replace("(", "\\(").replace(")", "\\)");
    }

    private static boolean isBalanced(String url) {
        var open = 0;
        for (var i = 0; i < url.length() && open >= 0; i++) {
            open += url.charAt(i) == '(' ? 1 : url.charAt(i) == ')' ? -1 : 0;
        }
        return open == 0;
    }

    /** Encloses code in as many backticks as necessary (CommonMark 6.1). */
    static String code(String code) {
        var fence = "`".repeat(longestRun(code) + 1);
        var pad = code.startsWith("`") || code.endsWith("`") || code.isBlank() ? " " : "";
        return fence + pad + code + pad + fence;
    }

    static int longestRun(String text) {
        var longest = 0;
        var run = 0;
        for (var i = 0; i < text.length(); i++) {
            run = text.charAt(i) == '`' ? run + 1 : 0;
            longest = Math.max(longest, run);
        }
        return longest;
    }
}
