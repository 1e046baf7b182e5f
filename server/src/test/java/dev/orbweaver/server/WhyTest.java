package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.explain.ExplanationJson;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Predicate;

/** Explanations by the search index say what reading the whole crawl says. */
class WhyTest {

    private static final String LINKED_ONCE = "http://elsewhere.test/once";
    private static final String UNKNOWN = "http://elsewhere.test/unknown";

    @TempDir Path data;

    private static void add(ServedSite site, String path, String type, String body) {
        site.put(path, 200, type, body, Map.of());
    }

    private static ServedSite site() throws IOException {
        var site = ServedSite.documentation(20);
        add(
                site,
                "/robots.txt",
                "text/plain",
                "User-agent: *\nDisallow: /secret/\nSitemap: " + site.url("/sitemap.xml"));
        site.html(
                "/",
                "Home",
                "<a href=/guide/1.html>1</a> <a href=/guide/7.html>7</a>"
                        + " <a href=/secret/plan>plan</a> <a href=/moved>moved</a>"
                        + " <a href=/feed>feed</a> <a href=/unstable>unstable</a>"
                        + " <a href=/%67uide/5.html>5</a>");
        site.put("/moved", 301, "text/plain", "", Map.of("Location", "http://elsewhere.test/to"));
        site.put("/unstable", 503, "text/plain", "busy", Map.of());
        site.html("/guide/7.html", "Seven", "<a href='%s'>once</a>".formatted(LINKED_ONCE));
        add(
                site,
                "/feed",
                "application/rss+xml",
                "<rss version='2.0'><channel><item><link>http://elsewhere.test/item</link></item>"
                        + "</channel></rss>");
        add(
                site,
                "/sitemap.xml",
                "application/xml",
                "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>"
                        + "http://127.0.0.1:1/listed</loc></url></urlset>");
        return site;
    }

    private JsonNode scan(int job, String url) throws Exception {
        var directory = data.resolve("jobs/" + job);
        var explanation = StoredCrawl.open(directory, Settings.CORE).explain(url).orElseThrow();
        return JsonMapper.shared()
                .readTree(
                        JsonMapper.shared()
                                .writeValueAsString(ExplanationJson.of(url, explanation)));
    }

    private static JsonNode ask(ApiClient apiClient, int job, String url) throws Exception {
        return apiClient.get("/api/v1/jobs/" + job + "/why?url=" + URLEncoder.encode(url, UTF_8));
    }

    /** Overwrites lines of the page log, so that reading one of them fails. */
    private static void destroyLines(Path log, Predicate<String> which) throws IOException {
        var text = new StringBuilder();
        for (var line : Files.readAllLines(log)) {
            text.append(which.test(line) ? "x".repeat(line.getBytes(UTF_8).length) : line);
            text.append('\n');
        }
        Files.writeString(log, text);
    }

    @Test
    void onlyTheLinesAboutAUrlAreRead() throws Exception {
        try (var site = site();
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var job =
                    apiClient.submit(
                            site.url("/"),
                            "{\"max-retries\":\"1\",\"retry-delay\":\"10ms\","
                                    + "\"error-backoff\":\"10ms\"}");
            var _ = apiClient.awaitEnd(job);
            var _ = apiClient.await(job, now -> now.path("search").path("lag").asInt(-1) == 0);
            for (var url :
                    new String[] {
                        site.url("/"),
                        site.url("/guide/5.html"),
                        site.url("/%67uide/5.html"),
                        site.url("/secret/plan"),
                        site.url("/unstable"),
                        site.url("/guide/7.html"),
                        site.url("/robots.txt"),
                        "http://elsewhere.test/to",
                        "http://elsewhere.test/item",
                        "http://127.0.0.1:1/listed",
                        LINKED_ONCE,
                        UNKNOWN
                    }) {
                var expected = (ObjectNode) scan(job, url);
                assertThat(ask(apiClient, job, url)).as(url).isEqualTo(expected);
            }
            assertThat(ask(apiClient, job, site.url("/unstable")).path("attempts").size())
                    .isEqualTo(2);
            assertThat(ask(apiClient, job, "http://elsewhere.test/to").path("state").asString())
                    .isEqualTo("refused");

            var log = data.resolve("jobs/" + job).resolve(DirectoryLayout.PAGE_LOG);
            destroyLines(log, line -> !line.contains("/guide/7.html"));
            assertThatThrownBy(() -> scan(job, UNKNOWN)).hasMessageContaining("page log");
            var linked = ask(apiClient, job, LINKED_ONCE);
            assertThat(linked.path("parent").path("url").asString())
                    .as("%s", linked)
                    .isEqualTo(site.url("/guide/7.html"));
            destroyLines(log, _ -> true);
            assertThat(ask(apiClient, job, UNKNOWN).path("state").asString())
                    .isEqualTo("never found");
        }
    }
}
