package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Path;

/** Labels, copies, templates and bulk changes of jobs. */
@Slow
class JobManagementTest {

    @TempDir static Path data;
    private static ServedSite site;
    private static CrawlServer crawlServer;
    private static ApiClient apiClient;

    @BeforeAll
    static void serve() throws Exception {
        site = ServedSite.documentation(3);
        crawlServer = ApiClient.serve(data);
        apiClient = new ApiClient(crawlServer.port());
    }

    @AfterAll
    static void close() throws Exception {
        apiClient.close();
        crawlServer.close();
        site.close();
    }

    private static JsonNode sent(int status, String method, String path, String body)
            throws Exception {
        var response = apiClient.call(method, "/api/v1" + path, body.replace('\'', '"'));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return JsonMapper.shared().readTree(response.body());
    }

    private static String seeds() {
        return "'seeds':['" + site.url("/") + "']";
    }

    private static long found(String query) throws Exception {
        return apiClient.get("/api/v1/jobs?" + query).path("total").asLong();
    }

    @Test
    void labelsAreKeptFoundAndChangedWithoutAnEffectOnTheCrawl() throws Exception {
        var body =
                "{%s,'name':' The handbook ','tags':['Nightly','docs','docs'],'notes':'Ask Zoe'}"
                        .formatted(seeds());
        var job = sent(202, "POST", "/jobs", body);
        assertThat(job.path("name").asString()).isEqualTo("The handbook");
        assertThat(job.path("tags")).hasToString("[\"Nightly\",\"docs\"]");
        assertThat(job.path("notes").asString()).isEqualTo("Ask Zoe");
        assertThat(found("tag=nightly")).isEqualTo(1);
        assertThat(found("tag=night")).isZero();
        assertThat(found("q=HANDBOOK")).isEqualTo(1);
        assertThat(found("q=zoe")).isEqualTo(1);
        var id = job.path("id").asInt();
        var _ = apiClient.awaitEnd(id);
        var changed = sent(200, "PATCH", "/jobs/" + id, "{'name':null,'tags':['weekly']}");
        assertThat(changed.path("name").asString()).isEqualTo("127.0.0.1");
        assertThat(changed.path("notes").asString()).isEqualTo("Ask Zoe");
        assertThat(changed.path("state").asString()).isEqualTo("finished");
        assertThat(found("tag=nightly")).isZero();
        assertThat(found("tag=weekly")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    'name':1              | name    | name must be a string.
                    'name':'a\\u0007b'    | name    | name must not contain control characters.
                    'tags':'docs'         | tags    | tags must be a list of at most 20 texts.
                    'tags':['a','']       | tags[1] | A tag must be a text of 1 to 50 characters
                    'notes':['a']         | notes   | notes must be a string.
                    """)
    void aWrongLabelIsRejectedWithItsName(String label, String field, String detail)
            throws Exception {
        var problem = sent(400, "POST", "/jobs", "{%s,%s}".formatted(seeds(), label));
        assertThat(problem.path("field").asString()).isEqualTo(field);
        assertThat(problem.path("detail").asString()).startsWith(detail);
    }

    @Test
    void longLabelsAreRejected() throws Exception {
        for (var label : new String[] {"'name':'%s'", "'notes':'%s'", "'tags':['%s']"}) {
            var long2001 = label.formatted("x".repeat(2_001));
            var _ = sent(400, "POST", "/jobs", "{%s,%s}".formatted(seeds(), long2001));
        }
    }
}
