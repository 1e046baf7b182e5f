package dev.orbweaver.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A site of three pages on loopback, each linking to the next. */
final class SmallSite implements AutoCloseable {

    private final HttpServer server;
    private volatile boolean failing;

    SmallSite() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        page("/", "<a href=/b>b</a> <a href=http://elsewhere.invalid/>no</a>");
        page("/b", "<a href=/c>c</a>");
        page("/c", "the end");
        server.start();
    }

    private void page(String path, String html) {
        server.createContext(
                path,
                exchange -> {
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

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
