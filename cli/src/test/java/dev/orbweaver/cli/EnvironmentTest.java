package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.EnvironmentVariables;
import dev.orbweaver.server.ApiClient;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Settings in environment variables of real processes. */
@Slow
@Timeout(120)
class EnvironmentTest {

    private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)/");

    @TempDir Path directory;

    private ProcessBuilder command(Map<String, String> environment, String... arguments) {
        var line = new ArrayList<>(CommandResult.java());
        line.addAll(List.of(arguments));
        var builder =
                new ProcessBuilder(line)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("out.txt").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("ORBWEAVER_"));
        builder.environment().putAll(environment);
        return builder;
    }

    /** Runs a command and returns what it printed, after its exit code. */
    private String run(Map<String, String> environment, String... arguments) throws Exception {
        var process = command(environment, arguments).start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue() + " " + Files.readString(directory.resolve("out.txt"));
    }

    @Test
    void optionsOverrideVariablesAndVariablesOverrideTheFile() throws Exception {
        Files.writeString(directory.resolve("my.yaml"), "max-pages: 1\nmax-depth: 0\ndelay: 0\n");
        var environment = Map.of("ORBWEAVER_MAX_DEPTH", "1", "ORBWEAVER_MAX_PAGS", "9");
        try (var site = new SmallSite()) {
            var said =
                    run(environment, "crawl", site.url(), "--config=my.yaml", "--set=max-pages=2");
            assertThat(said)
                    .startsWith("0 ")
                    .contains(
                            "warning: unknown environment variable ORBWEAVER_MAX_PAGS is ignored;"
                                    + " did you mean ORBWEAVER_MAX_PAGES?");
            assertThat(directory.resolve("127.0.0.1/crawl.yaml"))
                    .content()
                    .contains("max-depth: \"1\"", "max-pages: \"2\"", "delay: \"0\"");
            var flag =
                    run(
                            environment,
                            "crawl",
                            site.url(),
                            "--out=flag",
                            "--delay=0",
                            "--set=max-depth=2",
                            "--max-depth=3");
            assertThat(flag).startsWith("0 ");
            assertThat(directory.resolve("flag/crawl.yaml")).content().contains("max-depth: \"3\"");
        }
    }

    @Test
    void aSecretInAVariableIsUsedAndNotStored() throws Exception {
        try (var site = new SmallSite()) {
            var secret =
                    Map.of(
                            "ORBWEAVER_CREDENTIALS",
                            SecretsTest.credentials(site),
                            "ORBWEAVER_DELAY",
                            "0");
            assertThat(run(secret, "crawl", site.url(), "--max-pages=1", "--out=crawl"))
                    .startsWith("0 ");
            var crawl = directory.resolve("crawl");
            assertThat(crawl.resolve(".secrets.yaml")).doesNotExist();
            assertThat(SecretsTest.leakingFiles(crawl)).isEmpty();
            assertThat(run(Map.of(), "resume", "crawl"))
                    .startsWith("2 ")
                    .contains(
                            "does not contain the credentials of this crawl",
                            "ORBWEAVER_CREDENTIALS");
            assertThat(run(secret, "resume", "crawl", "--set=max-pages=none"))
                    .startsWith("0 ")
                    .contains("Complete");
            assertThat(crawl.resolve(".secrets.yaml")).doesNotExist();
            assertThat(SecretsTest.leakingFiles(crawl)).isEmpty();
        }
    }

    @Test
    void aVariableDoesNotChangeACrawlThatIsResumed() throws Exception {
        try (var site = new SmallSite()) {
            assertThat(run(Map.of(), "crawl", site.url(), "--delay=0", "--out=crawl"))
                    .startsWith("0 ");
            assertThat(run(Map.of("ORBWEAVER_MAX_PAGES", "1"), "resume", "crawl"))
                    .startsWith("0 ")
                    .contains("Complete");
        }
    }

    @Test
    void aServiceTakesVariablesAndEveryValueOfARepeatedSetting() throws Exception {
        var process =
                command(
                                Map.of(
                                        "ORBWEAVER_ALLOW_PRIVATE", "true",
                                        "ORBWEAVER_MIN_FREE_DISK", "0",
                                        "ORBWEAVER_DELAY", "0"),
                                "serve",
                                "--port=0",
                                "--data=data",
                                "--set",
                                "exclude=/b$",
                                "--set",
                                "exclude=/nothing$")
                        .start();
        try (var site = new SmallSite();
                var apiClient = new ApiClient(port(process))) {
            var job = apiClient.submit(site.url(), "{}");
            var end = apiClient.awaitEnd(job);
            assertThat(end.path("counts").path("pages").asInt()).as("%s", end).isEqualTo(1);
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertThat(directory.resolve("data/jobs/1/crawl.yaml"))
                .content()
                .contains("- \"/b$\"\n- \"/nothing$\"");
    }

    private int port(Process process) throws IOException, InterruptedException {
        for (var tries = 0; tries < 600 && process.isAlive(); tries++) {
            var said = ADDRESS.matcher(Files.readString(directory.resolve("out.txt")));
            if (said.find()) {
                return Integer.parseInt(said.group(1));
            }
            Thread.sleep(100);
        }
        throw new IOException(Files.readString(directory.resolve("out.txt")));
    }

    @Test
    void everySettingOfEveryModuleHasAVariableThatIsDocumented() throws IOException {
        var all = Modules.SETTINGS.all().stream().map(it -> EnvironmentVariables.nameOf(it.key()));
        assertThat(all).doesNotHaveDuplicates().doesNotContain("ORBWEAVER_REDIS");
        for (var command : List.of("crawl", "docs", "serve", "resume")) {
            assertThat(CommandResult.run(command, "--help").out())
                    .as(command)
                    .contains("ORBWEAVER_");
        }
    }
}
