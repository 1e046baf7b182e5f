package dev.orbweaver.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A site on loopback whose pages a test changes. It supports conditional requests by ETag, except
 * for pages below {@code /plain/}, and every response of such a page has another number in its
 * footer, and another nonce.
 */
final class ChangingSite implements AutoCloseable {

    private final HttpServer server;
    private final Map<String, String> pages = new ConcurrentHashMap<>();
    private final Map<String, String> files = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> requests = new ConcurrentLinkedQueue<>();
    private volatile String broken = "";
    private final AtomicInteger responses = new AtomicInteger();

    ChangingSite() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::respond);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    /** Sets the main text of a page; an empty text removes it. */
    void page(String path, String text) {
        if (text.isEmpty()) {
            pages.remove(path);
        } else {
            pages.put(path, text);
        }
    }

    /** Sets the path of a page whose connections are closed without a response; empty for none. */
    void breakPage(String path) {
        broken = path;
    }

    /** Sets a file without validators, such as robots.txt or a sitemap. */
    void file(String path, String text) {
        files.put(path, text);
    }

    /** Returns path, status and number of body bytes of each request since the last call. */
    List<String> takeRequests() {
        var taken = List.copyOf(requests);
        requests.clear();
        return taken;
    }

    private void respond(HttpExchange exchange) throws IOException {
        try (exchange) {
            var path = exchange.getRequestURI().getPath();
            if (path.equals(broken)) {
                requests.add(path + " closed");
                return;
            }
            var file = files.get(path);
            if (file != null) {
                exchange.getResponseHeaders().set("Content-Type", "application/xml");
                send(exchange, path, 200, file.getBytes(UTF_8));
                return;
            }
            var text = pages.get(path);
            if (text == null) {
                send(exchange, path, 404, new byte[0]);
                return;
            }
            var plain = path.startsWith("/plain/");
            var version =
                    path.equals("/")
                            ? text.hashCode() ^ pages.keySet().hashCode()
                            : text.hashCode();
            var tag = "\"" + Integer.toHexString(version) + "\"";
            var headers = exchange.getResponseHeaders();
            headers.set("Content-Type", "text/html; charset=utf-8");
            if (!plain) {
                headers.set("ETag", tag);
                if (tag.equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
                    send(exchange, path, 304, new byte[0]);
                    return;
                }
            }
            var footer =
                    plain ? "<footer>response " + responses.incrementAndGet() + "</footer>" : "";
            var links = new StringBuilder("<nav>");
            pages.keySet().stream()
                    .sorted()
                    .forEach(each -> links.append("<a href='" + each + "'>" + each + "</a> "));
            var script = plain ? "<script nonce='" + responses + "'>let a;</script>" : "";
            var body =
                    path.equals("/")
                            ? "<title>index</title>" + links + "</nav><main><p>" + text
                            : "<title>" + path + "</title>" + script + "<main><p>" + text;
            send(
                    exchange,
                    path,
                    200,
                    ("<!doctype html>" + body + "</main>" + footer).getBytes(UTF_8));
        }
    }

    private void send(HttpExchange exchange, String path, int status, byte[] body)
            throws IOException {
        requests.add("%s %d %d".formatted(path, status, body.length));
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
