package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.engine.CrawlOpener;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What pages need to be shown is taken from wherever it lies, and nothing else is. One server is
 * two hosts: 127.0.0.1, which the crawl is of, and localhost, which is elsewhere.
 */
class RequisitesTest {

    private static final Map<String, String> FILES =
            Map.ofEntries(
                    Map.entry(
                            "127.0.0.1/",
                            """
                            <link rel=stylesheet href=ELSEWHERE/main.css>
                            <style>a { background: url(ELSEWHERE/inline.png) }</style>
                            <img src=ELSEWHERE/photo.png srcset="ELSEWHERE/photo2.png 2x">
                            <script src=ELSEWHERE/script.js></script>
                            <video src=ELSEWHERE/film.mp4 poster=/poster.png></video>
                            <picture><source srcset=ELSEWHERE/wide.webp></picture>
                            <object data=ELSEWHERE/embedded.html></object>
                            <img src=ELSEWHERE/forbidden/secret.png>
                            <a href=ELSEWHERE/page.html>elsewhere</a> <a href=/docs/>docs</a>
                            """),
                    Map.entry("127.0.0.1/docs/", "<img src=/moved.png>"),
                    Map.entry("127.0.0.1/poster.png", "image"),
                    Map.entry("localhost/main.css", "@import 'more.css'; b { c: url(bg.png) }"),
                    Map.entry("localhost/more.css", "@font-face { src: url(font.woff2) }"),
                    Map.entry(
                            "localhost/embedded.html",
                            "<img src=/never.png><a href=/never.html>x</a>"),
                    Map.entry("localhost/robots.txt", "User-agent: *\nDisallow: /forbidden/\n"));

    private static final List<String> IMAGES =
            List.of(
                    "inline.png",
                    "photo.png",
                    "photo2.png",
                    "script.js",
                    "film.mp4",
                    "wide.webp",
                    "bg.png",
                    "font.woff2",
                    "final.png");

    @TempDir Path directory;
    private final List<String> requestedPaths = new CopyOnWriteArrayList<>();
    private HttpServer server;

    @BeforeEach
    void serve() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.createContext(
                "/",
                exchange -> {
                    var host = exchange.getRequestHeaders().getFirst("Host");
                    var path = exchange.getRequestURI().getPath();
                    var name = host.substring(0, host.indexOf(':')) + path;
                    requestedPaths.add(name);
                    if (name.equals("127.0.0.1/moved.png")) {
                        exchange.getResponseHeaders().add("Location", otherHost() + "/final.png");
                        exchange.sendResponseHeaders(301, -1);
                        exchange.close();
                        return;
                    }
                    var isMedia = IMAGES.contains(path.substring(1));
                    var text = isMedia ? "media" : FILES.get(name);
                    exchange.getResponseHeaders().add("Content-Type", type(path));
                    var body =
                            (text == null ? "" : text)
                                    .replace("ELSEWHERE", otherHost())
                                    .getBytes(UTF_8);
                    exchange.sendResponseHeaders(
                            text == null ? 404 : 200, body.length == 0 ? -1 : body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.start();
    }

    private static String type(String path) {
        if (path.endsWith("/") || path.endsWith(".html")) {
            return "text/html";
        }
        if (path.endsWith(".css")) {
            return "text/css";
        }
        return path.endsWith(".mp4") ? "video/mp4" : "application/octet-stream";
    }

    private String otherHost() {
        return "http://localhost:" + server.getAddress().getPort();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private SortedSet<String> crawled(String key, String value) throws Exception {
        var seed = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        var config =
                CrawlConfig.of(seed)
                        .withSetting("delay", "0")
                        .withSetting("allow-private", "true")
                        .withSetting("contact", "me@a.test")
                        .withSetting("resolve", "localhost=127.0.0.1")
                        .withSetting(key, value);
        try (var crawl = CrawlOpener.open(config, directory)) {
            var _ = crawl.run();
        }
        var urls = new TreeSet<String>();
        requestedPaths.stream().filter(name -> !name.endsWith("/robots.txt")).forEach(urls::add);
        return urls;
    }

    @Test
    void embeddedResourcesAreTakenFromAnyHostAndNothingElseIs() throws Exception {
        assertThat(crawled("page-requisites", "true"))
                .containsExactly(
                        "127.0.0.1/",
                        "127.0.0.1/docs/",
                        "127.0.0.1/moved.png",
                        "127.0.0.1/poster.png",
                        "localhost/bg.png",
                        "localhost/embedded.html",
                        "localhost/film.mp4",
                        "localhost/final.png",
                        "localhost/font.woff2",
                        "localhost/inline.png",
                        "localhost/main.css",
                        "localhost/more.css",
                        "localhost/photo.png",
                        "localhost/photo2.png",
                        "localhost/script.js",
                        "localhost/wide.webp");
        assertThat(requestedPaths).contains("localhost/robots.txt");
        assertThat(requestedPaths).doesNotHaveDuplicates();
    }

    @Test
    void withoutRequisitesOnlyPagesAre() throws Exception {
        assertThat(crawled("page-requisites", "false"))
                .containsExactly("127.0.0.1/", "127.0.0.1/docs/");
    }
}
