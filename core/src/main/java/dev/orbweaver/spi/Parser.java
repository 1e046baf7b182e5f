package dev.orbweaver.spi;

import dev.orbweaver.model.Page;

/**
 * Finds the title and the links of documents of certain media types.
 *
 * <pre>{@code
 * class UriListParser implements Parser {
 *     public boolean accepts(String mediaType) {
 *         return mediaType.equals("text/uri-list");
 *     }
 *
 *     public Page parse(Document document) {
 *         var text = new String(document.bytes(), 0, document.length(), StandardCharsets.UTF_8);
 *         var links = text.lines()
 *                 .map(document::resolve)
 *                 .flatMap(Optional::stream)
 *                 .map(url -> new Link(url, LinkKind.ENTRY, false))
 *                 .toList();
 *         return new Page("", "utf-8", links, false, false);
 *     }
 * }
 * }</pre>
 *
 * <p>Parsers that are passed to {@link dev.orbweaver.CrawlerBuilder#parser} are tried in the order
 * of adding, before the built-in ones for HTML, feeds and style sheets. The first one that accepts
 * the media type parses the document. Scope, limits, robots.txt and deduplication apply to the
 * links afterwards.
 *
 * <p>Several threads call a parser at once, so it must be safe for that. It has the limits of the
 * built-in parsers: 100,000 links and 1,000 characters of title, and in total 2 Mi characters of
 * links, plus 64 for each byte of the document, up to 8 Mi. Links beyond them are dropped, and the
 * page has the cause {@code truncated}. When it throws an exception, or has not returned after 30
 * seconds, the page is committed without links, with the cause {@code parser-failed}.
 *
 * @see dev.orbweaver.spi.Document#resolve how to make links
 */
public interface Parser {

    /**
     * Returns whether this parser reads a media type.
     *
     * @param mediaType in lower case without parameters, such as {@code text/csv}; empty when
     *     unknown
     */
    boolean accepts(String mediaType);

    /**
     * Parses a document. The bytes can be anything: they are truncated or damaged in the wild.
     *
     * @return the page, usually made by {@link Page#Page(String, String, java.util.List, boolean,
     *     boolean)}
     */
    Page parse(Document document);
}
