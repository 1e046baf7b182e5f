package dev.orbweaver.internal.parse;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.WhatwgUrl;

import org.jsoup.parser.Parser;

import java.util.Optional;

/**
 * A document as jsoup's tree, for main content and structured data. Ten times slower than the
 * scanner, so a crawl does not use it.
 */
public final class HtmlTree {

    /** What is nested deeper is put at this depth, so that recursion stays within the stack. */
    public static final int DEPTH_MAX = 200;

    /**
     * How many tags of a document are read. A tree takes about 200 bytes a tag, so the four million
     * tags of a document of 12 MB would take more than the heap.
     */
    static final int TAGS_MAX = 500_000;

    private HtmlTree() {}

    /** The tree of a document in its own charset, for any bytes. */
    public static org.jsoup.nodes.Document of(Document document) {
        var encoding = Charsets.of(document.bytes(), document.length(), document.contentType());
        var from = Charsets.bomLength(document.bytes(), document.length(), encoding);
        var text =
                encoding.equals(Encoding.REPLACEMENT)
                        ? ""
                        : new String(
                                document.bytes(),
                                from,
                                document.length() - from,
                                encoding.charset());
        return Parser.htmlParser()
                .setMaxDepth(DEPTH_MAX)
                .parseInput(truncateAtTagLimit(text), document.url().text());
    }

    private static String truncateAtTagLimit(String text) {
        var at = -1;
        for (var tags = 0; tags <= TAGS_MAX; tags++) {
            at = text.indexOf('<', at + 1);
            if (at < 0) {
                return text;
            }
        }
        return text.substring(0, at);
    }

    /** The base of the page's references; its own URL where its base is invalid. */
    public static WhatwgUrl base(org.jsoup.nodes.Document tree, Document document) {
        var own = WhatwgUrl.parse(document.url().text()).orElseThrow();
        var element = tree.selectFirst("base[href]");
        return element == null
                ? own
                : Optional.of(element.attr("href"))
                        .filter(HtmlTree::isWithinBaseLimit)
                        .flatMap(reference -> WhatwgUrl.parse(reference, own))
                        .filter(
                                url ->
                                        url.scheme().startsWith("http")
                                                && isWithinBaseLimit(url.href()))
                        .orElse(own);
    }

    private static boolean isWithinBaseLimit(String base) {
        return base.length() <= CrawlUrls.BASE_LENGTH_MAX;
    }
}
