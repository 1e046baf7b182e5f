package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.testing.ProjectFiles;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Every kind of failure of a request is counted separately, wherever failures are counted. */
@Slow
class FailureCountsTest {

    private static final Map<String, Long> RESPONSES =
            Map.of("200", 1L, "301", 1L, "403", 1L, "404", 2L, "500", 1L);

    /** Two attempts each, except for failures that are not retried. */
    private static final Map<String, Long> FAILED_ATTEMPTS =
            Map.of("dns", 2L, "connect", 2L, "tls", 2L, "timeout", 2L, "server-error", 2L);

    @TempDir Path directory;
    private HttpServer server;
    private ServerSocket noTls;
    private final CountDownLatch held = new CountDownLatch(1);

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setExecutor(
                task -> {
                    var _ = Thread.startVirtualThread(task);
                });
        respond("/", 200, "<a href=/a></a><a href=/b></a><a href=/c></a><a href=/d></a>");
        respond("/a", 404, "");
        respond("/b", 403, "");
        respond("/c", 500, "");
        respond("/d", 301, "");
        respond("/e", 404, "");
        server.createContext(
                "/slow",
                exchange -> {
                    try {
                        held.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    exchange.close();
                });
        server.start();
        noTls = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        var _ = Thread.startVirtualThread(this::respondWithoutTls);
    }

    private void respondWithoutTls() {
        while (true) {
            try (var socket = noTls.accept()) {
                var _ = socket.getInputStream().read();
                socket.getOutputStream().write("HTTP/1.1 400 no\r\n\r\n".getBytes(UTF_8));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void respond(String path, int status, String body) {
        server.createContext(
                path,
                exchange -> {
                    var found = exchange.getRequestURI().getPath().equals(path);
                    exchange.getResponseHeaders().add("Content-Type", "text/html");
                    exchange.getResponseHeaders().add("Location", "/e");
                    var bytes = (body + "\n").getBytes(UTF_8);
                    exchange.sendResponseHeaders(found ? status : 404, bytes.length);
                    try (var out = exchange.getResponseBody()) {
                        out.write(bytes);
                    }
                });
    }

    @AfterEach
    void stop() throws IOException {
        held.countDown();
        server.stop(0);
        noTls.close();
    }

    @Test
    void everyKindOfFailureIsCountedApartInSummaryStatusAndAfterAKill() throws Exception {
        var port = server.getAddress().getPort();
        var out = directory.resolve("site");
        var said =
                CommandResult.run(
                        "crawl",
                        "http://127.0.0.1:" + port + "/",
                        "http://127.0.0.1:" + port + "/slow",
                        "https://127.0.0.1:" + noTls.getLocalPort() + "/tls",
                        "http://127.0.0.1:1/",
                        "http://unknown.test/",
                        "--dns-server",
                        "127.0.0.1:1",
                        "--dns-timeout",
                        "2s",
                        "--first-byte-timeout",
                        "1s",
                        "--delay",
                        "0",
                        "--max-retries",
                        "1",
                        "--error-backoff",
                        "10ms",
                        "--retry-delay",
                        "10ms",
                        "--robots",
                        "ignore",
                        "--out",
                        out.toString());
        assertThat(said.code()).as(said.err()).isZero();
        var summary = JsonMapper.shared().readTree(out.resolve("summary.json"));
        RESPONSES.forEach(
                (status, count) ->
                        assertThat(summary.path("responsesByStatus").path(status).asLong())
                                .as("%s in %s", status, summary)
                                .isEqualTo(count));
        FAILED_ATTEMPTS.forEach(
                (cause, count) ->
                        assertThat(summary.path("failedAttemptsByCause").path(cause).asLong())
                                .as("%s in %s", cause, summary)
                                .isEqualTo(count));
        for (var cause : FAILED_ATTEMPTS.keySet()) {
            assertThat(summary.path("failedByCause").path(cause).asLong()).as(cause).isOne();
        }
        assertThat(CommandResult.run("status", out.toString()).out())
                .contains("responses 404: 2, 200: 1, 301: 1, 403: 1, 500: 1")
                .contains("errors    connect 2, dns 2, server-error 2, timeout 2, tls 2");
        assertRecounted(out);
    }

    private static void assertRecounted(Path out) throws Exception {
        var file = out.resolve(DirectoryLayout.RESPONSE_COUNTS);
        var good = Files.readString(file);
        var half = "length\t0\n";
        for (var text :
                new String[] {
                    good, half, "", "garbage", "length\tx", "length\t999999999\nstatus\t200\t7"
                }) {
            Files.writeString(file, text);
            assertCounted(out, "with a file of '" + text + "'");
        }
        Files.delete(file);
        assertCounted(out, "without a file");
    }

    private static void assertCounted(Path out, String as) throws Exception {
        var counts =
                new StoredCrawl(out, StoredCrawl.open(out, Settings.CORE).config())
                        .responseCounts();
        assertThat(counts.byStatus()).as(as).isEqualTo(RESPONSES);
        assertThat(counts.byCause()).as(as).isEqualTo(FAILED_ATTEMPTS);
    }

    @Test
    void everyCauseIsExplainedInTheDocs() throws IOException {
        var docs = Files.readString(ProjectFiles.of("docs", "operations.md"));
        for (var cause : FailureCause.values()) {
            assertThat(docs).contains("| `" + cause.id() + "` |");
        }
    }
}
