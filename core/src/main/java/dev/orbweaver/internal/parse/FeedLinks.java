package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.LinkResolver;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.spi.Document;

import org.jsoup.nodes.Element;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Finds the feeds that a page declares: {@code <link rel="alternate" type="application/rss+xml">}
 * and its kinds, as feed readers do.
 */
public final class FeedLinks {

    private static final int FEEDS_MAX = 100;

    private static final Set<String> MEDIA_TYPES =
            Set.of("application/rss+xml", "application/atom+xml", "application/rdf+xml");

    private FeedLinks() {}

    /** Returns the feeds of an HTML page of arbitrary bytes, each once, in document order. */
    public static List<CrawlUrl> of(Document document, CrawlUrls urls) {
        var tree = HtmlTree.of(document);
        var resolver = new LinkResolver(urls, HtmlTree.base(tree, document));
        return tree.select("link[rel][href]").stream()
                .filter(FeedLinks::isFeed)
                .flatMap(link -> resolver.resolve(link.attr("href"), UTF_8).stream())
                .distinct()
                .limit(FEEDS_MAX)
                .toList();
    }

    private static boolean isFeed(Element link) {
        var type = link.attr("type").toLowerCase(Locale.ROOT);
        var parameters = type.indexOf(';');
        var mediaType = (parameters < 0 ? type : type.substring(0, parameters)).strip();
        return LinkRelations.kinds(link.attr("rel")).contains(LinkKind.ALTERNATE)
                && MEDIA_TYPES.contains(mediaType);
    }
}
