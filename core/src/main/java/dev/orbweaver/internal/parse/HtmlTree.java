package dev.orbweaver.internal.parse;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.WhatwgUrl;
import dev.orbweaver.spi.Document;

import org.jsoup.parser.Parser;

import java.util.Optional;

/**
 * Parses a document into jsoup's tree, for main content and structured data. Ten times slower than
 * the scanner, so a crawl does not use it.
 */
public final class HtmlTree {

    /**
     * Elements nested deeper are moved to this depth, so that recursion does not overflow the
     * stack.
     */
    public static final int DEPTH_MAX = 200;

    /**
     * Maximum number of tags that are parsed. A tree takes about 200 bytes per tag, so the four
     * million tags of a 12 MB document would exceed the heap.
     */
    static final int TAGS_MAX = 500_000;

    private HtmlTree() {}

    /** Parses a document of arbitrary bytes in its own charset. */
    public static org.jsoup.nodes.Document of(Document document) {
        return Parser.htmlParser()
                .setMaxDepth(DEPTH_MAX)
                .parseInput(truncateAtTagLimit(text(document)), document.url().text());
    }

    /** Decodes a document by its own charset. */
    public static String text(Document document) {
        var encoding = Charsets.of(document.bytes(), document.length(), document.contentType());
        var from = Charsets.bomLength(document.bytes(), document.length(), encoding);
        return encoding.equals(Encoding.REPLACEMENT)
                ? ""
                : new String(document.bytes(), from, document.length() - from, encoding.charset());
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

    /** Returns the base of the page's references; its own URL if the base is invalid. */
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
