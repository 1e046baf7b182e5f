package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.e2e.ProgramJvm;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.testing.Slow;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/** {@code kill -9} of a service with running jobs: all go on, and event numbers with them. */
@Slow
class ServeKillTest {

    private static final int JOBS = 5;
    private static final int KILLS = 2;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private Process start(LoopbackWeb web, int port) throws IOException {
        var command = ProgramJvm.program("-Xmx512m");
        command.addAll(List.of("serve", "--port", Integer.toString(port), "--allow-private"));
        command.addAll(List.of("--data", directory.resolve("data").toString()));
        for (var setting :
                List.of(
                        "dns-server=" + web.nameServer(),
                        "min-free-disk=0",
                        "retry-delay=100ms",
                        "error-backoff=10ms",
                        "delay-ip=0",
                        "delay=20ms")) {
            command.addAll(List.of("--set", setting));
        }
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(directory.resolve("serve.out").toFile()))
                .start();
    }

    /** Waits until the service answers. */
    private static void awaitResponse(ApiClient apiClient, Process process) throws Exception {
        for (var tries = 0; ; tries++) {
            try {
                if (apiClient.call("GET", "/api/v1/ready").statusCode() == 200) {
                    return;
                }
            } catch (IOException e) {
                assertThat(tries).as("%s", e).isLessThan(1_200);
            }
            assertThat(process.isAlive()).isTrue();
            Thread.sleep(100);
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Test
    void jobsGoOnAfterEveryKill() throws Exception {
        var spec = WebSpec.light(31, 15, 60).without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
        var port = freePort();
        try (var web = LoopbackWeb.serve(spec);
                var apiClient = new ApiClient(port)) {
            var process = start(web, port);
            try {
                awaitResponse(apiClient, process);
                var last = new HashMap<Integer, Long>();
                for (var i = 0; i < JOBS; i++) {
                    last.put(apiClient.submit(web.hub(), "{\"scope\":\"any\"}"), 0L);
                }
                for (var kill = 0; kill < KILLS; kill++) {
                    for (var job : List.copyOf(last.keySet())) {
                        var wanted = 5 * (kill + 1);
                        var now =
                                apiClient.await(
                                        job,
                                        each ->
                                                each.path("counts").path("pages").asInt()
                                                        >= wanted);
                        assertThat(now.path("state").asString()).isIn("running", "finished");
                        last.merge(job, now.path("lastEventId").asLong(), Math::max);
                    }
                    process.destroyForcibly().waitFor();
                    process = start(web, port);
                    awaitResponse(apiClient, process);
                    for (var job : last.keySet()) {
                        var now = apiClient.get("/api/v1/jobs/" + job);
                        assertThat(now.path("lastEventId").asLong())
                                .as("%s", now)
                                .isGreaterThanOrEqualTo(last.get(job));
                    }
                }
                for (var job : last.keySet()) {
                    assertThat(apiClient.awaitEnd(job).path("state").asString())
                            .isEqualTo("finished");
                    assertThat(pages(job))
                            .as("job %d", job)
                            .containsExactlyInAnyOrderElementsOf(web.truth().pages());
                }
            } finally {
                process.destroyForcibly().waitFor();
            }
        }
        assertThat(Files.readString(directory.resolve("serve.out"))).doesNotContain("Exception");
    }

    private List<String> pages(int job) throws IOException {
        var pages = new ArrayList<String>();
        PageLog.read(
                directory
                        .resolve("data/jobs")
                        .resolve(Integer.toString(job))
                        .resolve(DirectoryLayout.PAGE_LOG),
                entry -> {
                    if (entry.kind() == Kind.PAGE) {
                        pages.add(entry.url());
                    }
                });
        return pages;
    }
}
