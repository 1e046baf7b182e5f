package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.frontier.ForeignSetting;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;

/** A stricter setting of another job is shown wherever it delays a job, and only while it does. */
@Slow
class ForeignSettingsTest {

    @TempDir Path data;

    private static List<String> texts(JsonNode foreign) {
        return StreamSupport.stream(foreign.spliterator(), false)
                .map(
                        each ->
                                "%s %s of %s"
                                        .formatted(
                                                each.path("setting").asString(),
                                                each.path("value").asString(),
                                                each.path("job")))
                .toList();
    }

    @Test
    void theSettingsOfAnotherJobAreShownWhileTheyAreInForce() throws Exception {
        try (var site = ServedSite.documentation(30);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var strict =
                    apiClient.submit(site.url("/"), "{\"delay\":\"1s\",\"delay-ip\":\"300ms\"}");
            var job = apiClient.submit(site.url("/"), "{\"delay\":\"500ms\",\"delay-ip\":\"1ms\"}");
            var path = "/api/v1/jobs/" + job;
            var last = site.url("/guide/29.html");
            Eventually.until(
                    "both have queued URLs",
                    () ->
                            apiClient.get(path).path("counts").path("queued").asInt() > 20
                                    && apiClient
                                                    .get("/api/v1/jobs/" + strict)
                                                    .path("counts")
                                                    .path("queued")
                                                    .asInt()
                                            > 20);
            var delay = "delay 1s of " + strict;
            var ip = "delay-ip 300ms of " + strict;
            Eventually.until(
                    "the delay of the address is shown",
                    () -> texts(apiClient.get(path).path("foreignSettings")).equals(List.of(ip)));
            var host = apiClient.get(path + "/hosts").path("items").get(0);
            assertThat(texts(host.path("foreignSettings"))).containsExactly(delay);
            var why = apiClient.get(path + "/why?url=" + last);
            assertThat(texts(why.path("foreignSettings"))).containsExactly(delay, ip);
            assertThat(why.path("queue").path("delayMs").asInt()).isEqualTo(1000);
            assertThat(why.path("path").toString())
                    .contains(
                            "delay 1s of job "
                                    + strict
                                    + " is in force here, because it is stricter");
            // The command reads the files of the service.
            var directory = crawlServer.jobs().directory(new JobId(job));
            assertThat(
                            StoredCrawl.open(directory, Settings.CORE)
                                    .explain(last)
                                    .orElseThrow()
                                    .foreignSettings())
                    .containsExactly(
                            new ForeignSetting(new JobId(strict), "delay", "1s"),
                            new ForeignSetting(new JobId(strict), "delay-ip", "300ms"));
            var _ = apiClient.call("POST", "/api/v1/jobs/" + strict + "/stop");
            Eventually.until(
                    "the settings of the ended job are not in force",
                    () ->
                            apiClient.get(path).path("foreignSettings").isEmpty()
                                    && apiClient
                                            .get(path + "/hosts")
                                            .path("items")
                                            .get(0)
                                            .path("foreignSettings")
                                            .isEmpty());
            assertThat(apiClient.get("/api/v1/jobs/" + strict).path("hosts").path("ready").asInt())
                    .isZero();
        }
    }
}
