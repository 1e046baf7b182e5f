package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.model.JobId;

import io.javalin.Javalin;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Tests exports that fail, and the deletion of their files. */
@Timeout(180)
class ExportsTest {

    @TempDir Path data;

    @Test
    void anExportThatFailsToStartReleasesItsPermit() throws Exception {
        try (var site = ServedSite.documentation(2);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var job = apiClient.submit(site.url("/"), "{}");
            var _ = apiClient.awaitEnd(job);
            var export = "/api/v1/jobs/" + job + "/exports/csv";
            var inTheWay = crawlServer.jobs().directory(new JobId(job)).resolve("exports");
            Files.writeString(inTheWay, "not a directory");
            for (var i = 0; i < 3; i++) {
                var failed = apiClient.call("GET", export);
                assertThat(failed.statusCode()).as(failed.body()).isEqualTo(500);
                assertThat(failed.headers().firstValue("Content-Disposition")).isEmpty();
            }
            Files.delete(inTheWay);
            var response = apiClient.call("GET", export);
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            assertThat(response.headers().firstValueAsLong("Content-Length"))
                    .hasValue(response.body().length());
        }
    }

    @Test
    void filesOfAKilledProcessAreDeletedWithTheNextExport() throws Exception {
        try (var site = ServedSite.documentation(2);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var job = apiClient.submit(site.url("/"), "{}");
            var _ = apiClient.awaitEnd(job);
            var left =
                    crawlServer
                            .jobs()
                            .directory(new JobId(job))
                            .resolve("exports/export-1234/export");
            Files.createDirectories(left);
            Files.writeString(left.resolve("half.md"), "half of it");
            var response = apiClient.call("GET", "/api/v1/jobs/" + job + "/exports/markdown-tree");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(left.getParent()).doesNotExist();
        }
    }

    @Test
    void contentAndBodiesAreDownloads() throws Exception {
        try (var site = ServedSite.documentation(2);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var job = apiClient.submit(site.url("/"), "{}");
            var _ = apiClient.awaitEnd(job);
            var exports = "/api/v1/jobs/" + job + "/exports/";
            var lines = apiClient.call("GET", exports + "jsonl?content=html");
            assertThat(lines.statusCode()).as(lines.body()).isEqualTo(200);
            assertThat(lines.body().lines())
                    .isNotEmpty()
                    .allMatch(line -> line.contains("\"content\":\"<"));
            assertThat(apiClient.call("GET", exports + "jsonl").body()).doesNotContain("content");
            for (var wrong :
                    List.of(
                            "jsonl?content=pdf",
                            "chunks?content=text",
                            "files?mediaType=pdf",
                            "csv?mediaType=image/png")) {
                var refused = apiClient.call("GET", exports + wrong);
                assertThat(refused.statusCode()).as(wrong).isEqualTo(400);
            }
            var zip = apiClient.call("GET", exports + "files?mediaType=text/html");
            assertThat(zip.statusCode()).isEqualTo(200);
            assertThat(zip.headers().firstValue("Content-Disposition"))
                    .hasValue("attachment; filename=\"job-%d-files.zip\"".formatted(job));
            assertThat(zip.body()).contains("files.jsonl", "index.html");
            var none = apiClient.call("GET", exports + "files?mediaType=image/*");
            assertThat(none.body()).contains("files.jsonl").doesNotContain("index.html");
        }
    }

    @Test
    void aTruncatedExportIsDetected() throws Exception {
        try (var server = new FailingExportServer();
                var apiClient = new ApiClient(server.port())) {
            assertThat(apiClient.call("GET", "/whole").body()).hasSize(FailingExportServer.SENT);
            for (var path : new String[] {"/fails", "/short", "/fails-at-once"}) {
                assertThatThrownBy(() -> apiClient.call("GET", path))
                        .as(path)
                        .isInstanceOf(IOException.class);
            }
        }
    }

    /** Sends a file that cannot be read completely, like an export. */
    private static final class FailingExportServer implements AutoCloseable {

        static final int SENT = 300_000;

        private final Javalin http;

        FailingExportServer() {
            http =
                    Javalin.create(
                            config -> {
                                config.startup.showJavalinBanner = false;
                                config.concurrency.useVirtualThreads = true;
                                config.jetty.host = "127.0.0.1";
                                config.jetty.port = 0;
                                config.routes.get(
                                        "/whole",
                                        context ->
                                                ExportsApi.send(
                                                        new ApiCall(context), zeros(), SENT));
                                config.routes.get(
                                        "/short",
                                        context ->
                                                ExportsApi.send(
                                                        new ApiCall(context), zeros(), SENT + 1));
                                config.routes.get(
                                        "/fails",
                                        context ->
                                                ExportsApi.send(
                                                        new ApiCall(context),
                                                        new SequenceInputStream(
                                                                zeros(), new FailingStream()),
                                                        2 * SENT));
                                config.routes.get(
                                        "/fails-at-once",
                                        context ->
                                                ExportsApi.send(
                                                        new ApiCall(context),
                                                        new FailingStream(),
                                                        SENT));
                                config.routes.exception(
                                        Exception.class, CrawlServer::internalError);
                            });
            var _ = http.start();
        }

        int port() {
            return http.port();
        }

        private static InputStream zeros() {
            return new ByteArrayInputStream(new byte[SENT]);
        }

        @Override
        public void close() {
            var _ = http.stop();
        }
    }

    private static final class FailingStream extends InputStream {
        @Override
        public int read() throws IOException {
            throw new IOException("read error");
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            return read();
        }
    }
}
