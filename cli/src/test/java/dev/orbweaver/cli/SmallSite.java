package dev.orbweaver.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

/** A site of three pages on loopback, each linking to the next. */
final class SmallSite implements AutoCloseable {

    private final HttpServer server;
    private final Set<String> paths = new HashSet<>();
    private final List<Long> arrivals = new CopyOnWriteArrayList<>();
    private volatile boolean failing;

    SmallSite() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        page("/", "<a href=/b>b</a> <a href=http://elsewhere.invalid/>no</a>");
        page("/b", "<a href=/c>c</a>");
        page("/c", "the end");
        server.start();
    }

    /** Adds a page, or replaces it. */
    void page(String path, String html) {
        if (!paths.add(path)) {
            server.removeContext(path);
        }
        server.createContext(
                path,
                exchange -> {
                    arrivals.add(System.nanoTime());
                    var found = exchange.getRequestURI().getPath().equals(path);
                    var body = html.getBytes(UTF_8);
                    exchange.getResponseHeaders().add("Content-Type", "text/html");
                    var robots = exchange.getRequestURI().getPath().equals("/robots.txt");
                    var status = failing && !robots ? 500 : found ? 200 : 404;
                    exchange.sendResponseHeaders(status, body.length);
                    try (var out = exchange.getResponseBody()) {
                        out.write(body);
                    }
                });
    }

    /** Makes every response except that for robots.txt a server error. */
    void startFailing() {
        failing = true;
    }

    void stopFailing() {
        failing = false;
    }

    /** Returns the shortest time between two requests. */
    Duration shortestGap() {
        return IntStream.range(1, arrivals.size())
                .mapToObj(i -> Duration.ofNanos(arrivals.get(i) - arrivals.get(i - 1)))
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
