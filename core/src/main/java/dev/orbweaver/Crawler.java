package dev.orbweaver;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;

import java.util.ArrayList;
import java.util.List;

/**
 * The entry point of the library.
 *
 * <pre>{@code
 * try (var crawl = Crawler.builder("https://example.com/")
 *         .maxPages(1_000)
 *         .delay(Duration.ofSeconds(2))
 *         .onPage(page -> System.out.println(page.url() + " " + page.title()))
 *         .open(Path.of("out"))) {
 *     CrawlReport report = crawl.run();
 *     System.out.println(report.pages() + " pages, " + report.reason());
 * }
 * }</pre>
 *
 * <p>The directory holds everything: WARC files, page log, frontier, settings. Opening it again
 * with the same seeds resumes the crawl; {@link CrawlDirectory} reads it at any time, and so do the
 * {@code orbweaver} commands.
 *
 * <p>Several crawls can run in one process, each in a directory of its own. They do not know each
 * other: a host that two of them crawl gets the requests of both, each with its own delay. Safe for
 * use by several threads.
 */
public final class Crawler {

    private Crawler() {}

    /**
     * Returns a builder of a crawl that starts at these URLs. A URL without a scheme is tried as
     * https, then as http.
     */
    public static CrawlerBuilder builder(String... seeds) {
        return new CrawlerBuilder(List.of(seeds));
    }

    /**
     * Returns a URL as scopes, parsers and fetchers get it, for their unit tests.
     *
     * <pre>{@code
     * var verdict = filter.evaluate(Crawler.url("https://example.com/a"), Hop.LINK, 1);
     * }</pre>
     *
     * @throws IllegalArgumentException when the text is not an http or https URL
     */
    public static CrawlUrl url(String text) {
        return new CrawlUrls(Normalisation.DEFAULT)
                .parse(text)
                .orElseThrow(
                        () -> new IllegalArgumentException("not an http or https URL: " + text));
    }

    /** Returns a builder of a crawl that starts at these URLs. */
    public static CrawlerBuilder builder(Iterable<String> seeds) {
        var list = new ArrayList<String>();
        seeds.forEach(list::add);
        return new CrawlerBuilder(list);
    }
}
