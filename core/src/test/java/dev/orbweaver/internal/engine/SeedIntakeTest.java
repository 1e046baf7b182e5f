package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.seeds.RemovedSeeds;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.model.CrawlEnd;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;

/** Crawls whose seeds are in lists. */
class SeedIntakeTest {

    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    private HttpServer server;
    private String site;

    @TempDir Path directory;

    @BeforeEach
    void serve() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext(
                "/",
                exchange -> {
                    try (exchange) {
                        requests.add(exchange.getRequestURI().getPath());
                        var body = "<p>page".getBytes(UTF_8);
                        exchange.getResponseHeaders().add("Content-Type", "text/html");
                        exchange.sendResponseHeaders(200, body.length);
                        exchange.getResponseBody().write(body);
                    }
                });
        server.createContext(
                "/robots.txt",
                exchange -> {
                    try (exchange) {
                        exchange.sendResponseHeaders(404, -1);
                    }
                });
        server.start();
        site = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private CrawlConfig config(String... settings) throws Exception {
        return CrawlConfig.read(
                new SettingValues()
                        .put(Settings.SEEDS, List.of(site))
                        .put("delay", "0")
                        .put("delay-ip", "0")
                        .putPairs(List.of(settings)));
    }

    private Path userFile(int urls) throws Exception {
        var text = new StringBuilder();
        for (var i = 0; i < urls; i++) {
            text.append(site).append("page/").append(i).append('\n');
            if (i % 20 == 0) {
                text.append("not a URL ").append(i).append('\n');
            }
        }
        return Files.writeString(directory.resolve("urls.txt"), text);
    }

    @Test
    void aListIsReadOnceHoweverOftenTheCrawlIsStopped() throws Exception {
        var out = directory.resolve("out");
        Files.createDirectories(out);
        assertThat(SeedList.addReference(out, userFile(1_000))).isTrue();
        for (var pages : List.of(1, 300, 600, 10_000)) {
            try (var crawl = CrawlOpener.open(config("max-pages=" + pages), out)) {
                var end = crawl.run();
                if (pages == 10_000) {
                    assertThat(end.reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
                    var ledger = crawl.status().frontier().ledger();
                    assertThat(ledger.accepted()).isEqualTo(1_001);
                    assertThat(ledger.refused()).isEqualTo(50);
                    assertThat(ledger.pages()).isEqualTo(1_001);
                    assertThat(crawl.seedProgress().lines()).isEqualTo(1_050);
                    assertThat(crawl.seedProgress().malformed()).isEqualTo(50);
                }
            }
        }
        assertThat(Files.readAllLines(out.resolve("seed-lists/000001-urls-txt.ref.rejected.tsv")))
                .hasSize(50)
                .first()
                .isEqualTo("2\t'not a URL 0' is not an http or https URL\tnot a URL 0");
    }

    @Test
    void seedsMayBeAddedAndRemovedWhileTheCrawlRuns() throws Exception {
        var out = directory.resolve("out");
        try (var crawl = CrawlOpener.open(config("delay=300ms"), out)) {
            var running = Executors.newVirtualThreadPerTaskExecutor().submit(crawl::run);
            var urls = config().urls();
            RemovedSeeds.add(out, List.of(urls.parse(site + "b").orElseThrow()));
            var lines =
                    SeedList.addCopy(
                            out,
                            "more",
                            to -> {
                                for (var name : List.of("a", "b", "c")) {
                                    to.line(site + name);
                                }
                            });
            assertThat(lines).isEqualTo(3);
            // A crawl of one page may end before it sees the list; then it continues with it.
            if (running.get().reason() == CrawlEnd.Reason.COMPLETE
                    && crawl.status().frontier().ledger().accepted() == 4) {
                assertThat(crawl.status().frontier().ledger().withdrawn()).isEqualTo(1);
            }
        }
        try (var crawl = CrawlOpener.open(config("delay=0"), out)) {
            assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
            var ledger = crawl.status().frontier().ledger();
            assertThat(ledger.accepted()).isEqualTo(4);
            assertThat(ledger.withdrawn()).isEqualTo(1);
            assertThat(ledger.pages()).isEqualTo(3);
        }
        assertThat(requests).contains("/a", "/c").doesNotContain("/b");
    }

    @Test
    void theIntakeWaitsWhileTheQueueIsFull() throws Exception {
        var out = directory.resolve("out");
        Files.createDirectories(out);
        assertThat(SeedList.addReference(out, userFile(20_000))).isTrue();
        try (var crawl = CrawlOpener.open(config("max-queued-urls=1000", "max-pages=200"), out)) {
            assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.MAX_PAGES);
            assertThat(crawl.status().frontier().ledger().accepted()).isLessThan(10_000);
        }
    }

    @Test
    void rulesAndTheListDecideTheOrderOfAHostsUrls() throws Exception {
        var out = directory.resolve("out");
        Files.createDirectories(out);
        var lines =
                SeedList.addCopy(
                        out,
                        "ordered",
                        to -> {
                            to.line(site + "a.png");
                            to.line(site + "plain", "priority=-10");
                            to.line(site + "news/1", "priority=-30");
                            to.line(site + "a.pdf");
                        });
        assertThat(lines).isEqualTo(4);
        var rules =
                new SettingValues()
                        .put(Settings.SEEDS, List.of(site))
                        .put("delay", "50ms")
                        .put("priority", List.of("type:document +50", "/news/ +20"));
        try (var crawl = CrawlOpener.open(CrawlConfig.read(rules), out)) {
            assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
        }
        requests.remove("/");
        assertThat(requests).containsExactly("/a.pdf", "/plain", "/news/1", "/a.png");
    }
}
