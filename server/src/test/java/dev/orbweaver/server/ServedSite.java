package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A small site on loopback whose pages the test defines. */
public final class ServedSite implements AutoCloseable {

    // Never compared, so the array component is safe.
    @SuppressWarnings("ArrayRecordComponent")
    private record Page(int status, String type, byte[] body, Map<String, String> headers) {}

    private final HttpServer server;
    private final Map<String, Page> pages = new ConcurrentHashMap<>();
    private final AtomicInteger requests = new AtomicInteger();
    private volatile long delayMillis;

    private ServedSite(HttpServer server) {
        this.server = server;
    }

    /** Starts an empty site. */
    public static ServedSite start() throws IOException {
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var site = new ServedSite(server);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext(
                "/",
                exchange -> {
                    site.requests.incrementAndGet();
                    try {
                        Thread.sleep(site.delayMillis);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    var path = exchange.getRequestURI().getRawPath();
                    var page =
                            site.pages.getOrDefault(
                                    path,
                                    new Page(
                                            404,
                                            "text/plain",
                                            "not found".getBytes(UTF_8),
                                            Map.of()));
                    exchange.getResponseHeaders().set("Content-Type", page.type);
                    page.headers.forEach(exchange.getResponseHeaders()::set);
                    exchange.sendResponseHeaders(page.status, page.body.length);
                    try (var out = exchange.getResponseBody()) {
                        out.write(page.body);
                    }
                });
        server.start();
        return site;
    }

    /** Starts a documentation site with pages below {@code /guide/} and some broken links. */
    public static ServedSite documentation(int count) throws IOException {
        var site = start();
        var links = new StringBuilder();
        for (var i = 0; i < count; i++) {
            links.append("<li><a href=/guide/%d.html>Chapter %d</a>".formatted(i, i));
            site.html(
                    "/guide/" + i + ".html",
                    "Chapter " + i,
                    "<h1>Chapter %d</h1><p>Of silk and knots, part number%d.<pre><code>knot(%d)</code></pre><a href=/guide/%d.html>next</a> <a href=/gone/%d>gone</a>"
                            .formatted(i, i, i, (i + 1) % count, i % 3));
        }
        site.html("/", "Home", "<h1>Home</h1><ul>" + links + "</ul>");
        return site;
    }

    /** Adds an HTML page. */
    public void html(String path, String title, String body) {
        put(
                path,
                200,
                "text/html; charset=utf-8",
                "<!DOCTYPE html><html><head><title>%s</title></head><body><main>%s</main></body></html>"
                        .formatted(title, body),
                Map.of());
    }

    /** Adds a response. */
    public void put(
            String path, int status, String type, String body, Map<String, String> headers) {
        pages.put(path, new Page(status, type, body.getBytes(UTF_8), new TreeMap<>(headers)));
    }

    /** Delays all further responses. */
    public void respondAfter(long millis) {
        delayMillis = millis;
    }

    /** The number of requests received. */
    public int requests() {
        return requests.get();
    }

    /** Returns the URL of a path. */
    public String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
