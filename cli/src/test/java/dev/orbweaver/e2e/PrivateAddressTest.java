package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.Refusal;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A page cannot lead the crawler to a private address, whichever way it tries: not one connection
 * is made there. The crawl itself is of a private address, granted because its seed names it; that
 * grant is for this origin alone.
 */
class PrivateAddressTest {

    @TempDir Path directory;

    private final AtomicInteger connections = new AtomicInteger();
    private HttpServer site;
    private ServerSocket inside;
    private ServerSocket inside6;

    /** Another port of the site's own address. */
    private ServerSocket beside;

    @BeforeEach
    void serve() throws IOException {
        inside = listen("127.0.0.1");
        inside6 = listen("::1");
        beside = listen("127.0.0.5");
        site = HttpServer.create(new InetSocketAddress("127.0.0.5", 0), 16);
        var target = "http://127.0.0.1:" + inside.getLocalPort();
        page(
                "/",
                "Link",
                "<" + target + "/link>; rel=next",
                html(target, "http://127.0.0.5:" + beside.getLocalPort() + "/"));
        page(
                "/base",
                "X-None",
                "",
                "<base href=\"%s/\"><a href=\"relative\">r</a>".formatted(target));
        redirect("/to-loopback", target + "/");
        redirect("/to-file", "file:///etc/passwd");
        redirect("/to-name", "http://inside.example:" + inside6.getLocalPort() + "/");
        redirect("/to-number", "http://2130706433:" + inside.getLocalPort() + "/");
        site.start();
    }

    private static String html(String target, String beside) {
        return """
        <meta http-equiv=refresh content="0;url=%1$s/refresh"><title>t</title>
        <img srcset="%1$s/image 1x"><iframe src="%1$s/frame"></iframe>
        <a href="%1$s/link">l</a><a href="/base">b</a><a href="/to-loopback">1</a>
        <a href="/to-file">2</a><a href="/to-name">3</a><a href="/to-number">4</a>
        <a href="http://inside.example/">5</a><a href="%2$s">6</a>
        """
                .formatted(target, beside);
    }

    private ServerSocket listen(String address) throws IOException {
        var socket = new ServerSocket(0, 16, InetAddress.ofLiteral(address));
        Thread.ofVirtual().start(() -> count(socket));
        return socket;
    }

    private void count(ServerSocket socket) {
        try {
            while (true) {
                socket.accept().close();
                connections.incrementAndGet();
            }
        } catch (IOException closed) {
            assertThat(socket.isClosed()).isTrue();
        }
    }

    private void page(String path, String field, String value, String html) {
        site.createContext(
                path,
                exchange -> {
                    var found = exchange.getRequestURI().getPath().equals(path);
                    exchange.getResponseHeaders().add("Content-Type", "text/html");
                    exchange.getResponseHeaders().add(field, value);
                    var body = (found ? html : "").getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(found ? 200 : 404, found ? body.length : -1);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
    }

    private void redirect(String path, String location) {
        site.createContext(
                path,
                exchange -> {
                    exchange.getResponseHeaders().add("Location", location);
                    exchange.sendResponseHeaders(302, -1);
                    exchange.close();
                });
    }

    @AfterEach
    void stop() throws IOException {
        site.stop(0);
        inside.close();
        inside6.close();
        beside.close();
    }

    private CrawlConfig config(String... more) throws Exception {
        var seed = "http://127.0.0.5:" + site.getAddress().getPort() + "/";
        return CrawlConfig.read(
                new SettingValues()
                        .put(Settings.SEEDS, List.of(seed))
                        .put("scope", "any")
                        .put("resolve", List.of("inside.example=::1"))
                        .put("contact", "test@example.org")
                        .put("delay", "0")
                        .put("min-free-disk", "0")
                        .putPairs(List.of(more)));
    }

    @Test
    void noWayLeadsFromAPageToAPrivateAddress() throws Exception {
        try (var crawl = CrawlOpener.open(config(), directory)) {
            assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
        }
        assertThat(connections).hasValue(0);
        var stats = new StoredCrawl(directory, config()).stats();
        assertThat(stats.refusedByReason().get(Refusal.ADDRESS)).isGreaterThanOrEqualTo(8);
        assertThat(ArchiveReader.open(directory).pages()).hasSize(2);
    }

    @Test
    void whoeverRunsTheCrawlerMayAllowIt() throws Exception {
        try (var crawl =
                CrawlOpener.open(
                        config("allow-private=true", "max-retries=0", "max-idle-wait=1s"),
                        directory)) {
            assertThat(crawl.run().reason()).isNotEqualTo(CrawlEnd.Reason.BROKEN);
        }
        assertThat(connections).as("so the addresses above can be reached").hasPositiveValue();
    }
}
