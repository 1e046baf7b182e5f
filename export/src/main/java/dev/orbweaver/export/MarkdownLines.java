package dev.orbweaver.export;

import dev.orbweaver.model.PrintableText;
import dev.orbweaver.model.TextScan;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Transforms Markdown text outside code. */
final class MarkdownLines {

    private static final int LEVEL_MAX = 6;
    private static final int FENCE_MIN = 3;
    private static final int NONE = -1;
    private static final String SPECIAL_CHARACTERS = "\\`*_[]<>#|";

    private MarkdownLines() {}

    /** Lowers every heading by {@code levels}, to between {@code top} and the sixth level. */
    private static String demoteHeadings(String markdown, int levels, int top) {
        return mapOutsideCode(markdown, line -> demoteHeading(line, levels, top));
    }

    private static String demoteHeading(String line, int levels, int top) {
        var level = headingLevel(line);
        if (level == 0) {
            return line;
        }
        return "#".repeat(Math.clamp(level + levels, top, LEVEL_MAX)) + line.substring(level);
    }

    /**
     * @param where returns the new target of a URL; empty to keep it
     */
    static String rewriteLinks(String markdown, Function<String, Optional<String>> where) {
        return mapOutsideCode(markdown, line -> rewriteLineLinks(line, where));
    }

    static void forEachTarget(String markdown, Consumer<String> visitor) {
        var _ =
                rewriteLinks(
                        markdown,
                        target -> {
                            visitor.accept(target);
                            return Optional.empty();
                        });
    }

    private static String rewriteLineLinks(String line, Function<String, Optional<String>> where) {
        if (!line.contains("](")) {
            return line;
        }
        var spans = new CodeSpans(line);
        var out = new StringBuilder(line.length() + 16);
        for (var at = 0; at < line.length(); ) {
            var end = spans.endFrom(at);
            if (end == at && line.startsWith("](", at)) {
                end = targetEnd(line, at + 2);
                if (end != NONE) {
                    var target = line.substring(at + 2, end);
                    out.append("](")
                            .append(where.apply(unescape(target)).orElse(target))
                            .append(')');
                    at = end + 1;
                    continue;
                }
                end = at;
            }
            end = Math.max(end, at + 1);
            out.append(line, at, end);
            at = end;
        }
        return out.toString();
    }

    /**
     * Finds the end of a link target, or -1; parentheses are escaped or balanced (CommonMark 6.3).
     */
    private static int targetEnd(String text, int from) {
        var at = from;
        while (at < text.length() && !TextScan.isSpace(text.charAt(at))) {
            switch (text.charAt(at)) {
                case ')' -> {
                    return at > from ? at : NONE;
                }
                case '\\' -> at += 2;
                case '(' -> {
                    at =
                            TextScan.endOf(
                                    text,
                                    at + 1,
                                    c -> c != '(' && c != ')' && !TextScan.isSpace(c));
                    if (at == text.length() || text.charAt(at) != ')') {
                        return NONE;
                    }
                    at++;
                }
                default -> at++;
            }
        }
        return NONE;
    }

    private static String unescape(String target) {
        if (target.indexOf('\\') < 0) {
            return target;
        }
        var out = new StringBuilder(target.length());
        for (var i = 0; i < target.length(); i++) {
            if (target.charAt(i) == '\\' && i + 1 < target.length()) {
                i++;
            }
            out.append(target.charAt(i));
        }
        return out.toString();
    }

    /** Finds the code spans of a line, delimited by equal numbers of backticks (CommonMark 6.1). */
    private static final class CodeSpans {

        private final String line;

        /** The position of the last backtick string of each length. */
        private final Map<Integer, Integer> lastRow = new HashMap<>();

        CodeSpans(String line) {
            this.line = line;
            for (var at = line.indexOf('`'); at >= 0; at = line.indexOf('`', rowEnd(at))) {
                lastRow.put(rowEnd(at) - at, at);
            }
        }

        /**
         * Returns the end of the span that begins here. An unclosed backtick string ends at its own
         * end; without one the end is here.
         */
        int endFrom(int at) {
            var length = rowEnd(at) - at;
            if (length == 0 || lastRow.getOrDefault(length, at) <= at) {
                return at + length;
            }
            var next = line.indexOf('`', at + length);
            while (rowEnd(next) - next != length) {
                next = line.indexOf('`', rowEnd(next));
            }
            return next + length;
        }

        private int rowEnd(int at) {
            return TextScan.endOf(line, at, c -> c == '`');
        }
    }

    private static String mapOutsideCode(String markdown, UnaryOperator<String> change) {
        var out = new StringBuilder(markdown.length() + 64);
        var fence = "";
        for (var at = 0; at < markdown.length(); ) {
            var feed = markdown.indexOf('\n', at);
            var end = feed < 0 ? markdown.length() : feed + 1;
            var line = markdown.substring(at, end);
            var next = openFenceAfter(fence, line.stripTrailing());
            out.append(fence.isEmpty() && next.isEmpty() ? change.apply(line) : line);
            fence = next;
            at = end;
        }
        return out.toString();
    }

    /** Returns the fence that is open after a line, or an empty string. */
    static String openFenceAfter(String open, String line) {
        // It may be in a list or a quote (CommonMark 4.5), where it may be the first of an item.
        var start = TextScan.endOf(line, 0, c -> c == ' ' || c == '>');
        for (var end = endOfItemMark(line, start);
                open.isEmpty() && end > start;
                end = endOfItemMark(line, start)) {
            start = end;
        }
        var mark = start < line.length() ? line.charAt(start) : ' ';
        var end = TextScan.endOf(line, start, c -> c == mark);
        if ((mark != '`' && mark != '~') || end - start < FENCE_MIN) {
            return open;
        }
        var marks = line.substring(start, end);
        if (open.isEmpty()) {
            // A line with further backticks is a code span, not a fence.
            return mark == '`' && line.indexOf('`', end) >= 0 ? "" : marks;
        }
        return marks.startsWith(open) && line.substring(end).isBlank() ? "" : open;
    }

    /** Returns the end of the mark of a list item and the space after it, or the start. */
    private static int endOfItemMark(String line, int start) {
        var digits = TextScan.endOf(line, start, TextScan::isDigit);
        if (line.startsWith("- ", start)) {
            return start + 2;
        }
        return digits > start && line.startsWith(". ", digits) ? digits + 2 : start;
    }

    /** Returns the level of the heading in the first line; 0 if it is not a heading. */
    static int headingLevel(String markdown) {
        var level = TextScan.endOf(markdown, 0, c -> c == '#');
        return level <= LEVEL_MAX && markdown.startsWith(" ", level) ? level : 0;
    }

    static Optional<String> heading(String markdown) {
        var level = headingLevel(markdown);
        return level > 0
                ? Optional.of(firstLine(markdown).substring(level).strip())
                : Optional.empty();
    }

    private static String firstLine(String markdown) {
        var end = markdown.indexOf('\n');
        return end < 0 ? markdown : markdown.substring(0, end);
    }

    /** Returns all but the first line, with headings shifted relative to the new level. */
    static String nestUnder(String markdown, int newLevel) {
        var level = headingLevel(markdown);
        if (level == 0) {
            return demoteHeadings(markdown, newLevel, newLevel + 1);
        }
        var rest = markdown.substring(firstLine(markdown).length()).stripLeading();
        return demoteHeadings(rest, newLevel - level, newLevel + 1);
    }

    /** Returns the visible text, without link targets. */
    static String withoutLinkTargets(String markdown) {
        var out = new StringBuilder(markdown.length());
        for (var at = 0; at < markdown.length(); ) {
            var end = markdown.startsWith("](", at) ? targetEnd(markdown, at + 2) : NONE;
            out.append(markdown.charAt(at));
            at = end == NONE ? at + 1 : end + 1;
        }
        return out.toString();
    }

    /** Escapes Markdown. */
    static String escape(String text) {
        var line = PrintableText.line(text);
        var out = new StringBuilder(line.length() + 8);
        for (var i = 0; i < line.length(); i++) {
            var c = line.charAt(i);
            out.append(SPECIAL_CHARACTERS.indexOf(c) >= 0 ? "\\" : "").append(c);
        }
        return TextScan.collapse(out.toString(), TextScan::isSpace, ' ').strip();
    }
}
