package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.Crawler;

import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcRequest;
import org.netpreserve.jwarc.WarcResponse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Crawls a site over TLS and reads what was stored. */
final class Http2Crawls {

    private Http2Crawls() {}

    /** Returns the text of every page by its URL. */
    static Map<String, String> crawl(Path directory, String seed, boolean http2, Duration delay)
            throws Exception {
        try (var crawl =
                Crawler.builder(seed)
                        .delay(delay)
                        .maxRetries(0)
                        .set("insecure", "true")
                        .set("http2", Boolean.toString(http2))
                        .open(directory)) {
            var _ = crawl.run();
        }
        var pages = new TreeMap<String, String>();
        CrawlDirectory.open(directory).forEachPage(page -> pages.put(page.url(), page.text()));
        return pages;
    }

    /** Checks all responses and requests in the WARC files, and returns how many responses are. */
    static int checkedResponses(Path directory, List<String> protocols) throws Exception {
        var responses = 0;
        try (var files = Files.list(directory.resolve("warc"))) {
            for (var file : files.toList()) {
                responses += checkedResponsesOf(file, protocols);
            }
        }
        return responses;
    }

    private static int checkedResponsesOf(Path file, List<String> protocols) throws Exception {
        var responses = 0;
        try (var reader = new WarcReader(file)) {
            for (var record : reader) {
                if (record instanceof WarcResponse response) {
                    assertThat(record.headers().all("WARC-Protocol")).isEqualTo(protocols);
                    assertThat(response.http().status()).isIn(200, 404);
                    assertThat(
                                    response.http().headers().first("date").isPresent()
                                            || response.http()
                                                    .headers()
                                                    .first("content-type")
                                                    .isPresent())
                            .isTrue();
                    assertPayload(response);
                    responses++;
                } else if (record instanceof WarcRequest request) {
                    assertThat(record.headers().all("WARC-Protocol")).isEqualTo(protocols);
                    assertThat(request.http().method()).isEqualTo("GET");
                    assertThat(request.http().headers().first("Host")).isPresent();
                }
            }
        }
        return responses;
    }

    private static void assertPayload(WarcResponse response) throws Exception {
        var digest = response.payloadDigest().orElseThrow();
        var payload = payload(response);
        assertThat(MessageDigest.getInstance("SHA-1").digest(payload)).isEqualTo(digest.bytes());
    }

    private static byte[] payload(WarcResponse response) throws IOException {
        var body = response.payload();
        return body.isPresent() ? body.get().body().stream().readAllBytes() : new byte[0];
    }
}
