package dev.orbweaver.examples;

import dev.orbweaver.Crawler;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.ScopeType;
import dev.orbweaver.spi.CrawledPage;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Checks the links of a site, internal and external, and prints each broken link with the page that
 * links to it. Exits with code 1 when there are any, so that a build can fail.
 *
 * <pre>{@code
 * mvn -q -f examples compile exec:java -Dexec.mainClass=dev.orbweaver.examples.LinkChecker \
 *     -Dexec.args="https://example.com/ out"
 * }</pre>
 *
 * <p>External pages are requested, but their links are not followed: the extractor removes them.
 * Each URL is requested once, so a broken link is reported with the first page that links to it.
 * Use an empty directory for each check; otherwise the program reports the results of the last
 * check again.
 */
public final class LinkChecker {

    private final Map<Long, String> urls = new HashMap<>();
    private final List<String> broken = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        var site = authority(args[0]);
        var checker = new LinkChecker();
        try (var crawl =
                Crawler.builder(args[0])
                        .scope(ScopeType.ANY)
                        .skipExtensions()
                        // Every link is checked, also those of pages that resemble each other.
                        .traps(false)
                        // A site on this machine or in your own network can be checked too.
                        .allowPrivate(true)
                        .maxRetries(1)
                        .extractor(
                                page -> {
                                    if (!authority(page.url()).equals(site)) {
                                        page.removeLinks(link -> true);
                                    }
                                })
                        .onResult("links", checker::check)
                        .startAfter("links", 0)
                        .open(Path.of(args[1]))) {
            crawl.run();
        }
        checker.broken.forEach(IO::println);
        IO.println(checker.urls.size() + " URLs checked, " + checker.broken.size() + " broken");
        System.exit(checker.broken.isEmpty() ? 0 : 1);
    }

    /** Returns host and port. URLs of the web are often not valid for {@link java.net.URI}. */
    private static String authority(String url) {
        return url.replaceFirst("^https?://", "")
                .replaceFirst("[/?#].*", "")
                .toLowerCase(Locale.ROOT);
    }

    /** Looks at one result. A page comes before the results of its links, so its URL is known. */
    private void check(CrawledPage result) {
        urls.put(result.sequence(), result.url());
        if (result.kind() == Kind.ERROR || result.kind() == Kind.FAILED) {
            var reason = result.status() > 0 ? "status " + result.status() : result.cause();
            var page = urls.getOrDefault(result.parentSequence(), "the command line");
            broken.add(result.url() + " (" + reason + "), linked from " + page);
        }
    }

    private LinkChecker() {}
}
