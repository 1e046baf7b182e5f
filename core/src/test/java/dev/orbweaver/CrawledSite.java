package dev.orbweaver;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.model.CrawlReport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;

/** A site on the loopback address, and crawls of it through the library. */
abstract class CrawledSite {

    @TempDir Path directory;

    private HttpServer server;
    final Map<String, byte[]> files = new ConcurrentHashMap<>();
    final Map<String, String> codings = new ConcurrentHashMap<>();
    final Map<String, Integer> failures = new ConcurrentHashMap<>();
    final ConcurrentLinkedQueue<String> requested = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext(
                "/",
                exchange -> {
                    var path = exchange.getRequestURI().getPath();
                    requested.add(path);
                    var body = files.get(path);
                    if (failures.merge(path, -1, Integer::sum) >= 0) {
                        exchange.sendResponseHeaders(500, -1);
                        exchange.close();
                        return;
                    }
                    if (codings.containsKey(path)) {
                        exchange.getResponseHeaders().set("Content-Encoding", codings.get(path));
                    }
                    exchange.getResponseHeaders()
                            .set(
                                    "Content-Type",
                                    path.endsWith(".json") ? "application/json" : "text/html");
                    exchange.sendResponseHeaders(
                            body == null ? 404 : 200,
                            body == null || body.length == 0 ? -1 : body.length);
                    try (var out = exchange.getResponseBody()) {
                        if (body != null) {
                            out.write(body);
                        }
                    }
                });
        server.start();
        site(12);
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    /** A page with links to all others. */
    void site(int pages) {
        var links = new StringBuilder("<title>home</title>");
        for (var i = 1; i < pages; i++) {
            links.append("<a href='/p").append(i).append("'>p</a>");
            page(
                    "/p" + i,
                    "<title>page %d</title><h1>Name %d</h1><b class=price>%d.50</b>"
                            .formatted(i, i, i));
        }
        page("/", links.toString());
    }

    void page(String path, String html) {
        files.put(path, html.getBytes(StandardCharsets.UTF_8));
    }

    String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    CrawlerBuilder crawler() {
        return Crawler.builder(url("/")).delay(Duration.ZERO).maxRetries(0).sitemaps(false);
    }

    @CanIgnoreReturnValue
    CrawlReport run(CrawlerBuilder builder) throws Exception {
        try (var crawl = builder.open(directory)) {
            return crawl.run();
        }
    }

    static void runQuietly(RunningCrawl crawl) {
        try {
            var _ = crawl.run();
        } catch (InterruptedException | IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
