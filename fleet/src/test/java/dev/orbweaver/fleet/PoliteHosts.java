package dev.orbweaver.fleet;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Hosts of equal size on loopback, each with its own address, that record the shortest time between
 * the end of a response and the next request for a page.
 */
public final class PoliteHosts implements AutoCloseable {

    /** One host: a binary tree of pages, in which every page also links to the root. */
    private static final class Host {
        private final AtomicInteger requests = new AtomicInteger();
        private final AtomicInteger served = new AtomicInteger();
        private final AtomicLong lastEnd = new AtomicLong();
        private final AtomicLong shortestGap = new AtomicLong(Long.MAX_VALUE);
    }

    private final List<HttpServer> servers = new ArrayList<>();
    private final List<Host> hosts = new ArrayList<>();
    private final int pages;

    /**
     * @param pages of each host
     */
    public PoliteHosts(int hostCount, int pages) throws IOException {
        this.pages = pages;
        for (var i = 0; i < hostCount; i++) {
            var host = new Host();
            var server = HttpServer.create(new InetSocketAddress("127.0.7." + (i + 1), 0), 0);
            server.createContext("/", exchange -> serve(host, exchange));
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.start();
            hosts.add(host);
            servers.add(server);
        }
    }

    private void serve(Host host, HttpExchange exchange) throws IOException {
        try (exchange) {
            host.requests.incrementAndGet();
            var path = exchange.getRequestURI().getPath();
            if (!path.startsWith("/p")) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            var begin = System.nanoTime();
            var before = host.lastEnd.get();
            if (before > 0) {
                host.shortestGap.accumulateAndGet(begin - before, Math::min);
            }
            var number = Integer.parseInt(path.substring(2));
            var body = page(number).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
            host.served.incrementAndGet();
            // Before the last byte is sent, because the client may see it before this thread runs.
            host.lastEnd.set(System.nanoTime());
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private String page(int number) {
        var text = new StringBuilder("<html><head><title>").append(words(number, 3));
        text.append("</title></head><body><p>").append(words(number, 120)).append("</p>");
        for (var child = 2 * number + 1; child <= 2 * number + 2; child++) {
            if (child < pages) {
                text.append("<a href=\"/p").append(child).append("\">next</a> ");
            }
        }
        return text.append("<a href=\"/p0\">first</a></body></html>").toString();
    }

    private static String words(int seed, int count) {
        var random = new java.util.SplittableRandom(seed * 31L + count);
        var text = new StringBuilder();
        for (var i = 0; i < count; i++) {
            text.append(Long.toString(random.nextLong() & 0xFFFF_FFFFL, 36)).append(' ');
        }
        return text.toString();
    }

    /** A crawl of all hosts, from the first page of each. */
    CrawlConfig config(Duration delay) throws ConfigException {
        var seeds =
                servers.stream()
                        .map(
                                server ->
                                        "http://%s:%d/p0"
                                                .formatted(
                                                        server.getAddress().getHostString(),
                                                        server.getAddress().getPort()))
                        .toList();
        return CrawlConfig.read(
                new SettingValues()
                        .put(Settings.SEEDS, seeds)
                        .put("allow-private", "true")
                        .put("contact", "test@example.org")
                        .put("delay", delay.toMillis() + "ms")
                        .put("delay-ip", "0")
                        .put("max-disk-wait", "0")
                        .put("min-free-disk", "0"));
    }

    /** Requests so far to all hosts, those for robots.txt included. */
    int requests() {
        return hosts.stream().mapToInt(host -> host.requests.get()).sum();
    }

    /** Pages served so far by all hosts. */
    public int served() {
        return hosts.stream().mapToInt(host -> host.served.get()).sum();
    }

    /** The shortest time between two requests for pages of one host. */
    public Duration shortestGap() {
        return Duration.ofNanos(
                hosts.stream().mapToLong(host -> host.shortestGap.get()).min().orElseThrow());
    }

    @Override
    public void close() {
        servers.forEach(server -> server.stop(0));
    }
}
