package dev.orbweaver.internal.parse;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.LinkResolver;
import dev.orbweaver.model.Page;

import java.util.List;
import java.util.Set;

/**
 * Reads feeds, RSS of any version and Atom, for the pages they list. A document that came as plain
 * XML and is no feed has no links.
 */
public final class FeedParser implements Parser {

    private static final Set<String> MEDIA_TYPES =
            Set.of(
                    "application/rss+xml",
                    "application/atom+xml",
                    "application/rdf+xml",
                    "application/xml",
                    "text/xml");

    private final CrawlUrls urls;

    /** A parser whose links are URLs of this crawl. */
    public FeedParser(CrawlUrls urls) {
        this.urls = urls;
    }

    @Override
    public boolean accepts(String mediaType) {
        return MEDIA_TYPES.contains(mediaType);
    }

    @Override
    public Page parse(Document document) {
        var encoding = Charsets.of(document.bytes(), document.length(), document.contentType());
        if (encoding.equals(Encoding.REPLACEMENT)) {
            return new Page("", encoding.name(), List.of(), false, false);
        }
        var markup = MarkupBytes.of(document, encoding);
        var scanner = new FeedScanner(markup, urls, new LinkResolver(urls, document.url()));
        scanner.scan();
        return new Page(
                scanner.title(),
                encoding.name(),
                scanner.links().links(),
                false,
                false,
                scanner.language(),
                0,
                "",
                scanner.links().truncated());
    }
}
