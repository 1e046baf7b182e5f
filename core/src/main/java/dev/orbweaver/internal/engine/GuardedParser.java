package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.Page;
import dev.orbweaver.spi.Document;
import dev.orbweaver.spi.Parser;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a parser of the program's. Its links get the fingerprints of the crawl; where it throws an
 * exception, the page has no links and says why.
 */
record GuardedParser(Parser parser, CrawlUrls urls) implements Parser {

    private static final Logger LOG = LoggerFactory.getLogger(GuardedParser.class);

    @Override
    public boolean accepts(String mediaType) {
        return parser.accepts(mediaType);
    }

    @Override
    public Page parse(Document document) {
        try {
            var page = parser.parse(document);
            return page.withExtraction(
                    page.links().stream()
                            .map(
                                    link ->
                                            new Link(
                                                    urls.rekeyed(link.url()),
                                                    link.kind(),
                                                    link.nofollow()))
                            .toList(),
                    "",
                    "");
        } catch (RuntimeException | Error e) {
            LOG.warn("parser failed for {}: {}", document.url(), e.toString());
            return Page.EMPTY.withTruncation("parser failed: " + e);
        }
    }
}
