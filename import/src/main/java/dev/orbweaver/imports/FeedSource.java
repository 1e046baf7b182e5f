package dev.orbweaver.imports;

import dev.orbweaver.imports.SourceClient.Access;
import dev.orbweaver.internal.parse.FeedLinks;
import dev.orbweaver.internal.robots.Sitemap;
import dev.orbweaver.internal.robots.SitemapHandler;
import dev.orbweaver.internal.robots.SitemapParser;
import dev.orbweaver.internal.seeds.SeedEntry;
import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.internal.seeds.SeedSource;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.spi.Document;

import java.io.IOException;
import java.io.UncheckedIOException;

/** The entries of an RSS or Atom feed, or of all feeds that a page declares. */
record FeedSource(String description, CrawlUrl url, SourceClient client) implements SeedSource {

    /** Feeds are declared in the head of a page. */
    private static final int PAGE_BYTES_MAX = 2 << 20;

    private static final SitemapParser.Limits LIMITS =
            new SitemapParser.Limits(SourceClient.BODY_BYTES_MAX, Long.MAX_VALUE);

    @Override
    public void read(SeedOutput out) throws IOException, InterruptedException {
        try (var response = client.get(url, Access.SITE, out)) {
            requireFound(response);
            if (isPage(response)) {
                readDeclared(response, out);
            } else {
                readFeed(response, out);
            }
        }
    }

    private static void requireFound(SourceResponse response) throws SourceException {
        if (response.status() != 200) {
            throw new SourceException("%s: status %d".formatted(response.url(), response.status()));
        }
    }

    private static boolean isPage(SourceResponse response) throws IOException {
        var mediaType = response.head().mediaType();
        return (mediaType.equals("text/html") || mediaType.equals("application/xhtml+xml"))
                && !isXmlFeed(response);
    }

    /** Feeds are often served as HTML. */
    private static boolean isXmlFeed(SourceResponse response) throws IOException {
        var start = response.excerpt();
        return start.contains("<rss") || start.contains("<feed") || start.contains("<rdf:rdf");
    }

    private void readDeclared(SourceResponse page, SeedOutput out)
            throws IOException, InterruptedException {
        var bytes = page.beginning(PAGE_BYTES_MAX);
        var document =
                new Document(
                        page.url(),
                        page.contentType(),
                        page.head().fields("link"),
                        bytes,
                        bytes.length);
        var feeds = FeedLinks.of(document, client.urls());
        if (feeds.isEmpty()) {
            throw new SourceException("%s declares no feed".formatted(page.url()));
        }
        var problems = new Problems();
        for (var feed : feeds) {
            try (var response = client.get(feed, Access.SITE, out)) {
                requireFound(response);
                readFeed(response, out);
            } catch (SourceException e) {
                problems.add(e.sentence());
            }
        }
        problems.throwIfAny("other feeds were read");
    }

    private static void readFeed(SourceResponse response, SeedOutput out) throws IOException {
        var handler = new Handler(out);
        boolean whole;
        try (var in = response.open()) {
            whole =
                    SitemapParser.parse(
                            in, response.contentType(), response.url().text(), LIMITS, handler);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        out.progress("%s: %,d entries".formatted(response.url(), handler.count));
        if (!whole) {
            throw new SourceException(
                    handler.count > 0
                            ? "%s is incomplete; %,d entries were read"
                                    .formatted(response.url(), handler.count)
                            : "%s is not an RSS or Atom feed".formatted(response.url()));
        }
    }

    private static final class Handler implements SitemapHandler {

        private final SeedOutput out;
        private long count;

        Handler(SeedOutput out) {
            this.out = out;
        }

        @Override
        public void sitemap(String url) {
            // A feed lists none; the file is a sitemap index, which sitemap: reads.
        }

        @Override
        public void page(Sitemap.Entry entry) {
            try {
                out.add(
                        ++count,
                        new SeedEntry(entry.url(), entry.priority(), entry.lastModified()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
