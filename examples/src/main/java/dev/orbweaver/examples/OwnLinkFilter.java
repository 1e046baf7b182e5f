package dev.orbweaver.examples;

import dev.orbweaver.Crawler;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.spi.Scope;

import java.nio.file.Path;

/**
 * Follows only the links that a rule of its own accepts: no print versions, and below {@code
 * /archive/} only pages that are one click away from a seed.
 *
 * <pre>{@code
 * mvn -q -f examples compile exec:java -Dexec.mainClass=dev.orbweaver.examples.OwnLinkFilter \
 *     -Dexec.args="https://example.com/ out"
 * }</pre>
 *
 * <p>A filter can only refuse: links to other hosts stay outside, as the scope of the crawl says.
 * For patterns alone, {@code include} and {@code exclude} are enough. The report counts what was
 * refused.
 */
public final class OwnLinkFilter {

    public static void main(String[] args) throws Exception {
        try (var crawl =
                Crawler.builder(args[0])
                        .linkFilter(OwnLinkFilter::accept)
                        .onPage(page -> IO.println(page.url()))
                        .open(Path.of(args[1]))) {
            var report = crawl.run();
            IO.println(report.pages() + " pages, refused links: " + report.refusedByReason());
        }
    }

    /** Decides about one link. Several threads call it at once, so it has no state. */
    private static Scope.Verdict accept(CrawlUrl url, Hop hop, int depth) {
        var path = url.pathAndQuery();
        if (path.contains("?print=") || path.contains("&print=")) {
            return Scope.refuse("print version");
        }
        if (path.startsWith("/archive/") && depth > 1) {
            return Scope.refuse("archive page beyond depth 1");
        }
        return Scope.ACCEPT;
    }

    private OwnLinkFilter() {}
}
