package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The report of a job, over a site whose content is known. */
class JobReportTest {

    @TempDir Path data;

    private ServedSite site;
    private CrawlServer crawlServer;
    private ApiClient apiClient;

    @BeforeEach
    void openEverything() throws Exception {
        site = ServedSite.start();
        html("/", "en-GB", "/a /b /c /old /gone /lost");
        html("/a", "en", "/b /gone");
        html("/b", "de", "/a /gone");
        html("/c", "", "/b");
        site.put("/d", 200, "text/plain", "the same text", Map.of());
        site.put("/e", 200, "text/plain", "the same text", Map.of());
        site.put("/big", 200, "text/plain", "x".repeat(70_000), Map.of());
        html("/f", "de-AT", "/d /e /big /b");
        site.put("/old", 301, "text/html", "", Map.of("Location", "/f"));
        crawlServer = ApiClient.serve(data);
        apiClient = new ApiClient(crawlServer.port());
    }

    private void html(String path, String language, String links) {
        var body = new StringBuilder();
        for (var link : links.split(" ", -1)) {
            body.append("<a href=").append(link).append(">to ").append(link).append("</a> ");
        }
        var start = language.isEmpty() ? "<html>" : "<html lang=" + language + ">";
        site.put(
                path,
                200,
                "text/html; charset=utf-8",
                "<!doctype html>%s<title>Page %s</title><p>%s".formatted(start, path, body),
                Map.of());
    }

    @AfterEach
    void closeEverything() throws Exception {
        apiClient.close();
        crawlServer.close();
        site.close();
    }

    private int crawled() throws Exception {
        var job = apiClient.submit(site.url("/"), "{\"max-retries\":\"0\"}");
        var _ = apiClient.awaitEnd(job);
        return job;
    }

    private JsonNode report(int job) throws Exception {
        return Eventually.<JsonNode, Exception>value(
                Duration.ofMinutes(1),
                "the report",
                () -> apiClient.get("/api/v1/jobs/" + job + "/report"),
                found -> found.has("totals"));
    }

    private static List<String> counts(JsonNode counts) {
        return counts.valueStream()
                .map(one -> one.path("name").asString() + " " + one.path("count").asLong())
                .toList();
    }

    private List<String> paths(JsonNode pages) {
        return pages.valueStream()
                .map(page -> page.path("url").asString().substring(site.url("").length()))
                .toList();
    }

    @Test
    void theReportCountsWhatTheJobFound() throws Exception {
        var report = report(crawled());
        var totals = report.path("totals");
        assertThat(totals.path("pages").asLong()).isEqualTo(8);
        assertThat(totals.path("redirects").asLong()).isEqualTo(1);
        assertThat(totals.path("errors").asLong()).isEqualTo(2);
        assertThat(totals.path("responses").asLong()).isEqualTo(11);
        assertThat(totals.path("bytes").asLong()).isGreaterThan(70_000);
        assertThat(totals.path("durationMs").asLong()).isPositive();
        assertThat(totals.path("pagesPerSecond").asDouble()).isPositive();
        assertThat(counts(report.path("statuses"))).containsExactly("200 8", "301 1", "404 2");
        assertThat(counts(report.path("types"))).containsExactly("text/html 5", "text/plain 3");
        assertThat(counts(report.path("depths"))).containsExactly("0 1", "1 4", "2 3");
        assertThat(counts(report.path("languages"))).containsExactly("de 2", "en 2");
        assertThat(counts(report.path("sizes"))).contains("under 1 KB 7", "64 to 256 KB 1");
        var hosts = report.path("hosts");
        assertThat(hosts.path("total").asLong()).isEqualTo(1);
        assertThat(hosts.at("/items/0/responses").asLong()).isEqualTo(11);
        assertThat(hosts.at("/items/0/errors").asLong()).isEqualTo(2);
        assertThat(
                        report.at("/timeline/intervals")
                                .valueStream()
                                .mapToLong(each -> each.path("clientErrors").asLong())
                                .sum())
                .isEqualTo(2);
        assertThat(report.at("/responseTimes/max").asLong())
                .isGreaterThanOrEqualTo(report.at("/responseTimes/p50").asLong());
    }

    @Test
    void theReportNamesThePagesThatStandOut() throws Exception {
        var report = report(crawled());
        assertThat(paths(report.path("largest")).getFirst()).isEqualTo("/big");
        assertThat(paths(report.path("slowest"))).hasSize(8);
        assertThat(report.at("/mostLinked/0/inlinks").asLong()).isEqualTo(4);
        assertThat(report.at("/mostLinked/0/page/url").asString()).isEqualTo(site.url("/b"));
        var broken = report.path("broken");
        assertThat(broken.path("total").asLong()).isEqualTo(2);
        assertThat(broken.at("/items/0/page/url").asString()).isEqualTo(site.url("/gone"));
        assertThat(broken.at("/items/0/inlinks").asLong()).isEqualTo(3);
        assertThat(paths(broken.at("/items/0/sources"))).containsOnly("/", "/a", "/b");
        assertThat(broken.at("/items/1/page/url").asString()).isEqualTo(site.url("/lost"));
        assertThat(paths(broken.at("/items/1/sources"))).containsExactly("/");
        assertThat(paths(report.at("/redirects/items"))).containsExactly("/old");
        assertThat(report.at("/redirects/items/0/location").asString()).isEqualTo("/f");
        var duplicates = report.path("duplicates");
        assertThat(duplicates.path("groups").asLong()).isEqualTo(1);
        assertThat(duplicates.path("surplus").asLong()).isEqualTo(1);
        assertThat(paths(duplicates.at("/items/0/pages"))).containsOnly("/d", "/e");
    }

    @Test
    void aReportIsStoredUntilTheJobChanges() throws Exception {
        var job = crawled();
        var first = report(job);
        assertThat(report(job).path("computed")).isEqualTo(first.path("computed"));
        var file =
                crawlServer
                        .jobs()
                        .directory(new JobId(job))
                        .resolve("search")
                        .resolve("report.json");
        Files.writeString(file, Files.readString(file).substring(0, 100));
        var again = report(job);
        assertThat(again.path("computed")).isNotEqualTo(first.path("computed"));
        assertThat(again.path("totals")).isEqualTo(first.path("totals"));
        site.html("/new", "New", "<p>new");
        assertThat(
                        apiClient
                                .call(
                                        "POST",
                                        "/api/v1/jobs/" + job + "/seeds",
                                        "{\"seeds\":[\"" + site.url("/new") + "\"]}")
                                .statusCode())
                .isBetween(200, 299);
        assertThat(apiClient.call("POST", "/api/v1/jobs/" + job + "/resume").statusCode())
                .isBetween(200, 409);
        var _ =
                apiClient.await(
                        job,
                        now ->
                                now.path("counts").path("pages").asLong() == 9
                                        && now.path("ended").isString());
        assertThat(report(job).at("/totals/pages").asLong()).isEqualTo(9);
    }

    @Test
    void aRunningJobHasNoReportYet() throws Exception {
        site.respondAfter(200);
        var job = apiClient.submit(site.url("/"), "{\"delay\":\"5s\"}");
        var response = apiClient.call("GET", "/api/v1/jobs/" + job + "/report");
        assertThat(response.statusCode()).isEqualTo(409);
        assertThat(JsonMapper.shared().readTree(response.body()).path("detail").asString())
                .contains("its report is available when it is paused or has ended");
        assertThat(apiClient.call("POST", "/api/v1/jobs/" + job + "/stop").statusCode())
                .isEqualTo(200);
        var _ = apiClient.await(job, now -> now.path("state").asString().equals("stopped"));
        assertThat(report(job).has("totals")).isTrue();
    }
}
