package dev.orbweaver.e2e;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;

/** A site for the examples and an external one; paths without a page have the status 404. */
final class ExampleSite implements AutoCloseable {

    @SuppressWarnings("ArrayRecordComponent") // Resources are never compared.
    private record Resource(String mediaType, byte[] body) {}

    private final Map<String, Resource> resources = new ConcurrentHashMap<>();
    private final Map<String, Resource> externalResources = new ConcurrentHashMap<>();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final HttpServer server;
    private final HttpServer externalServer;

    ExampleSite() throws IOException {
        server = serve(resources);
        externalServer = serve(externalResources);
    }

    private HttpServer serve(Map<String, Resource> from) throws IOException {
        var http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        http.createContext(
                "/",
                exchange -> {
                    var path = exchange.getRequestURI().toString();
                    requests.add(path);
                    respond(exchange, from.get(path));
                });
        http.start();
        return http;
    }

    private static void respond(HttpExchange exchange, Resource resource) throws IOException {
        try (exchange) {
            if (resource == null) {
                exchange.sendResponseHeaders(404, -1);
            } else {
                exchange.getResponseHeaders().add("Content-Type", resource.mediaType);
                exchange.sendResponseHeaders(200, resource.body.length);
                exchange.getResponseBody().write(resource.body);
            }
        }
    }

    void page(String path, String html) {
        file(path, "text/html", html);
    }

    void file(String path, String mediaType, String text) {
        resources.put(path, new Resource(mediaType, text.getBytes(StandardCharsets.UTF_8)));
    }

    void externalPage(String path, String html) {
        externalResources.put(
                path, new Resource("text/html", html.getBytes(StandardCharsets.UTF_8)));
    }

    String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    String externalUrl(String path) {
        return "http://127.0.0.1:" + externalServer.getAddress().getPort() + path;
    }

    /** Returns the request targets so far, of both sites. */
    Queue<String> requested() {
        return requests;
    }

    /** Returns the number of requests below a path. */
    long count(String prefix) {
        return requests.stream().filter(path -> path.startsWith(prefix)).count();
    }

    @Override
    public void close() {
        server.stop(0);
        externalServer.stop(0);
    }
}
