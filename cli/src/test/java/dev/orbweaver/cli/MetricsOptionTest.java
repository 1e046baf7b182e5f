package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.server.ServedSite;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;

/** {@code --metrics}: metrics of a running crawl. */
@Slow
class MetricsOptionTest {

    @TempDir Path directory;

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static String scrape(int port) throws InterruptedException {
        try (var client = HttpClient.newHttpClient()) {
            var uri = URI.create("http://127.0.0.1:" + port + "/metrics");
            return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return ""; // It has not begun yet.
        }
    }

    @Test
    void metricsAreServedWhileTheCrawlRuns() throws Exception {
        var port = freePort();
        try (var site = ServedSite.documentation(40)) {
            site.respondAfter(50);
            var crawl =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        var _ =
                                                Main.run(
                                                        "crawl",
                                                        site.url("/"),
                                                        "--out",
                                                        directory.resolve("out").toString(),
                                                        "--delay",
                                                        "100ms",
                                                        "--quiet",
                                                        "--metrics",
                                                        "127.0.0.1:" + port);
                                    });
            var text = "";
            while (crawl.isAlive() && !text.contains("orbweaver_pages_total 1")) {
                text = scrape(port);
                Thread.sleep(20);
            }
            assertThat(text)
                    .contains(
                            "orbweaver_pages_total 1",
                            "orbweaver_request_duration_seconds_count{phase=\"server\"}",
                            "orbweaver_hosts{state=\"waiting\"}",
                            "process_cpu_usage");
            crawl.join();
            assertThat(scrape(port)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nowhere", "127.0.0.1:99999", "127.0.0.1:", "8.8.8.8:80"})
    void anUnusableAddressIsReportedAtOnce(String place) {
        var code =
                Main.run(
                        "crawl",
                        "http://a.invalid/",
                        "--out",
                        directory.resolve("none").toString(),
                        "--quiet",
                        "--metrics",
                        place);
        assertThat(code).isEqualTo(ExitCode.USAGE.code());
    }
}
