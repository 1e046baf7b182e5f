package dev.orbweaver.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

@Slow
class TestkitProcessTest {

    @Test
    void itServesUntilItsInputEndsAndThenReports() throws Exception {
        var process = start();
        try (var out = reader(process)) {
            visit(out);
            process.getOutputStream().close();
            assertReported(out);
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void itReportsOnTermination() throws Exception {
        var process = start();
        try (var out = reader(process)) {
            visit(out);
            process.toHandle().destroy();
            assertReported(out);
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    private static void visit(BufferedReader out) throws IOException {
        var ready = JsonMapper.shared().readTree(out.readLine());
        var web = SimulatedWeb.of(WebSpec.light(5, 20, 200).without(Quirk.MEDIA, Quirk.SLOW_PAGES));
        var port = ready.get("port").asInt();
        var hub = ready.get("hub").asString();
        assertThat(hub).isEqualTo(web.hubUrl(port));
        assertThat(ready.get("dns").asString()).startsWith("127.0.0.1:");
        assertThat(HttpTestClient.get(web, hub + "robots.txt").status()).isEqualTo(200);
        assertThat(HttpTestClient.get(web, hub).text()).contains(web.hostName(1));
    }

    private static void assertReported(BufferedReader out) throws IOException {
        var report = JsonMapper.shared().readTree(out.readLine());
        assertThat(report.get("requests").asInt()).isEqualTo(2);
        assertThat(report.get("polite").asBoolean()).isTrue();
        assertThat(out.readLine()).isNull();
    }

    private static Process start() throws IOException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProcessBuilder(
                        java,
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        TestkitProcess.class.getName(),
                        "--seed",
                        "5",
                        "--hosts",
                        "20",
                        "--pages",
                        "200",
                        "--without",
                        "MEDIA,SLOW_PAGES")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static BufferedReader reader(Process process) {
        return process.inputReader(StandardCharsets.UTF_8);
    }
}
