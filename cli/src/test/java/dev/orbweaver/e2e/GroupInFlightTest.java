package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Two hosts of one group that are slow to respond, as the server sees the requests. */
@Slow
class GroupInFlightTest {

    private static final long SLOW_MILLIS = 250;

    @TempDir Path directory;

    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger maxInFlight = new AtomicInteger();

    @ParameterizedTest
    @CsvSource({"'', 2", "' concurrency=1', 1"})
    void requestsOverlapUnlessTheGroupLimitsThem(String limit, int expected) throws Exception {
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext(
                "/",
                exchange -> {
                    requests.incrementAndGet();
                    maxInFlight.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                    pause();
                    var last = exchange.getRequestURI().getPath().equals("/1");
                    var body = (last ? "the end" : "<a href=/1>1</a>").getBytes(UTF_8);
                    exchange.getResponseHeaders().set("Content-Type", "text/html");
                    exchange.sendResponseHeaders(200, body.length);
                    inFlight.decrementAndGet();
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.start();
        var port = server.getAddress().getPort();
        var settingValues =
                new SettingValues()
                        .put(
                                Settings.SEEDS,
                                List.of(
                                        "http://127.0.0.1:" + port + "/",
                                        "http://localhost:" + port + "/"))
                        .putPairs(
                                List.of(
                                        "delay=1ms",
                                        "delay-ip=0",
                                        "robots=ignore",
                                        "allow-private=true",
                                        "rate-group=127.0.0.0/8 0" + limit));
        try (var crawl = CrawlOpener.open(CrawlConfig.read(settingValues), directory)) {
            assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
        } finally {
            server.stop(0);
        }
        assertThat(requests).hasValue(4);
        assertThat(maxInFlight).hasValue(expected);
    }

    private static void pause() {
        try {
            Thread.sleep(SLOW_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
