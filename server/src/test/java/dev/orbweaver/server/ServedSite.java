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

/** A small site on loopback, with whatever pages a test puts there. */
public final class ServedSite implements AutoCloseable {

    // It is handed on, never compared.
    @SuppressWarnings("ArrayRecordComponent")
    private record Page(int status, String type, byte[] body, Map<String, String> headers) {}

    private final HttpServer server;
    private final Map<String, Page> pages = new ConcurrentHashMap<>();
    private final AtomicInteger requests = new AtomicInteger();
    private volatile long delayMillis;

    private ServedSite(HttpServer server) {
        this.server = server;
    }

    /** An empty one. */
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
                                            "nothing here".getBytes(UTF_8),
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

    /** A documentation of so many pages below {@code /guide/}, with some broken links. */
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

    /** Puts a page there. */
    public void html(String path, String title, String body) {
        put(
                path,
                200,
                "text/html; charset=utf-8",
                "<!DOCTYPE html><html><head><title>%s</title></head><body><main>%s</main></body></html>"
                        .formatted(title, body),
                Map.of());
    }

    /** Puts anything there. */
    public void put(
            String path, int status, String type, String body, Map<String, String> headers) {
        pages.put(path, new Page(status, type, body.getBytes(UTF_8), new TreeMap<>(headers)));
    }

    /** From now on answers take so long. */
    public void respondAfter(long millis) {
        delayMillis = millis;
    }

    /** How often it was asked. */
    public int requests() {
        return requests.get();
    }

    /** The URL of a path. */
    public String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
