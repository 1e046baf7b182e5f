package dev.orbweaver.imports;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/** A server on loopback that plays sites and index servers, with their faults. */
final class SourceServer implements AutoCloseable {

    /** A response; {@code missing} bytes of the announced length are never sent. */
    @SuppressWarnings("ArrayRecordComponent") // Replies are never compared.
    record Reply(int status, Map<String, String> headers, byte[] body, int missing) {

        Reply(int status, String contentType, String body) {
            this(status, Map.of("Content-Type", contentType), body.getBytes(UTF_8), 0);
        }

        static Reply json(String body) {
            return new Reply(200, "application/json", body);
        }

        static Reply html(int status, String body) {
            return new Reply(status, "text/html", body);
        }

        Reply with(String name, String value) {
            var more = new LinkedHashMap<>(headers);
            more.put(name, value);
            return new Reply(status, more, body, missing);
        }

        Reply truncated() {
            return new Reply(status, headers, Arrays.copyOf(body, body.length / 2), body.length);
        }
    }

    /** A request; {@code number} counts requests from 1, {@code nanos} is when it arrived. */
    record Request(
            int number,
            long nanos,
            String path,
            Map<String, String> query,
            Map<String, List<String>> headers) {

        String header(String name) {
            return String.join(",", headers.getOrDefault(name, List.of()));
        }

        String parameter(String name) {
            return query.getOrDefault(name, "");
        }
    }

    interface Handler {
        Reply reply(Request request);
    }

    private final HttpServer server;
    private final List<Request> requests = new CopyOnWriteArrayList<>();

    private SourceServer(HttpServer server) {
        this.server = server;
    }

    static SourceServer start(Handler handler) throws IOException {
        var http =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        var server = new SourceServer(http);
        http.createContext("/", exchange -> server.handle(exchange, handler));
        http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        http.start();
        return server;
    }

    private void handle(HttpExchange exchange, Handler handler) throws IOException {
        Reply reply;
        synchronized (this) {
            var uri = exchange.getRequestURI();
            var request =
                    new Request(
                            requests.size() + 1,
                            System.nanoTime(),
                            uri.getPath(),
                            query(uri.getRawQuery()),
                            Map.copyOf(exchange.getRequestHeaders()));
            requests.add(request);
            reply = handler.reply(request);
        }
        reply.headers().forEach(exchange.getResponseHeaders()::set);
        var length = (long) reply.body().length + reply.missing();
        exchange.sendResponseHeaders(reply.status(), length == 0 ? -1 : length);
        exchange.getResponseBody().write(reply.body());
        exchange.close();
    }

    private static Map<String, String> query(String raw) {
        var parameters = new LinkedHashMap<String, String>();
        if (raw != null) {
            for (var pair : raw.split("&", -1)) {
                var equals = pair.indexOf('=');
                if (equals > 0) {
                    parameters.put(
                            pair.substring(0, equals),
                            URLDecoder.decode(pair.substring(equals + 1), UTF_8));
                }
            }
        }
        return parameters;
    }

    String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    List<Request> requests() {
        return requests;
    }

    List<String> paths() {
        return requests.stream().map(Request::path).toList();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
