package dev.orbweaver;

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

    /** Returns a builder of a crawl that starts at these URLs. */
    public static CrawlerBuilder builder(Iterable<String> seeds) {
        var list = new ArrayList<String>();
        seeds.forEach(list::add);
        return new CrawlerBuilder(list);
    }
}
