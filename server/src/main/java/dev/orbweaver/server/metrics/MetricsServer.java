package dev.orbweaver.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.internal.config.InvalidArgumentException;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Serves only {@code GET /metrics}, beside a crawl or a worker. */
public final class MetricsServer implements AutoCloseable {

    private static final int BACKLOG = 16;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private MetricsServer(HttpServer server) {
        this.server = server;
    }

    /** Starts a server at {@code ADDR:PORT}, or {@code PORT} for loopback. */
    public static MetricsServer start(String place, Metrics metrics) throws IOException {
        var colon = place.lastIndexOf(':');
        var host = colon < 0 ? "127.0.0.1" : place.substring(0, colon).replaceAll("^\\[|]$", "");
        var port = place.substring(colon + 1);
        if (!port.matches("\\d{1,5}") || Integer.parseInt(port) > 65_535) {
            throw new InvalidArgumentException(
                    "--metrics must be ADDR:PORT or PORT, not '" + place + "'");
        }
        HttpServer server;
        try {
            server =
                    HttpServer.create(new InetSocketAddress(host, Integer.parseInt(port)), BACKLOG);
        } catch (IOException | IllegalArgumentException e) {
            throw new InvalidArgumentException(
                    "--metrics: could not listen on %s: %s".formatted(place, e.getMessage()));
        }
        var started = new MetricsServer(server);
        server.setExecutor(started.threads);
        server.createContext(
                "/",
                exchange -> {
                    var found = exchange.getRequestURI().getPath().equals("/metrics");
                    var reads =
                            exchange.getRequestMethod().equals("GET")
                                    || exchange.getRequestMethod().equals("HEAD");
                    var body =
                            (found && reads ? metrics.scrape() : "see /metrics\n").getBytes(UTF_8);
                    exchange.getResponseHeaders().set("Content-Type", Metrics.contentType());
                    var head = exchange.getRequestMethod().equals("HEAD");
                    exchange.sendResponseHeaders(
                            !reads ? 405 : found ? 200 : 404, head ? -1 : body.length);
                    if (!head) {
                        exchange.getResponseBody().write(body);
                    }
                    exchange.close();
                });
        server.start();
        return started;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
