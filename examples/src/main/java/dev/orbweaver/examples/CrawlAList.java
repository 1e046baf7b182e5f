package dev.orbweaver.examples;

import dev.orbweaver.Crawler;
import dev.orbweaver.spi.CrawledPage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Fetches exactly the URLs of a list and saves each body as a file.
 *
 * <pre>{@code
 * mvn -q -f examples compile exec:java -Dexec.mainClass=dev.orbweaver.examples.CrawlAList \
 *     -Dexec.args="urls.txt out"
 * }</pre>
 *
 * <p>{@code urls.txt} has one URL per line. A depth of 0 follows no links, and sitemaps are not
 * read because they name further pages. Redirects of the listed URLs are followed. The bodies are
 * in {@code out/files}, named by the number of the page.
 */
public final class CrawlAList {

    public static void main(String[] args) throws Exception {
        var urls = Files.readAllLines(Path.of(args[0])).stream().filter(l -> !l.isBlank()).toList();
        var files = Files.createDirectories(Path.of(args[1], "files"));
        try (var crawl =
                Crawler.builder(urls)
                        .maxDepth(0)
                        .sitemaps(false)
                        .onPage(page -> save(page, files))
                        .open(Path.of(args[1], "crawl"))) {
            var report = crawl.run();
            IO.println(report.pages() + " pages, " + report.failed() + " failed");
        }
    }

    /** Copies the body to a file; it may be delivered twice after a crash, so it is replaced. */
    private static void save(CrawledPage page, Path files) throws IOException {
        var file =
                files.resolve(
                        page.sequence() + (page.mediaType().equals("text/html") ? ".html" : ""));
        try (var body = page.body()) {
            Files.copy(body, file, StandardCopyOption.REPLACE_EXISTING);
        }
        IO.println(file.getFileName() + " " + page.status() + " " + page.url());
    }

    private CrawlAList() {}
}
