package dev.orbweaver.export;

import dev.orbweaver.model.PrintableText;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Changes to Markdown text that leave its code alone: what stands between fences or backticks is
 * never touched.
 */
final class MarkdownLines {

    /** A fence, perhaps in a list or a quote (CommonMark 4.5). */
    private static final Pattern FENCE = Pattern.compile("^[ >]*(`{3,}|~{3,})(.*)$");

    private static final Pattern HEADING = Pattern.compile("^(#{1,6}) +(.*?)\\s*$");
    private static final int LEVEL_MAX = 6;

    /** The target of a link; brackets in it are escaped or come in pairs (CommonMark 6.3). */
    private static final String TARGET = "(?:[^()\\s\\\\]|\\\\.|\\([^()\\s]*\\))+";

    /** A code span, or the target of a link. */
    private static final Pattern CODE_OR_TARGET =
            Pattern.compile("(?<!`)(`+)(?!`).*?(?<!`)\\1(?!`)|\\]\\((" + TARGET + ")\\)");

    private static final Pattern ESCAPE = Pattern.compile("\\\\(.)");

    private MarkdownLines() {}

    /** Every heading so many levels lower, none above {@code top} or below the sixth. */
    private static String demoted(String markdown, int levels, int top) {
        return outsideCode(markdown, line -> demotedLine(line, levels, top));
    }

    private static String demotedLine(String line, int levels, int top) {
        var heading = HEADING.matcher(line);
        if (!heading.find()) {
            return line;
        }
        var level = heading.group(1).length();
        return "#".repeat(Math.clamp(level + levels, top, LEVEL_MAX)) + line.substring(level);
    }

    /**
     * With links led elsewhere.
     *
     * @param where a new target for a URL, if it has one
     */
    static String relinked(String markdown, Function<String, Optional<String>> where) {
        return outsideCode(markdown, line -> relinkedLine(line, where));
    }

    private static String relinkedLine(String line, Function<String, Optional<String>> where) {
        if (!line.contains("](")) {
            return line;
        }
        return CODE_OR_TARGET
                .matcher(line)
                .replaceAll(
                        match -> {
                            var target = match.group(2);
                            var changed =
                                    target == null
                                            ? Optional.<String>empty()
                                            : where.apply(ESCAPE.matcher(target).replaceAll("$1"));
                            return Matcher.quoteReplacement(
                                    changed.map(to -> "](" + to + ")").orElse(match.group()));
                        });
    }

    private static String outsideCode(String markdown, UnaryOperator<String> change) {
        var out = new StringBuilder(markdown.length() + 64);
        var fence = "";
        for (var line : markdown.split("(?<=\n)", -1)) {
            var next = fenceAfter(fence, line.stripTrailing());
            out.append(fence.isEmpty() && next.isEmpty() ? change.apply(line) : line);
            fence = next;
        }
        return out.toString();
    }

    /**
     * The fence that is open behind a line, empty for none. One is closed by its own kind, at least
     * as long, with nothing behind it.
     */
    static String fenceAfter(String open, String line) {
        var fence = FENCE.matcher(line);
        if (!fence.matches()) {
            return open;
        }
        var marks = fence.group(1);
        if (open.isEmpty()) {
            // Backticks behind backticks are a code span and no fence.
            return marks.charAt(0) == '`' && fence.group(2).indexOf('`') >= 0 ? "" : marks;
        }
        return marks.startsWith(open) && fence.group(2).isBlank() ? "" : open;
    }

    /** The level of the heading that is the first line, 0 where that is none. */
    static int headingLevel(String markdown) {
        var heading = HEADING.matcher(firstLine(markdown));
        return heading.find() ? heading.group(1).length() : 0;
    }

    /** The text of the heading that is the first line. */
    static Optional<String> heading(String markdown) {
        var heading = HEADING.matcher(firstLine(markdown));
        return heading.find() ? Optional.of(heading.group(2)) : Optional.empty();
    }

    private static String firstLine(String markdown) {
        var end = markdown.indexOf('\n');
        return end < 0 ? markdown : markdown.substring(0, end);
    }

    /**
     * All but that first line, to stand below a heading of another level: every heading is as far
     * below it as it was before.
     */
    static String below(String markdown, int newLevel) {
        var level = headingLevel(markdown);
        if (level == 0) {
            return demoted(markdown, newLevel, newLevel + 1);
        }
        var rest = markdown.substring(firstLine(markdown).length()).stripLeading();
        return demoted(rest, newLevel - level, newLevel + 1);
    }

    /** What a reader sees of the text, without where its links lead. */
    static String withoutTargets(String markdown) {
        return markdown.replaceAll("\\]\\(" + TARGET + "\\)", "]");
    }

    /** Plain text where Markdown reads marks. */
    static String escaped(String text) {
        return PrintableText.line(text)
                .replaceAll("([\\\\`*_\\[\\]<>#|])", "\\\\$1")
                .replaceAll("\\s+", " ")
                .strip();
    }
}
