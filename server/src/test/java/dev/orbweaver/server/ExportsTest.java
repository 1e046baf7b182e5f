package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;

import io.javalin.Javalin;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

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
    void filesOfAKilledProcessAreDeletedAtTheNextStart() throws Exception {
        Path left;
        try (var site = ServedSite.documentation(2);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var job = apiClient.submit(site.url("/"), "{}");
            var _ = apiClient.awaitEnd(job);
            left =
                    crawlServer
                            .jobs()
                            .directory(new JobId(job))
                            .resolve("exports/export-1234/export");
        }
        Files.createDirectories(left);
        Files.writeString(left.resolve("half.md"), "half of it");
        ApiClient.serve(data).close();
        assertThat(left.getParent()).doesNotExist();
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
    void anExportIsMadeInTheBackgroundAndDownloadedWhenItIsReady() throws Exception {
        try (var site = ServedSite.documentation(20);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var job = apiClient.submit(site.url("/"), "{}");
            var _ = apiClient.awaitEnd(job);
            var exports = "/api/v1/jobs/" + job + "/exports";
            var wrong = apiClient.call("POST", exports, "{\"format\":\"csv\",\"kind\":1}");
            assertThat(wrong.statusCode()).isEqualTo(400);
            var started = apiClient.call("POST", exports, "{\"format\":\"markdown\"}");
            assertThat(started.statusCode()).as(started.body()).isEqualTo(202);
            var place = started.headers().firstValue("Location").orElseThrow();
            assertThat(place).isEqualTo(exports + "/tasks/1");
            var ready =
                    Eventually.<JsonNode, Exception>value(
                            Duration.ofMinutes(1),
                            "a ready export",
                            () -> apiClient.get(place),
                            task -> task.path("state").asString().equals("ready"));
            assertThat(ready.path("progress").asDouble()).isEqualTo(1);
            assertThat(ready.path("file").asString()).isEqualTo("job-1.md");
            assertThat(apiClient.get(exports).path("tasks").get(0)).isEqualTo(ready);
            var file = apiClient.call("GET", place + "/file");
            assertThat(file.body()).isEqualTo(apiClient.call("GET", exports + "/markdown").body());
            assertThat(file.headers().firstValueAsLong("Content-Length"))
                    .hasValue(ready.path("bytes").asLong());
            assertThat(file.headers().firstValue("Content-Type"))
                    .hasValue("text/markdown; charset=utf-8");
            assertThat(apiClient.call("DELETE", place).statusCode()).isEqualTo(204);
            assertThat(apiClient.call("GET", place + "/file").statusCode()).isEqualTo(404);
            var directory = crawlServer.jobs().directory(new JobId(job)).resolve("exports");
            try (var left = Files.list(directory)) {
                assertThat(left).isEmpty();
            }
        }
    }

    @Test
    void aTaskHasItsProgressIsCancelledAndIsLimited() throws Exception {
        var running = new CountDownLatch(1);
        try (var tasks = new ExportTasks(InstantSource.system(), ExportTasks.END_TIMEOUT)) {
            ExportTasks.Writer writer =
                    (_, listener) -> {
                        for (var i = 0; i < 30; i++) {
                            listener.onLine();
                        }
                        running.countDown();
                        while (true) {
                            Thread.sleep(1);
                            listener.onLine();
                        }
                    };
            var job = new JobId(1);
            for (var i = 1; i <= ExportTasks.UNFINISHED_PER_CALLER; i++) {
                var _ = tasks.start("ann", task(job, i, 1_000_000, writer));
            }
            var refused = Files.createDirectory(data.resolve("refused"));
            assertThatThrownBy(
                            () ->
                                    tasks.start(
                                            "ann",
                                            new ExportTasks.Export(
                                                    job, "csv", "a.csv", 1, refused, writer)))
                    .isInstanceOf(ProblemException.class)
                    .hasMessageContaining("limit of exports in the background");
            assertThat(refused).doesNotExist();
            running.await();
            assertThat(tasks.get(job, 1).state()).isEqualTo("running");
            assertThat(tasks.get(job, 1).progress()).isLessThan(0.99);
            assertThat(tasks.get(job, ExportTasks.UNFINISHED_PER_CALLER).state())
                    .isEqualTo("queued");
            assertThatThrownBy(() -> tasks.open(job, 1)).hasMessageContaining("is not ready");
            tasks.deleteAll(job);
            assertThat(tasks.of(job)).isEmpty();
            try (var left = Files.list(data)) {
                assertThat(left).isEmpty();
            }
        }
    }

    @Test
    void anExportIsDeletedADayLaterAlsoIfNoOtherIsMade() throws Exception {
        var now = new AtomicReference<>(Instant.now());
        try (var tasks = new ExportTasks(now::get, ExportTasks.END_TIMEOUT)) {
            var job = new JobId(1);
            var _ =
                    tasks.start(
                            "ann",
                            task(
                                    job,
                                    1,
                                    1,
                                    (scratch, _) ->
                                            Files.writeString(scratch.resolve("a.csv"), "a")));
            Eventually.until("a ready export", () -> tasks.get(job, 1).state().equals("ready"));
            tasks.removeOld();
            assertThat(tasks.of(job)).hasSize(1);
            now.set(now.get().plus(ExportTasks.KEPT_FOR).plusSeconds(1));
            tasks.removeOld();
            assertThat(tasks.of(job)).isEmpty();
            assertThat(data.resolve("task-1")).doesNotExist();
        }
    }

    @Test
    void aServiceRemovesOldExportsEverySecond() throws Exception {
        try (var site = ServedSite.documentation(2);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var job = apiClient.submit(site.url("/"), "{}");
            var _ = apiClient.awaitEnd(job);
            var exports = "/api/v1/jobs/" + job + "/exports";
            for (var i = 0; i <= ExportTasks.FINISHED_MAX; i++) {
                var started = apiClient.call("POST", exports, "{\"format\":\"csv\"}");
                assertThat(started.statusCode()).as(started.body()).isEqualTo(202);
                var place = started.headers().firstValue("Location").orElseThrow();
                Eventually.until(
                        "a ready export",
                        () -> apiClient.get(place).path("state").asString().equals("ready"));
            }
            Eventually.until(
                    "the oldest is removed",
                    () -> apiClient.get(exports).path("tasks").size() == ExportTasks.FINISHED_MAX);
        }
    }

    @Test
    void aCancelledExportDeletesItsFilesAlsoIfItEndsLate() throws Exception {
        var running = new CountDownLatch(1);
        var end = new CountDownLatch(1);
        try (var tasks = new ExportTasks(InstantSource.system(), Duration.ofMillis(1))) {
            ExportTasks.Writer writer =
                    (scratch, _) -> {
                        running.countDown();
                        awaitWithoutInterrupt(end);
                        return Files.writeString(scratch.resolve("a.csv"), "a");
                    };
            var job = new JobId(1);
            var _ = tasks.start("ann", task(job, 1, 1, writer));
            running.await();
            tasks.delete(job, 1);
            assertThat(data.resolve("task-1")).exists();
            end.countDown();
            Eventually.until("no files", () -> !Files.exists(data.resolve("task-1")));
        }
    }

    /** Waits as a library does that does not end at once. */
    private static void awaitWithoutInterrupt(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            LockSupport.parkNanos(1_000_000);
            var _ = Thread.interrupted();
        }
    }

    private ExportTasks.Export task(JobId job, int number, long reads, ExportTasks.Writer writer)
            throws IOException {
        var scratch = Files.createDirectory(data.resolve("task-" + number));
        return new ExportTasks.Export(job, "csv", "a.csv", reads, scratch, writer);
    }

    @Test
    void everyDownloadHasTheTypeOfItsFile() throws Exception {
        try (var site = ServedSite.documentation(2);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            var job = apiClient.submit(site.url("/"), "{}");
            var _ = apiClient.awaitEnd(job);
            var exports = "/api/v1/jobs/" + job + "/exports/";
            for (var download : apiClient.get(exports.replaceFirst("/$", "")).path("items")) {
                var format = download.path("format").asString();
                var head = apiClient.call("HEAD", exports + format);
                assertThat(head.statusCode()).as(format).isEqualTo(200);
                assertThat(head.headers().firstValue("Content-Type").orElse(""))
                        .as(format)
                        .isNotEmpty()
                        .isNotEqualTo("application/octet-stream");
            }
            assertThat(type(apiClient, exports + "csv")).isEqualTo("text/csv; charset=utf-8");
            assertThat(type(apiClient, exports + "sitemap")).isEqualTo("application/zip");
            assertThat(type(apiClient, exports + "wacz")).isEqualTo("application/wacz");
        }
    }

    private static String type(ApiClient apiClient, String path) throws Exception {
        return apiClient.call("HEAD", path).headers().firstValue("Content-Type").orElse("");
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
