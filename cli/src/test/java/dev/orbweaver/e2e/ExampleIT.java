package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** The examples, compiled and run against a small site. */
class ExampleIT {

    @TempDir Path directory;

    @Test
    void theEmbeddingExampleCrawlsASmallSite() throws Exception {
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        serve(server, "/", "<title>one</title><a href=two.html>two</a>");
        serve(server, "/two.html", "<title>two</title><a href=/>one</a>");
        server.start();
        try {
            var url = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
            var target = ProgramResult.ROOT.resolve("cli/target");
            var run =
                    ProgramResult.run(
                            directory,
                            List.of(
                                    ProgramResult.java(),
                                    "-cp",
                                    target.resolve("orbweaver.jar")
                                            + ":"
                                            + target.resolve("lib")
                                            + "/*",
                                    ProgramResult.ROOT
                                            .resolve("examples/EmbeddedCrawl.java")
                                            .toString(),
                                    url,
                                    "out"));
            assertThat(run.output())
                    .contains("PAGE " + url, "PAGE " + url + "two.html", "ended: COMPLETE");
            assertThat(run.exit()).isZero();
        } finally {
            server.stop(0);
        }
    }

    /** Any other path, robots.txt among them, is answered with 404 by the path check. */
    private static void serve(HttpServer server, String path, String html) {
        server.createContext(
                path,
                exchange -> {
                    var found = exchange.getRequestURI().getPath().equals(path);
                    var body = (found ? html : "").getBytes(StandardCharsets.UTF_8);
                    exchange.getResponseHeaders().add("Content-Type", "text/html");
                    exchange.sendResponseHeaders(found ? 200 : 404, found ? body.length : -1);
                    respond(exchange, body);
                });
    }

    private static void respond(HttpExchange exchange, byte[] body) throws IOException {
        try (exchange) {
            if (body.length > 0) {
                exchange.getResponseBody().write(body);
            }
        }
    }
}
