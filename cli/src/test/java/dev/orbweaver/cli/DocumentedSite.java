package dev.orbweaver.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;

/** A small site on loopback with the paths that the documents use as examples. */
final class DocumentedSite implements AutoCloseable {

    private static final Map<String, String> PAGES =
            Map.of(
                    "/",
                    """
                    <html lang=en><title>Home</title><link rel=stylesheet href=/style.css>
                    <h1>Home</h1><p>A page of some words that is long enough to be text.
                    <a href=/a>a</a> <a href=/guide/>guide</a> <a href=/paper.pdf>paper</a>
                    <a href=/private>private</a> <img src=/logo.png>
                    """,
                    "/a",
                    "<html lang=en><title>A</title><h1>A</h1><p>Another page, with other words.",
                    "/private",
                    "<html lang=en><title>Private</title><p>A page that is taken down later.",
                    "/guide/",
                    """
                    <html lang=en-GB><title>Guide</title><h1>Guide</h1><p>How to begin with this.
                    <a href=/guide/next.html>next</a>
                    """,
                    "/guide/next.html",
                    "<html lang=en><title>Next</title><h1>Next</h1><p>How to go on after that.",
                    "/style.css",
                    "body { color: black }",
                    "/paper.pdf",
                    "%PDF-1.4 not really",
                    "/logo.png",
                    "not really a picture");

    private final HttpServer server;

    DocumentedSite() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.createContext(
                "/",
                exchange -> {
                    var path = exchange.getRequestURI().getPath();
                    var body = PAGES.getOrDefault(path, "").getBytes(UTF_8);
                    exchange.getResponseHeaders().add("Content-Type", type(path));
                    exchange.sendResponseHeaders(
                            PAGES.containsKey(path) ? 200 : 404,
                            body.length == 0 ? -1 : body.length);
                    try (var out = exchange.getResponseBody()) {
                        out.write(body);
                    }
                });
        server.start();
    }

    private static String type(String path) {
        return switch (path) {
            case "/style.css" -> "text/css";
            case "/paper.pdf" -> "application/pdf";
            case "/logo.png" -> "image/png";
            default -> "text/html";
        };
    }

    int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
