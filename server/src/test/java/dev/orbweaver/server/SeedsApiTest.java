package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Files;
import java.nio.file.Path;

/** Seeds that are added to a job and removed from it. */
class SeedsApiTest {

    @TempDir Path data;
    private ServedSite site;
    private CrawlServer crawlServer;
    private ApiClient apiClient;
    private int job;

    @BeforeEach
    void crawlTheFirstPage() throws Exception {
        site = ServedSite.documentation(5);
        crawlServer = ApiClient.serve(data);
        apiClient = new ApiClient(crawlServer.port());
        job = apiClient.submit(site.url("/"), "{\"max-depth\":0}");
        assertThat(apiClient.awaitEnd(job).path("state").asString()).isEqualTo("finished");
    }

    @AfterEach
    void close() throws Exception {
        apiClient.close();
        crawlServer.close();
        site.close();
    }

    private String post(String path, String body) throws Exception {
        var response = apiClient.call("POST", "/api/v1/jobs/" + job + path, body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
        return response.body();
    }

    @Test
    void aFinishedJobContinuesWithAddedSeedsButNotWithRemovedOnes() throws Exception {
        var before = apiClient.get("/api/v1/jobs/" + job).path("counts");
        var removed = "{\"seeds\":[\"" + site.url("/?removed") + "\"]}";
        assertThat(post("/seeds/remove", removed)).isEqualTo("{\"removed\":1}");
        assertThat(
                        post(
                                "/seeds",
                                "{\"seeds\":[\"%s\",\"%s\"],\"priority\":\"+20\"}"
                                        .formatted(site.url("/?added"), site.url("/?removed"))))
                .isEqualTo("{\"added\":2}");
        var after = apiClient.awaitEnd(job).path("counts");
        assertThat(after.path("pages").asLong()).isEqualTo(before.path("pages").asLong() + 1);
        assertThat(after.path("withdrawn").asLong()).isEqualTo(1);
    }

    @Test
    void tooManyRemovedSeedsAreAConflictAndNoneIsRemoved() throws Exception {
        var file = data.resolve("jobs/" + job + "/seed-lists/removed.txt");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "x\n".repeat(999_999));
        var body = "{\"seeds\":[\"http://a.test/\",\"http://b.test/\"]}";
        var response = apiClient.call("POST", "/api/v1/jobs/" + job + "/seeds/remove", body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(409);
        var problem = JsonMapper.shared().readTree(response.body());
        assertThat(problem.path("field").asString()).isEqualTo("seeds");
        assertThat(problem.path("detail").asString())
                .startsWith("999,999 URLs were removed from this crawl before; with 2 more")
                .endsWith(".");
        assertThat(Files.size(file)).isEqualTo(2 * 999_999);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/seeds|{}|seeds",
                "/seeds|{\"seeds\":[\"nothing\"]}|seeds[0]",
                "/seeds|{\"seeds\":[\"http://a.test/\"],\"priority\":\"high\"}|priority",
                "/seeds|{\"seeds\":[\"http://a.test/\"],\"notBefore\":\"soon\"}|notBefore",
                "/seeds|{\"urls\":[\"http://a.test/\"]}|urls",
                "/seeds/remove|{\"seeds\":[\"http://a.test/\"],\"priority\":\"1\"}|priority",
            })
    void anInvalidRequestIsRejectedWithItsField(String path, String body, String field)
            throws Exception {
        var response = apiClient.call("POST", "/api/v1/jobs/" + job + path, body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(JsonMapper.shared().readTree(response.body()).path("field").asString(""))
                .isEqualTo(field);
    }
}
