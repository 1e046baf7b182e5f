package dev.orbweaver.server.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Function;

/** A site on loopback. */
final class LoopbackSite implements AutoCloseable {

    /** Returns the response for a path and query. */
    record SiteResponse(int status, Map<String, String> headers, String body) {

        static SiteResponse html(String body) {
            return new SiteResponse(200, Map.of("Content-Type", "text/html; charset=utf-8"), body);
        }

        static SiteResponse text(String body) {
            return new SiteResponse(200, Map.of("Content-Type", "text/plain; charset=utf-8"), body);
        }

        static SiteResponse error(int status) {
            return new SiteResponse(
                    status, Map.of("Content-Type", "text/html"), "<h1>" + status + "</h1>");
        }

        static SiteResponse redirect(String location) {
            return new SiteResponse(301, Map.of("Location", location), "");
        }
    }

    private final HttpServer server;

    LoopbackSite(Function<String, SiteResponse> siteResponses) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.createContext("/", exchange -> send(exchange, siteResponses));
        server.start();
    }

    private static void send(HttpExchange exchange, Function<String, SiteResponse> siteResponses)
            throws IOException {
        try (exchange) {
            var siteResponse = siteResponses.apply(exchange.getRequestURI().toString());
            var body = siteResponse.body().getBytes(UTF_8);
            siteResponse.headers().forEach(exchange.getResponseHeaders()::add);
            exchange.sendResponseHeaders(
                    siteResponse.status(), body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
