package dev.orbweaver.service.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Function;

/** A site on loopback. */
final class Site implements AutoCloseable {

    /** What is answered to a path and query. */
    record Answer(int status, Map<String, String> headers, String body) {

        static Answer html(String body) {
            return new Answer(200, Map.of("Content-Type", "text/html; charset=utf-8"), body);
        }

        static Answer text(String body) {
            return new Answer(200, Map.of("Content-Type", "text/plain; charset=utf-8"), body);
        }

        static Answer error(int status) {
            return new Answer(
                    status, Map.of("Content-Type", "text/html"), "<h1>" + status + "</h1>");
        }

        static Answer redirect(String location) {
            return new Answer(301, Map.of("Location", location), "");
        }
    }

    private final HttpServer server;

    Site(Function<String, Answer> answers) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.createContext("/", exchange -> send(exchange, answers));
        server.start();
    }

    private static void send(HttpExchange exchange, Function<String, Answer> answers)
            throws IOException {
        try (exchange) {
            var answer = answers.apply(exchange.getRequestURI().toString());
            var body = answer.body().getBytes(UTF_8);
            answer.headers().forEach(exchange.getResponseHeaders()::add);
            exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
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
