package dev.orbweaver.bench;

import dev.orbweaver.internal.parse.HtmlTree;
import dev.orbweaver.spi.Document;

import org.jsoup.nodes.Element;
import org.jsoup.nodes.TextNode;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Compares the Markdown of a page with the main container of the page.
 *
 * <p>Headings, terms, code blocks and footnotes of the container must be in the Markdown in the
 * order of the page. Letters and digits are compared, in code all visible characters, so that
 * Markdown's own characters and spaces do not count. A word of the Markdown comes from the
 * container if it is there beside one of its two neighbours.
 */
final class MarkdownComparison {

    /** A kind of block that may not be lost. */
    enum Kind {
        HEADING,
        TERM,
        CODE,
        FOOTNOTE
    }

    record Block(Kind kind, String text) {}

    /**
     * @param outside the words that are not in the container, at most some hundred characters
     */
    record Result(
            Map<Kind, Integer> found,
            List<Block> lost,
            long outputChars,
            long outsideChars,
            String outside) {}

    private static final String HEADINGS = "h1, h2, h3, h4, h5, h6";
    private static final String FOOTNOTES =
            "aside.footnote, div.footnote, dl.footnote > dd, table.footnote, .footnotes li,"
                    + " .footnote-definition, [role=doc-footnote], li[id^=fn]";

    /** What no reader sees as text: controls, and the numbers of lines of code. */
    private static final String CONTROLS =
            "script, style, noscript, template, button, select, input, textarea, label,"
                    + " pre .linenos, td.linenos";

    private static final Pattern TARGET =
            Pattern.compile("(?<!\\\\)\\]\\((?:[^()\\s\\\\]|\\\\.|\\([^()\\s]*\\))*\\)");
    private static final Pattern FENCE = Pattern.compile("[ >]*(?:(?:- |\\d+\\. ) *)*(`{3,})[^`]*");
    private static final int OUTSIDE_CHARS_SHOWN = 400;

    private final Element container;
    private final String text;
    private final String code;
    private final List<String> words;

    MarkdownComparison(Element container, String markdown) {
        this.container = container;
        var visible = withoutTargetsAndFences(markdown);
        this.text = lettersAndDigits(visible);
        this.code = visible(markdown);
        this.words = words(visible);
    }

    /** Parses a page and returns its main container. */
    static Optional<Element> container(Document document, List<String> selectors) {
        var body = HtmlTree.of(document).body();
        return selectors.stream()
                .flatMap(selector -> Optional.ofNullable(body.selectFirst(selector)).stream())
                .findFirst();
    }

    Result compare() {
        container.select(CONTROLS).remove();
        var found = new EnumMap<Kind, Integer>(Kind.class);
        var lost = new ArrayList<Block>();
        var textAt = 0;
        var codeAt = 0;
        for (var element : container.select(HEADINGS + ", dt, pre, " + FOOTNOTES)) {
            var kind = kind(element);
            var wanted =
                    kind == Kind.CODE
                            ? visible(element.wholeText())
                            : lettersAndDigits(element.text());
            // The numbers of a list of footnotes are not in the text; its items are checked.
            if (wanted.isEmpty()
                    || (kind == Kind.FOOTNOTE && element.selectFirst("ol, ul") != null)) {
                continue;
            }
            var at =
                    kind == Kind.CODE ? code.indexOf(wanted, codeAt) : text.indexOf(wanted, textAt);
            if (at < 0) {
                lost.add(new Block(kind, shortened(element.text())));
                continue;
            }
            found.merge(kind, 1, Integer::sum);
            if (kind == Kind.CODE) {
                codeAt = at;
            } else {
                textAt = at;
            }
        }
        return withOutside(found, lost);
    }

    /** Returns the visible text: in code, what looks like a link is text. */
    private static String withoutTargetsAndFences(String markdown) {
        var out = new StringBuilder(markdown.length());
        var fence = "";
        for (var line : markdown.split("\n", -1)) {
            var found = FENCE.matcher(line);
            if (found.matches() && fence.isEmpty()) {
                fence = found.group(1);
            } else if (found.matches() && line.strip().endsWith(fence)) {
                fence = "";
            } else {
                out.append(fence.isEmpty() ? TARGET.matcher(line).replaceAll("]") : line);
            }
            out.append('\n');
        }
        return out.toString();
    }

    private static Kind kind(Element element) {
        return switch (element.normalName()) {
            case "pre" -> Kind.CODE;
            case "dt" -> Kind.TERM;
            case "h1", "h2", "h3", "h4", "h5", "h6" -> Kind.HEADING;
            default -> Kind.FOOTNOTE;
        };
    }

    private Result withOutside(Map<Kind, Integer> found, List<Block> lost) {
        // With and without a space between elements: "<a>List</a>s" is one word or two.
        var inside = pairs(words(container.wholeText()));
        inside.addAll(
                pairs(
                        words(
                                String.join(
                                        " ",
                                        container
                                                .nodeStream(TextNode.class)
                                                .map(TextNode::getWholeText)
                                                .toList()))));
        var outside = new StringBuilder();
        var all = 0L;
        var outsideChars = 0L;
        for (var i = 0; i < words.size(); i++) {
            all += words.get(i).length();
            if (!inside.contains(pair(words, i - 1)) && !inside.contains(pair(words, i))) {
                outsideChars += words.get(i).length();
                if (outside.length() < OUTSIDE_CHARS_SHOWN) {
                    outside.append(words.get(i)).append(' ');
                }
            }
        }
        return new Result(found, lost, all, outsideChars, outside.toString());
    }

    private static Set<String> pairs(List<String> words) {
        var pairs = new HashSet<String>();
        for (var i = -1; i < words.size(); i++) {
            pairs.add(pair(words, i));
        }
        return pairs;
    }

    private static String pair(List<String> words, int at) {
        return (at < 0 ? "" : words.get(at))
                + " "
                + (at + 1 < words.size() ? words.get(at + 1) : "");
    }

    private static List<String> words(String text) {
        var words = new ArrayList<String>();
        var word = new StringBuilder();
        for (var i = 0; i <= text.length(); i++) {
            if (i < text.length() && Character.isLetterOrDigit(text.charAt(i))) {
                word.append(text.charAt(i));
            } else if (!word.isEmpty()) {
                words.add(word.toString());
                word.setLength(0);
            }
        }
        return words;
    }

    private static String lettersAndDigits(String text) {
        return String.join("", words(text));
    }

    /** Returns what is visible; a line of a quote begins with {@code >}, so that is left out. */
    private static String visible(String text) {
        var out = new StringBuilder(text.length());
        text.chars()
                .filter(c -> c > ' ' && c != '>' && c != 0xA0 && c != 0x200B)
                .forEach(c -> out.append((char) c));
        return out.toString();
    }

    private static String shortened(String text) {
        return text.length() <= 100 ? text : text.substring(0, 100) + "...";
    }
}
