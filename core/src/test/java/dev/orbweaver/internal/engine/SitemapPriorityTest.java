package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.model.CrawlEnd;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

class SitemapPriorityTest {

    @TempDir Path directory;

    @Test
    void priorityAndLastmodOfASitemapDecideTheOrderOfItsPages() throws Exception {
        var requests = Collections.synchronizedList(new ArrayList<String>());
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var site = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        var yesterday = Instant.now().minus(1, ChronoUnit.DAYS).toString();
        var bodies =
                Map.of(
                        "/robots.txt",
                        "Sitemap: " + site + "sitemap.xml\n",
                        "/sitemap.xml",
                        "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"
                                + entry(site + "low", "<priority>0.1</priority>")
                                + entry(site + "plain", "")
                                + entry(site + "high", "<priority>0.9</priority>")
                                + entry(site + "fresh", "<lastmod>" + yesterday + "</lastmod>")
                                + "</urlset>");
        server.createContext(
                "/",
                exchange -> {
                    try (exchange) {
                        var path = exchange.getRequestURI().getPath();
                        requests.add(path);
                        var body = bodies.getOrDefault(path, "<p>page").getBytes(UTF_8);
                        exchange.getResponseHeaders()
                                .add(
                                        "Content-Type",
                                        path.endsWith(".xml") ? "text/xml" : "text/html");
                        exchange.sendResponseHeaders(200, body.length);
                        exchange.getResponseBody().write(body);
                    }
                });
        server.start();
        var config =
                CrawlConfig.read(
                        new SettingValues()
                                .put(Settings.SEEDS, List.of(site))
                                .put("delay", "50ms"));
        try (var crawl = CrawlOpener.open(config, directory)) {
            assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
        } finally {
            server.stop(0);
        }
        requests.removeAll(List.of("/", "/robots.txt", "/sitemap.xml"));
        assertThat(requests).containsExactly("/high", "/fresh", "/plain", "/low");
    }

    private static String entry(String url, String fields) {
        return "<url><loc>" + url + "</loc>" + fields + "</url>";
    }
}
