package dev.orbweaver.export.markdown;

import dev.orbweaver.internal.url.WhatwgUrl;
import dev.orbweaver.model.TextScan;

import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writes inline content: text, emphasis, code, links, images.
 *
 * @param base the URL against which references are resolved
 * @param marks collects the ids of the elements that are written
 * @param targetChars the total length of the link targets written so far
 */
record InlineWriter(WhatwgUrl base, boolean images, AnchorMarks marks, AtomicInteger targetChars) {

    /** The maximum total length of a page's link targets; further links are written as text. */
    private static final int TARGET_CHARS_MAX = 8 << 20;

    InlineWriter(WhatwgUrl base, boolean images) {
        this(base, images, new AnchorMarks(), new AtomicInteger());
    }

    /**
     * The allowed schemes of links; a link with another one (javascript, data) is written as text.
     */
    private static final Set<String> SCHEMES = Set.of("http", "https", "mailto", "ftp", "ftps");

    private static final String SPACES = " \t\n\f\r\u00A0";

    /** The text of a heading's permalink in common themes: symbols, or one of these words. */
    private static final Set<String> SELF_LINK_WORDS = Set.of("permalink", "link", "anchor");

    private static final String SELF_LINK_MARKS = "¶#§🔗\u200B\uFEFF";

    /** Writes a run of nodes as one paragraph; empty if they have no visible content. */
    String paragraph(List<? extends Node> nodes) {
        return MarkdownEscaper.paragraph(line(nodes, "\\\n"));
    }

    /** Writes nodes in one line, for headings and table cells. */
    String oneLine(Element element) {
        return line(element.childNodes(), " ");
    }

    /** Writes a heading without its permalink; other links become text. */
    String heading(Element heading) {
        removeSelfLinks(heading);
        for (var link : heading.select("a[href]")) {
            marks.add(link);
            link.unwrap();
        }
        return oneLine(heading);
    }

    /** Writes a term without its permalink. */
    String term(Element term) {
        removeSelfLinks(term);
        return oneLine(term);
    }

    /** Whether a link is a symbol, on any page, or without words and leads to its own page. */
    private static boolean isPermalink(Element link) {
        return !HtmlElements.hasWords(link.text())
                && (isSelfLink(link.text()) || link.attr("href").startsWith("#"));
    }

    private void removeSelfLinks(Element element) {
        var text = element.text();
        for (var link : element.select("a[href]")) {
            if (isPermalink(link) && !link.text().equals(text)) {
                marks.add(link);
                link.remove();
            }
        }
    }

    private String line(List<? extends Node> nodes, String lineBreak) {
        var out = new StringBuilder();
        nodes.forEach(node -> write(node, out));
        return collapseSpaceRuns(out).strip().replace("\n", lineBreak);
    }

    /** Collapses spaces, and removes those beside a line break. */
    private static String collapseSpaceRuns(CharSequence text) {
        var out = new StringBuilder(text.length());
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            var last = out.isEmpty() ? 'x' : out.charAt(out.length() - 1);
            if (c == '\n' && last == ' ') {
                out.setLength(out.length() - 1);
            }
            if (c != ' ' || (last != ' ' && last != '\n')) {
                out.append(c);
            }
        }
        return out.toString();
    }

    /** Whether a text is that of a permalink: symbols, or one word. */
    static boolean isSelfLink(String text) {
        return SELF_LINK_WORDS.contains(text.toLowerCase(Locale.ROOT))
                || text.codePoints()
                        .allMatch(
                                c ->
                                        SELF_LINK_MARKS.indexOf(c) >= 0
                                                || (c < 0x80 && TextScan.isSpace((char) c)));
    }

    private static String collapseSpace(String text) {
        return TextScan.collapse(text, c -> SPACES.indexOf(c) >= 0, ' ');
    }

    private void write(Node node, StringBuilder out) {
        if (node instanceof TextNode text) {
            out.append(MarkdownEscaper.inline(collapseSpace(text.getWholeText())));
        } else if (node instanceof Element element) {
            element(element, out);
        }
    }

    private void element(Element element, StringBuilder out) {
        marks.add(element);
        switch (element.normalName()) {
            case "br" -> out.append('\n');
            case "strong", "b" -> writeEmphasis("**", element, out);
            case "em", "i", "cite", "dfn" -> writeEmphasis("*", element, out);
            case "del", "s", "strike" -> writeEmphasis("~~", element, out);
            case "code", "kbd", "samp", "tt" -> code(element, out);
            case "a" -> link(element, out);
            case "img" -> image(element, out);
            case "math" -> math(element, out);
            case "wbr", "annotation" -> {
                // A line break hint; the source of a formula.
            }
            default -> {
                var apart = HtmlElements.isBlock(element);
                out.append(apart ? " " : "");
                element.childNodes().forEach(child -> write(child, out));
                out.append(apart ? " " : "");
            }
        }
    }

    /** Moves spaces out of emphasis: its markers must touch the text (CommonMark 6.2). */
    private void writeEmphasis(String mark, Element element, StringBuilder out) {
        var inner = new StringBuilder();
        element.childNodes().forEach(child -> write(child, inner));
        var text = inner.toString();
        var core = text.strip();
        if (core.isEmpty() || endsInMark(out, mark) || core.startsWith(mark.substring(0, 1))) {
            out.append(text);
            return;
        }
        out.append(text.startsWith(" ") || text.startsWith("\n") ? " " : "");
        out.append(mark).append(core).append(mark);
        out.append(text.endsWith(" ") || text.endsWith("\n") ? " " : "");
    }

    private static boolean endsInMark(StringBuilder out, String mark) {
        return !out.isEmpty()
                && out.charAt(out.length() - 1) == mark.charAt(0)
                && !(out.length() > 1 && out.charAt(out.length() - 2) == '\\');
    }

    /** Writes code verbatim; a link is kept only if it contains all of the code. */
    private void code(Element element, StringBuilder out) {
        element.children().forEach(marks::add);
        var text = collapseSpace(element.wholeText());
        if (text.isBlank()) {
            out.append(text.isEmpty() ? "" : " ");
            return;
        }
        var code = MarkdownEscaper.code(text.strip());
        var links = element.select("a[href]");
        var target =
                links.size() == 1 && links.getFirst().text().equals(element.text())
                        ? target(links.getFirst().attr("href"))
                        : Optional.<String>empty();
        out.append(
                target.map(url -> "[" + code + "](" + MarkdownEscaper.target(url) + ")")
                        .orElse(code));
    }

    private void link(Element element, StringBuilder out) {
        var inner = new StringBuilder();
        element.childNodes().forEach(child -> write(child, inner));
        var text = inner.toString();
        var target =
                element.hasAttr("href") ? target(element.attr("href")) : Optional.<String>empty();
        if (target.isEmpty() || text.isBlank() || text.contains("](")) {
            out.append(text);
            return;
        }
        out.append(text.startsWith(" ") ? " " : "");
        out.append('[').append(text.strip()).append("](");
        out.append(MarkdownEscaper.target(target.get())).append(')');
        out.append(text.endsWith(" ") ? " " : "");
    }

    private void image(Element element, StringBuilder out) {
        var alt = MarkdownEscaper.inline(collapseSpace(element.attr("alt")).strip());
        if (!images) {
            return;
        }
        target(element.attr("src"))
                .filter(url -> !url.startsWith("mailto:"))
                .ifPresent(
                        url ->
                                out.append("![")
                                        .append(alt)
                                        .append("](")
                                        .append(MarkdownEscaper.target(url))
                                        .append(')'));
    }

    private static void math(Element element, StringBuilder out) {
        var source = element.selectFirst("annotation[encoding=application/x-tex]");
        out.append(MarkdownEscaper.code(source == null ? element.text() : source.text()));
    }

    /**
     * Returns the absolute URL of a reference if its scheme is allowed. A short reference can
     * become a URL as long as the base, so the total length is limited.
     */
    private Optional<String> target(String reference) {
        if (targetChars.get() >= TARGET_CHARS_MAX) {
            return Optional.empty();
        }
        var target =
                WhatwgUrl.parse(reference, base)
                        .filter(url -> SCHEMES.contains(url.scheme()))
                        .map(WhatwgUrl::href);
        targetChars.addAndGet(target.map(String::length).orElseGet(() -> base.href().length()));
        return target;
    }
}
