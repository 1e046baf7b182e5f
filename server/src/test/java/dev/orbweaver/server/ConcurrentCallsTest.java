package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;

/** Calls do not wait while a crawl is being opened or closed. */
@Timeout(300)
class ConcurrentCallsTest {

    @TempDir Path data;

    @ParameterizedTest
    @CsvSource({"pause, paused", "stop, stopped"})
    void commandsDuringStartOrEndOfAJobTakeEffect(String verb, String state) throws Exception {
        try (var site = ServedSite.documentation(3);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            // The job has more than one page and waits an hour before the second.
            var job = apiClient.submit(site.url("/"), "{\"delay\":\"1h\"}");
            var place = "/api/v1/jobs/" + job;
            assertThat(apiClient.call("POST", place + "/" + verb).statusCode()).isEqualTo(200);
            // Jobs start one after the other, so when this one has ended, the other has started.
            var other = site.url("/guide/1.html").replace("127.0.0.1", "localhost");
            var _ = apiClient.awaitEnd(apiClient.submit(other, "{\"max-depth\":\"0\"}"));
            assertThat(apiClient.get(place).path("state").asString()).isEqualTo(state);

            assertThat(apiClient.call("POST", place + "/resume").statusCode()).isEqualTo(200);
            var _ = apiClient.await(job, now -> now.path("state").asString().equals("running"));
            assertThat(apiClient.call("POST", place + "/stop").statusCode()).isEqualTo(200);
            assertThat(apiClient.call("POST", place + "/resume").statusCode()).isEqualTo(200);
            var _ = apiClient.awaitEnd(apiClient.submit(other, "{\"max-depth\":\"0\"}"));
            // The crawl that was stopped may end after the other job.
            var _ = apiClient.await(job, now -> now.path("state").asString().equals("running"));
        }
    }
}
