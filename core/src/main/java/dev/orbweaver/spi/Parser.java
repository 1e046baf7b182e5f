package dev.orbweaver.spi;

import dev.orbweaver.model.Page;

/**
 * Finds the title and the links of documents of certain media types.
 *
 * <p>Parsers that are passed to {@link dev.orbweaver.CrawlerBuilder#parser} are tried in the order
 * of adding, before the built-in ones for HTML, feeds and style sheets. The first one that accepts
 * the media type parses the document. Scope, limits, robots.txt and deduplication apply to the
 * links afterwards.
 *
 * <p>Several threads call a parser at once, so it must be safe for that. When it throws an
 * exception, the page is committed without links, with the cause {@code truncated}.
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
