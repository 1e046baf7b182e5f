package dev.orbweaver.export.markdown;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.parse.HtmlTree;
import dev.orbweaver.internal.parse.SimHash;
import dev.orbweaver.spi.Document;

import org.jsoup.nodes.Element;

import java.time.Instant;

/** Converts pages of one site to Markdown. */
public final class MarkdownConverter {

    private static final int TEXT_CHARS_MAX = 1_000;
    private static final String LINK_MARKS = "¶§🔗\u200B\uFEFF";

    private final RepeatedBlocks repeatedBlocks;
    private final boolean images;

    /**
     * @param memory the repeated blocks of the site; a new one removes nothing
     * @param images whether images are kept, as links
     */
    public MarkdownConverter(RepeatedBlocks memory, boolean images) {
        this.repeatedBlocks = memory;
        this.images = images;
    }

    /** Converts a page; accepts any bytes. */
    public MarkdownPage convert(Document document, Instant fetchedAt) {
        var tree = HtmlTree.of(document);
        var titleElement = truncate(tree.title());
        var description = truncate(tree.select("meta[name=description]").attr("content").strip());
        var language = truncate(tree.select("html").attr("lang").strip());
        var base = HtmlTree.base(tree, document);

        var body = tree.body();
        var root = mainContent(body);
        var inline = new InlineWriter(base, images);
        var heading = headingOf(root, body);
        for (var above = root; above != null; above = above.parent()) {
            inline.marks().add(above);
        }
        var markdown = new BlockWriter(inline).write(root).strip();
        if (root.selectFirst("h1") == null && !heading.isEmpty()) {
            markdown = "# " + MarkdownEscaper.inline(heading) + "\n\n" + markdown;
        }
        var positions = inline.marks().positions(markdown.isEmpty() ? "" : markdown + "\n");
        var text = positions.text();
        var title = heading.isEmpty() ? titleElement : heading;
        var bytes = text.getBytes(UTF_8);
        return new MarkdownPage(
                document.url().text(),
                title,
                description,
                language,
                fetchedAt,
                text,
                PageQuality.of(
                        title.isEmpty() ? titleElement : title + " " + titleElement,
                        text,
                        origin(document.url().text())),
                TokenEstimator.estimate(text),
                SimHash.of(bytes, 0, bytes.length),
                "",
                positions.anchors());
    }

    /** Returns the main text of a page without markup, in lines; accepts any bytes. */
    public String text(Document document) {
        var body = HtmlTree.of(document).body();
        var root = mainContent(body);
        var heading = root.selectFirst("h1") == null ? headingOf(root, body) : "";
        var text = PlainTextWriter.write(root);
        return heading.isEmpty() ? text : heading + "\n\n" + text;
    }

    private Element mainContent(Element body) {
        LayoutNormalizer.normalize(body);
        BoilerplateFilter.removeFrom(body);
        var root = MainContent.of(body, repeatedBlocks);
        RepeatedBlockFilter.removeFrom(root, repeatedBlocks);
        PagerLinks.removeFrom(root);
        return root;
    }

    /** Returns the page's first-level heading, which some themes place outside the main content. */
    private static String headingOf(Element root, Element body) {
        var inside = root.selectFirst("h1");
        var heading = inside == null ? body.selectFirst("h1") : inside;
        if (heading == null || (inside == null && !isTitleAbove(heading, body))) {
            return "";
        }
        return truncate(withoutLinkMarks(heading.text()).strip());
    }

    private static boolean isTitleAbove(Element heading, Element body) {
        var document = body.ownerDocument();
        return document == null
                || document.title().isBlank()
                || HtmlElements.isPageTitle(heading, body);
    }

    /** Removes the permalink symbol at the end of a heading. */
    private static String withoutLinkMarks(String heading) {
        var end = heading.length();
        while (end > 0 && LINK_MARKS.indexOf(heading.codePointBefore(end)) >= 0) {
            end -= Character.charCount(heading.codePointBefore(end));
        }
        return heading.substring(0, end);
    }

    private static String origin(String url) {
        var slash = url.indexOf('/', url.indexOf("//") + 2);
        return slash < 0 ? url : url.substring(0, slash + 1);
    }

    private static String truncate(String text) {
        return text.length() <= TEXT_CHARS_MAX
                ? text
                : text.substring(0, text.offsetByCodePoints(0, TEXT_CHARS_MAX / 2));
    }
}
