package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.json.JsonMapper;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

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

    private HttpResponse<String> upload(byte[] body, String... headers) throws Exception {
        return apiClient.send(
                apiClient
                        .request("/api/v1/jobs/" + job + "/seeds")
                        .headers(headers)
                        .POST(BodyPublishers.ofByteArray(body))
                        .build());
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        var out = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }

    @Test
    void aListThatIsLargerThanABodyIsUploadedAsTextOrCompressed() throws Exception {
        var comment = "# " + "x".repeat(1_000) + "\n";
        var list =
                (comment.repeat(1_100) + site.url("/?text") + "\tpriority=+5\r\n\n")
                        .getBytes(UTF_8);
        var before = apiClient.get("/api/v1/jobs/" + job).path("counts").path("pages").asLong();
        var text = upload(list, "Content-Type", "text/plain; charset=utf-8");
        assertThat(text.statusCode()).as(text.body()).isEqualTo(202);
        assertThat(text.body()).isEqualTo("{\"added\":1}");
        assertThat(apiClient.awaitEnd(job).path("counts").path("pages").asLong())
                .isEqualTo(before + 1);
        var more = gzip((site.url("/?a") + "\n" + site.url("/?b")).getBytes(UTF_8));
        var zipped = upload(more, "Content-Type", "text/plain", "Content-Encoding", "gzip");
        assertThat(zipped.body()).isEqualTo("{\"added\":2}");
        assertThat(apiClient.awaitEnd(job).path("counts").path("pages").asLong())
                .isEqualTo(before + 3);
        assertThat(upload(more, "Content-Type", "application/gzip").statusCode()).isEqualTo(202);
        try (var left = Files.list(data.resolve("tmp"))) {
            assertThat(left.filter(file -> file.toString().endsWith(".txt"))).isEmpty();
        }
    }

    @Test
    void anUploadWithAWrongLineOrOfTooManyBytesAddsNothing() throws Exception {
        var lines = site.url("/?good") + "\nno url\n";
        var wrong = upload(lines.getBytes(UTF_8), "Content-Type", "text/plain");
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(JsonMapper.shared().readTree(wrong.body()).path("detail").asString())
                .isEqualTo(
                        "Line 2 of the seed list is not valid: 'no url' is not an http or https"
                                + " URL; nothing was added.");
        var empty = upload("# nothing\n".getBytes(UTF_8), "Content-Type", "text/plain");
        assertThat(empty.body()).contains("The seed list has no URL.");
        var noGzip = upload("text".getBytes(UTF_8), "Content-Type", "application/gzip");
        assertThat(noGzip.statusCode()).as(noGzip.body()).isEqualTo(400);
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), crawlServer.port())) {
            socket.getOutputStream()
                    .write(
                            "POST /api/v1/jobs/%d/seeds HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
                                    .formatted(job, SeedUpload.BYTES_MAX + 1)
                                    .getBytes(UTF_8));
            var response = new String(socket.getInputStream().readAllBytes(), UTF_8);
            assertThat(response)
                    .startsWith("HTTP/1.1 413")
                    .contains("larger than the maximum of 256 MiB of text; send it in parts.");
        }
        assertThat(apiClient.get("/api/v1/jobs/" + job).path("state").asString())
                .isEqualTo("finished");
    }
}
