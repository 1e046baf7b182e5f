package dev.orbweaver.parse.markdown;

import java.util.regex.Pattern;

/** Keeps text from being read as Markdown, and Markdown from holding HTML (CommonMark 2.4). */
final class Escapes {

    /** What at a line's beginning would open a heading, list, quotation, rule or fence. */
    private static final Pattern LINE_OPENING =
            Pattern.compile(
                    "^(?:#{1,6}(?=\\s|$)|[-+](?=\\s|$)|>|=+\\s*$|-{2,}\\s*$|~{3,}|:(?=\\s))");

    private static final Pattern NUMBER = Pattern.compile("^(\\d{1,9})([.)])(?=\\s|$)");
    private static final Pattern ENTITY = Pattern.compile("&(?:#[0-9xX]|[A-Za-z][A-Za-z0-9]*;)");

    private Escapes() {}

    /** Text between marks. */
    static String inline(String text) {
        var out = new StringBuilder(text.length() + 8);
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            if (needsEscape(text, i, c)) {
                out.append('\\');
            }
            // A control character says nothing, and some readers choke on it.
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
            case '&' -> ENTITY.matcher(text).region(at, text.length()).lookingAt();
            default -> false;
        };
    }

    private static boolean isInWord(String text, int at) {
        return at > 0
                && at + 1 < text.length()
                && Character.isLetterOrDigit(text.charAt(at - 1))
                && Character.isLetterOrDigit(text.charAt(at + 1));
    }

    /** The lines of a paragraph: none of them opens anything else. */
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
        var number = NUMBER.matcher(line);
        if (number.find()) {
            return number.group(1) + "\\" + line.substring(number.end(1));
        }
        return LINE_OPENING.matcher(line).find() ? "\\" + line : line;
    }

    /** A link's target: parentheses that do not pair must not end it (6.3). */
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

    /** Code between as many backticks as it takes (6.1). */
    static String code(String code) {
        var fence = "`".repeat(longestRun(code) + 1);
        var pad = code.startsWith("`") || code.endsWith("`") || code.isBlank() ? " " : "";
        return fence + pad + code + pad + fence;
    }

    /** The longest row of backticks. */
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
