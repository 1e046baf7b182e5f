package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.BodyMemory;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.SpillBuffer;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Pages that are too large for the memory of small bodies, and fit into that of large ones. */
@Slow
class LargeBodiesTest {

    private static final int PAGES = 4;

    @TempDir Path parent;

    private final AtomicLong mostReserved = new AtomicLong();

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip"})
    void largeBodiesStayInMemoryUntilTheyAreCommittedAndThenReleaseIt(String compression)
            throws Exception {
        var server = server();
        try {
            var settingValues =
                    new SettingValues()
                            .put(
                                    Settings.SEEDS,
                                    "http://127.0.0.1:" + server.getAddress().getPort())
                            .putPairs(
                                    List.of(
                                            "delay=1ms",
                                            "robots=ignore",
                                            "traps=off",
                                            "warc-compression=" + compression));
            var directory = parent.resolve("out");
            try (var crawl = CrawlOpener.open(CrawlConfig.read(settingValues), directory)) {
                var _ = crawl.run();
            }
            var pages = new AtomicInteger();
            PageLog.read(
                    directory.resolve(DirectoryLayout.PAGE_LOG),
                    entry -> pages.addAndGet(entry.kind() == Kind.PAGE ? 1 : 0));
            assertThat(pages).hasValue(PAGES);
            assertThat(mostReserved).hasValueGreaterThan(SpillBuffer.MEMORY_MAX);
            Eventually.until( // Other tests may be using it.
                    Duration.ofSeconds(20),
                    "all memory is released",
                    () -> BodyMemory.shared().reserved() == 0);
        } finally {
            server.stop(0);
        }
    }

    /** Serves a chain of pages, each linked by the one before. */
    private HttpServer server() throws IOException {
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    var path = exchange.getRequestURI().getPath().substring(1);
                    var number = path.isEmpty() ? 0 : Integer.parseInt(path);
                    var body = page(number);
                    exchange.getResponseHeaders().set("Content-Type", "text/html");
                    exchange.sendResponseHeaders(200, body.length);
                    var half = body.length - 10;
                    exchange.getResponseBody().write(body, 0, half);
                    exchange.getResponseBody().flush();
                    awaitReservation();
                    exchange.getResponseBody().write(body, half, body.length - half);
                    exchange.close();
                });
        server.start();
        return server;
    }

    private void awaitReservation() {
        for (var i = 0; i < 200 && BodyMemory.shared().reserved() == 0; i++) {
            try {
                Thread.sleep(10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        mostReserved.accumulateAndGet(BodyMemory.shared().reserved(), Math::max);
    }

    private static byte[] page(int number) {
        var body = new byte[2 * SpillBuffer.MEMORY_MAX];
        new Random(number).nextBytes(body);
        var link = number + 1 < PAGES ? "<a href=/%d>next</a>".formatted(number + 1) : "<p>end";
        System.arraycopy(link.getBytes(US_ASCII), 0, body, 0, link.length());
        return body;
    }
}
