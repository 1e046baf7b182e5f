package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Fields of extractors in the details of a page. */
class PageFieldsTest {

    private static final String FIELDS =
            "{\"name\":\"<b>\\\"ä\\\"\",\"price\":3.0,\"count\":9007199254740993,\"sold\":true,"
                    + "\"tags\":[\"a\",\"b\"]}";

    @TempDir Path data;

    /**
     * The service has no extractors, so the test writes the fields into the page log, in place of
     * the title, so that lengths stay the same. Such a log can come from a crawl of the library.
     */
    @Test
    void theDetailsOfAPageHaveItsFields() throws Exception {
        var title = "t".repeat(300);
        try (var site = ServedSite.documentation(2);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            site.put("/product", 200, "text/html", "<title>" + title + "</title>", Map.of());
            var job = apiClient.submit(site.url("/product"), "{}");
            var _ = apiClient.awaitEnd(job);
            var other = apiClient.submit(site.url("/"), "{}");
            var _ = apiClient.awaitEnd(other);
            var log = crawlServer.jobs().directory(new JobId(job)).resolve("pages.log");
            var before = Files.readString(log);
            var titled = "\"title\":\"" + title + "\"";
            var fields = "\"fields\":" + FIELDS.replace("ä", "\\u00e4");
            assertThat(before).contains(titled);
            Files.writeString(
                    log,
                    before.replace(titled, fields + " ".repeat(titled.length() - fields.length())));
            var shown = details(apiClient, job);
            assertThat(shown).contains("\"fields\":" + FIELDS);
            assertThat(details(apiClient, other)).contains("\"fields\":{}");
            var document = apiClient.get("/api/v1/openapi.json");
            assertThat(document.at("/components/schemas/Page/allOf/1/properties").propertyNames())
                    .contains("fields");
            var markdown =
                    apiClient.call("GET", path(job, first(apiClient, job)) + "/markdown").body();
            assertThat(markdown)
                    .contains("\nfields:\n  \"name\": \"<b>\\\"ä\\\"\"\n  \"price\": 3.0\n");
        }
    }

    private static String details(ApiClient apiClient, int job) throws Exception {
        return apiClient.call("GET", path(job, first(apiClient, job))).body();
    }

    /** The list comes from the index, which follows the page log. */
    private static long first(ApiClient apiClient, int job) throws Exception {
        var pages = "/api/v1/jobs/" + job + "/pages?kind=page&limit=1";
        return Eventually.value(
                Eventually.LIMIT,
                "the page is in the index",
                () -> apiClient.get(pages).at("/items/0/seq").asLong(),
                number -> number > 0);
    }

    private static String path(int job, long seq) {
        return "/api/v1/jobs/" + job + "/pages/" + seq;
    }
}
