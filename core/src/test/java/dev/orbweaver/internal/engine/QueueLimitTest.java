package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A site whose every page has many new links, crawled with room for few: the queue never outgrows
 * its limit by more than the links of the pages in flight, and no page is lost.
 */
@Slow
class QueueLimitTest {

    private static final int LINKS = 20;
    private static final int PAGES = 300;
    private static final int LIMIT = 40;

    @TempDir Path directory;

    /** Page n has links to the pages from 20n+1 to 20n+20. */
    private static byte[] page(int number) {
        var text = new StringBuilder("<title>" + number + "</title>");
        for (var i = number * LINKS + 1; i <= (number + 1) * LINKS && i < PAGES; i++) {
            text.append("<a href=/").append(i).append(">x</a>");
        }
        return text.toString().getBytes(UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"max-queued-urls=" + LIMIT, "max-frontier-disk=" + LIMIT * 100})
    void theQueueKeepsToItsLimitAndNoPageIsLost(String limit) throws Exception {
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext(
                "/",
                exchange -> {
                    var path = exchange.getRequestURI().getPath().substring(1);
                    var body = page(path.isEmpty() ? 0 : Integer.parseInt(path));
                    exchange.getResponseHeaders().set("Content-Type", "text/html");
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.start();
        try {
            var settingValues =
                    new SettingValues()
                            .put(Settings.SEEDS, "http://127.0.0.1:" + port(server))
                            .putPairs(List.of("delay=2ms", "robots=ignore", "traps=off", limit));
            var highest = new AtomicLong();
            var opened = new AtomicReference<OpenCrawl>();
            var watching =
                    new CrawlListener() {
                        @Override
                        public void captured(Capture capture) {
                            var queued = opened.get().status().frontier().ledger().queued();
                            highest.accumulateAndGet(queued, Math::max);
                        }
                    };
            try (var crawl =
                    CrawlOpener.open(CrawlConfig.read(settingValues), directory, watching)) {
                opened.set(crawl);
                assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
                assertThat(crawl.status().frontier().ledger().pages()).isEqualTo(PAGES);
            }
            // One page may be read by the committer and one of the deferred at the same time.
            assertThat(highest.get()).isBetween((long) LIMIT / 2, (long) LIMIT + 2 * LINKS);
        } finally {
            server.stop(0);
        }
    }

    private static int port(HttpServer server) {
        return server.getAddress().getPort();
    }
}
