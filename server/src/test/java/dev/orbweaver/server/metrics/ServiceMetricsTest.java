package dev.orbweaver.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.server.ApiClient;
import dev.orbweaver.server.CrawlServer;
import dev.orbweaver.server.ServedSite;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The metrics of a service that crawls. */
@Slow
class ServiceMetricsTest {

    @TempDir Path data;
    @TempDir Path scratch;

    private static Exposition scrape(ApiClient apiClient) throws Exception {
        return new Exposition(apiClient.call("GET", "/metrics").body());
    }

    private static int crawl(ApiClient apiClient, ServedSite site) throws Exception {
        var job = apiClient.submit(site.url("/"), "{}");
        var _ = apiClient.awaitEnd(job);
        return job;
    }

    @Test
    void countersNeverDecreaseAlsoWhenAJobIsDeleted() throws Exception {
        try (var site = ServedSite.documentation(5)) {
            try (var crawlServer = ApiClient.serve(data);
                    var apiClient = new ApiClient(crawlServer.port())) {
                var job = crawl(apiClient, site);
                var before = scrape(apiClient);
                assertThat(before.value("orbweaver_pages_total")).isEqualTo(6);
                assertThat(apiClient.call("DELETE", "/api/v1/jobs/" + job).statusCode())
                        .isEqualTo(204);
                Eventually.until(
                        "the job is gone",
                        () -> apiClient.call("GET", "/api/v1/jobs/" + job).statusCode() == 404);
                var _ = crawl(apiClient, site);
                var after = scrape(apiClient);
                assertThat(after.value("orbweaver_pages_total")).isEqualTo(12);
                before.counters()
                        .forEach(
                                (name, value) ->
                                        assertThat(after.value(name))
                                                .as(name)
                                                .isGreaterThanOrEqualTo(value));
            }
            try (var crawlServer = ApiClient.serve(data);
                    var apiClient = new ApiClient(crawlServer.port())) {
                var pages = scrape(apiClient).value("orbweaver_pages_total");
                assertThat(pages).as("counters of a new process").isZero();
            }
        }
    }

    @Test
    void aServiceCountsResponsesCallsWebhooksAndItsBuild() throws Exception {
        try (var site = ServedSite.documentation(5);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var response =
                    apiClient.call(
                            "POST",
                            "/api/v1/jobs",
                            "{\"seeds\":[\"%s\"],\"webhook\":{\"url\":\"%s\",\"secret\":\"12345678\"}}"
                                    .formatted(site.url("/"), site.url("/no-such-hook")));
            assertThat(response.statusCode()).isEqualTo(202);
            var _ = apiClient.awaitEnd(1);
            Eventually.until(
                    "a delivery that failed",
                    () -> scrape(apiClient).value("orbweaver_webhook_attempts_failed_total") > 0);
            var metrics = scrape(apiClient);
            assertThat(metrics.value("orbweaver_responses_total{status=\"2xx\"}")).isEqualTo(6);
            assertThat(metrics.value("orbweaver_responses_total{status=\"4xx\"}"))
                    .isBetween(3.0, 5.0);
            assertThat(metrics.value("orbweaver_index_lag_lines")).isZero();
            assertThat(metrics.of("orbweaver_build_info"))
                    .hasSize(1)
                    .allSatisfy(
                            (labels, value) -> {
                                assertThat(labels).contains("version=", "java=");
                                assertThat(value).isEqualTo(1);
                            });
            assertThat(
                            metrics.value(
                                    "orbweaver_api_duration_seconds_count"
                                        + "{method=\"POST\",route=\"/api/v1/jobs\",status=\"2xx\"}"))
                    .isEqualTo(1);
            var unknown = apiClient.call("GET", "/api/v1/jobs/4711");
            assertThat(unknown.statusCode()).isEqualTo(404);
            assertThat(
                            scrape(apiClient)
                                    .value(
                                            "orbweaver_api_duration_seconds_count"
                                                + "{method=\"GET\",route=\"/api/v1/jobs/{id}\",status=\"4xx\"}"))
                    .isEqualTo(1);
        }
    }

    @Test
    void promtoolAcceptsTheMetrics() throws Exception {
        try (var site = ServedSite.documentation(2);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var _ = crawl(apiClient, site);
            assertThat(scrape(apiClient).promtool(scratch)).isEmpty();
        }
    }

    @Test
    void aRefusedCallCountsForItsRoute() throws Exception {
        var token = "the-token-of-ann";
        var tokens = Files.writeString(scratch.resolve("tokens"), "ann " + token + "\n");
        var http =
                new CrawlServer.HttpSettings(
                        "127.0.0.1", 0, Optional.of(tokens), 50, 10, 10, 15_000);
        try (var crawlServer = CrawlServer.start(ApiClient.settings(data), http);
                var stranger = new ApiClient(crawlServer.port());
                var apiClient = new ApiClient(crawlServer.port(), Optional.of(token))) {
            assertThat(stranger.call("GET", "/api/v1/jobs/7").statusCode()).isEqualTo(401);
            assertThat(
                            scrape(apiClient)
                                    .value(
                                            "orbweaver_api_duration_seconds_count"
                                                + "{method=\"GET\",route=\"/api/v1/jobs/{id}\",status=\"4xx\"}"))
                    .isEqualTo(1);
        }
    }
}
