package dev.orbweaver.internal.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A site on loopback that serves the HTML of a test; an empty text is a 404. */
final class HtmlSite implements AutoCloseable {

    /** Returns the body of a response, and may add headers to it. */
    interface Pages {
        String html(String path, HttpExchange exchange);
    }

    private final HttpServer server;

    private HtmlSite(HttpServer server) {
        this.server = server;
    }

    static HtmlSite serve(Pages pages) throws IOException {
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.createContext("/", exchange -> respond(exchange, pages));
        server.start();
        return new HtmlSite(server);
    }

    private static void respond(HttpExchange exchange, Pages pages) throws IOException {
        var html = pages.html(exchange.getRequestURI().getPath(), exchange);
        var body = html.getBytes(UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "text/html");
        exchange.sendResponseHeaders(
                body.length == 0 ? 404 : 200, body.length == 0 ? -1 : body.length);
        try (var out = exchange.getResponseBody()) {
            out.write(body);
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
