package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** The differences between two jobs. */
class JobDiffTest {

    @TempDir Path data;

    @Test
    void twoJobsAreCompared() throws Exception {
        try (var site = ServedSite.start();
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var links = "<a href=/same>s</a> <a href=/other>o</a> <a href=/old>d</a>";
            site.html("/", "Home", "<p>Welcome to the site." + links);
            site.html("/same", "Same", "<p>This text does not change.");
            site.html("/other", "Other", "<p>The price is 10.");
            site.html("/old", "Old", "<p>This page goes away.");
            var before = crawled(apiClient, site.url("/"));
            site.html("/other", "Other", "<p>The price is 20.");
            site.put("/old", 404, "text/plain", "", Map.of());
            site.html("/", "Home", "<p>Welcome to the site." + links + " <a href=/new>n</a>");
            site.html("/new", "New", "<p>This page is new.");
            var after = crawled(apiClient, site.url("/"));
            var found = diff(apiClient, after, before);
            var counts = found.path("counts");
            assertThat(counts.path("added").asLong()).isEqualTo(1);
            assertThat(counts.path("gone").asLong()).isEqualTo(1);
            assertThat(counts.path("same").asLong()).isGreaterThanOrEqualTo(1);
            assertThat(item(found, "new").path("url").asString()).isEqualTo(site.url("/new"));
            assertThat(item(found, "gone").path("url").asString()).isEqualTo(site.url("/old"));
            assertThat(found.path("items").valueStream())
                    .anyMatch(
                            change ->
                                    change.path("url").asString().equals(site.url("/other"))
                                            && change.path("added")
                                                    .toString()
                                                    .contains("The price is 20."));
            assertThat(diff(apiClient, after, before).path("computed"))
                    .isEqualTo(found.path("computed"));
            assertThat(diff(apiClient, before, after).at("/counts/gone").asLong()).isEqualTo(1);
            assertRefused(apiClient, "/api/v1/jobs/1/diff", "with must be the id");
            assertRefused(apiClient, "/api/v1/jobs/1/diff?with=1", "another job");
            assertRefused(apiClient, "/api/v1/jobs/1/diff?with=77", "Job 77 not found");
        }
    }

    private static int crawled(ApiClient apiClient, String seed) throws Exception {
        var job = apiClient.submit(seed, "{\"max-retries\":\"0\"}");
        var _ = apiClient.awaitEnd(job);
        return job;
    }

    private static JsonNode diff(ApiClient apiClient, int after, int before) throws Exception {
        return Eventually.<JsonNode, Exception>value(
                Duration.ofMinutes(1),
                "the differences",
                () -> apiClient.get("/api/v1/jobs/%d/diff?with=%d".formatted(after, before)),
                found -> found.has("counts"));
    }

    private static JsonNode item(JsonNode found, String kind) {
        return found.path("items")
                .valueStream()
                .filter(change -> change.path("kind").asString().equals(kind))
                .findFirst()
                .orElseThrow();
    }

    private static void assertRefused(ApiClient apiClient, String path, String detail)
            throws Exception {
        var response = apiClient.call("GET", path);
        assertThat(response.statusCode()).isEqualTo(400);
        var problem = JsonMapper.shared().readTree(response.body());
        assertThat(problem.path("field").asString()).isEqualTo("with");
        assertThat(problem.path("detail").asString()).contains(detail);
    }
}
