package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A whole crawl of a site over HTTP/2. */
@Timeout(60)
class Http2CrawlTest {

    private static final int PAGES = 12;

    @TempDir Path directory;

    private static String page(String path) {
        var text = new StringBuilder("<title>" + path + "</title><p>text of " + path);
        if (path.equals("/")) {
            for (var i = 1; i < PAGES; i++) {
                text.append("<a href=/p").append(i).append(">p</a>");
            }
        }
        return text.toString();
    }

    private static String http1(String head) {
        var path = head.split(" ", 3)[1];
        var known = !path.equals("/robots.txt");
        var body = known ? page(path) : "";
        return "HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(known ? "200 OK" : "404 Not Found", body.length(), body);
    }

    @Test
    void aCrawlStoresTheSamePagesOverBothVersionsAndKeepsItsDelay() throws Exception {
        var delay = Duration.ofMillis(50);
        var arrivals = new CopyOnWriteArrayList<Long>();
        var ends = new CopyOnWriteArrayList<Long>();
        var threads = ConcurrentHashMap.<Integer>newKeySet();
        try (var server =
                Http2Server.start(
                        SelfSigned.context(directory),
                        List.of("h2", "http/1.1"),
                        v -> {
                            v.start();
                            threads.add(v.number());
                            while (true) {
                                var request = v.nextRequest();
                                arrivals.add(System.nanoTime());
                                respond(v, request);
                                ends.add(System.nanoTime());
                            }
                        },
                        v -> {
                            for (var head = v.nextRequest();
                                    !head.isEmpty();
                                    head = v.nextRequest()) {
                                v.send(http1(head));
                            }
                        })) {
            var seed = "https://127.0.0.1:" + server.port() + "/";
            var one = Http2Crawls.crawl(directory.resolve("1"), seed, false, Duration.ZERO);
            assertThat(server.requests()).isEmpty();
            var two = Http2Crawls.crawl(directory.resolve("2"), seed, true, delay);
            assertThat(two).hasSize(PAGES).isEqualTo(new TreeMap<>(one));
            assertThat(server.requests()).hasSize(PAGES + 1);
            assertThat(threads).hasSize(1);
        }
        var pauses = new ArrayList<Duration>();
        for (var i = 1; i < arrivals.size(); i++) {
            // The end is read after the write, so a pause may seem shorter than it was.
            pauses.add(Duration.ofNanos(arrivals.get(i) - ends.get(i - 1)));
        }
        assertThat(pauses).allSatisfy(p -> assertThat(p).isGreaterThan(delay.dividedBy(2)));
        assertThat(Http2Crawls.checkedResponses(directory.resolve("1"), List.of()))
                .isEqualTo(Http2Crawls.checkedResponses(directory.resolve("2"), List.of("h2")))
                .isGreaterThanOrEqualTo(PAGES);
    }

    private static void respond(Http2Server.Http2Client client, Http2Server.Request request)
            throws IOException {
        var known = !request.path().equals("/robots.txt");
        client.respond(
                request.stream(),
                known ? "200" : "404",
                known ? page(request.path()) : "",
                "content-type",
                "text/html");
    }
}
