package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** Jobs that visit their pages again until they are stopped. */
class RevisitsApiTest {

    @TempDir Path data;
    private ServedSite site;
    private CrawlServer crawlServer;
    private ApiClient apiClient;

    @BeforeEach
    void start() throws Exception {
        site = ServedSite.documentation(3);
        crawlServer = ApiClient.serve(data);
        apiClient = new ApiClient(crawlServer.port());
    }

    @AfterEach
    void close() throws Exception {
        apiClient.close();
        crawlServer.close();
        site.close();
    }

    private int laterVisits(int job) throws IOException {
        var log = data.resolve("jobs/" + job).resolve(DirectoryLayout.PAGE_LOG);
        if (!Files.exists(log)) {
            return 0; // The job is accepted, and its crawl not open yet.
        }
        var visits = new AtomicInteger();
        PageLog.read(log, entry -> visits.addAndGet(entry.visit().isFirst() ? 0 : 1));
        return visits.get();
    }

    @Test
    void aJobVisitsItsPagesAgainAndSaysHowFarItIs() throws Exception {
        var job = apiClient.submit(site.url("/"), "{\"revisit\":\"1s\",\"delay\":\"0\"}");
        Eventually.until("pages are visited again", () -> laterVisits(job) > 6);
        var revisits = apiClient.get("/api/v1/jobs/" + job + "/revisits");
        assertThat(revisits.path("pages").asInt()).isGreaterThan(2);
        assertThat(revisits.path("freshness").asDouble()).isBetween(0.0, 1.0);
        assertThat(revisits.path("visitsPerDay").isNull()).isTrue();
        assertThat(apiClient.get("/api/v1/jobs/" + job).path("state").asString())
                .isEqualTo("running");
    }

    @Test
    void aJobWithoutTheSettingHasNoSchedule() throws Exception {
        var job = apiClient.submit(site.url("/"), "{\"max-depth\":0}");
        var revisits = apiClient.get("/api/v1/jobs/" + job + "/revisits");
        assertThat(revisits.path("pages").asInt(-1)).isZero();
        assertThat(revisits.path("due").asInt(-1)).isZero();
    }
}
