package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.internal.engine.CrawlOpener;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;

/** Invalid input gives one error message and the right exit code, never a stack trace. */
class BadInputTest {

    @TempDir Path directory;

    @Test
    void aCrawlWithoutAUrl() {
        assertRefused(
                2,
                "orbweaver: no seed URL; expected for example: orbweaver crawl"
                        + " https://example.com/",
                "crawl");
    }

    @ParameterizedTest
    @ValueSource(strings = {"htp:/x", "ftp://a.test/", "nonsense", "http://"})
    void aUrlThatIsNone(String url) {
        assertRefused(
                2,
                "orbweaver: '"
                        + url
                        + "' is not an http or https URL; expected for example"
                        + " https://example.com/",
                "crawl",
                url,
                "--out",
                directory.resolve("x").toString());
        assertThat(directory.resolve("x")).as("nothing was begun").doesNotExist();
    }

    @Test
    void aDirectoryThatCannotBeMade() throws IOException {
        var file = Files.createFile(directory.resolve("file"));
        var below = file.resolve("below");
        var said = CommandResult.run("crawl", "http://127.0.0.1:1/", "--out", below.toString());
        assertThat(said.code()).isEqualTo(4);
        assertThat(said.err()).startsWith("orbweaver: " + file).doesNotContain("Exception");
        assertThat(said.err().lines()).hasSize(1);
        var itself = CommandResult.run("crawl", "http://127.0.0.1:1/", "--out", file.toString());
        assertThat(itself.code()).isEqualTo(4);
        assertThat(itself.err())
                .isEqualTo(
                        "orbweaver: "
                                + file
                                + " is a file, not a directory; choose another path with --out"
                                + System.lineSeparator());
    }

    @Test
    void theDirectoryOfAServiceOrAWorkerIsNoPlaceForACrawl() throws IOException {
        Files.createDirectories(directory.resolve("data/jobs/1"));
        var data = directory.resolve("data").toString();
        assertRefused(
                2,
                "orbweaver: "
                        + data
                        + " is the directory of a service or a fleet's worker; choose another with"
                        + " --out",
                "crawl",
                "http://127.0.0.1:1/",
                "--out",
                data);
        assertRefused(
                2,
                "orbweaver: "
                        + data
                        + " is the directory of a service or a fleet's worker; use one of its jobs,"
                        + " such as "
                        + directory.resolve("data/jobs/1"),
                "status",
                data);
    }

    @Test
    void privateAddressesOfAServiceAreSetByOneOption() {
        assertRefused(
                2,
                "orbweaver: use --allow-private instead of --set allow-private=...",
                "serve",
                "--data",
                directory.resolve("data").toString(),
                "--set",
                "allow-private=true");
    }

    @Test
    void aVariableThatIsNotThere() {
        assertRefused(
                2,
                "orbweaver: --redis env:ORBWEAVER_NOPE: environment variable ORBWEAVER_NOPE is not"
                        + " set",
                "fleet",
                "--redis",
                "env:ORBWEAVER_NOPE");
    }

    @Test
    void aDirectoryWithoutAName() {
        assertRefused(2, "orbweaver: the directory name is empty", "crawl", "a.test", "--out", " ");
    }

    @Test
    void aDirectoryWithTheCrawlOfOtherSeeds() throws Exception {
        try (var crawl = CrawlOpener.open(CrawlConfig.of("http://a.test/"), directory)) {
            assertThat(crawl.directory()).isEqualTo(directory);
        }
        assertRefused(
                2,
                "orbweaver: "
                        + directory
                        + " contains a crawl of other seeds (http://a.test/); continue it with"
                        + " 'orbweaver resume "
                        + directory
                        + "', or choose another directory with --out",
                "crawl",
                "http://b.test/",
                "--out",
                directory.toString());
    }

    @Test
    void aDirectoryThatAnotherHolds() throws Exception {
        try (var crawl = CrawlOpener.open(CrawlConfig.of("http://a.test/"), directory)) {
            assertThat(crawl.directory()).isEqualTo(directory);
            assertRefused(
                    4,
                    "orbweaver: another process is crawling into "
                            + directory
                            + ": wait for it or stop it",
                    "resume",
                    "--quiet",
                    directory.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"resume", "status", "inspect", "dead list", "dead retry"})
    void aDirectoryWithoutACrawl(String command) {
        for (var place : new Path[] {directory, directory.resolve("absent")}) {
            assertRefused(
                    2,
                    "orbweaver: there is no crawl in "
                            + place
                            + "; start one with: orbweaver crawl URL --out "
                            + place,
                    (command + " " + place).split(" ", -1));
        }
    }

    @Test
    void anOptionThatThereIsNot() {
        assertRefused(
                2,
                "orbweaver: Unknown option: '--max-page'; did you mean --max-pages?\n"
                        + "Try: orbweaver crawl --help",
                "crawl",
                "a.test",
                "--max-page",
                "5");
    }

    @Test
    void aCommandThatThereIsNot() {
        var said = CommandResult.run("crwal", "a.test");
        assertThat(said.code()).isEqualTo(2);
        assertThat(said.err()).contains("did you mean crawl?").doesNotContain("Exception");
        assertThat(CommandResult.run().code()).isEqualTo(2);
    }

    @Test
    void namesInTheSettingsFileThatThereAreNot() throws IOException {
        var file =
                Files.writeString(
                        directory.resolve("my.yaml"),
                        "dealy: 1s\nmax-pags: 5\nmax-depth: 2\nscpe: any\n");
        assertRefused(
                2,
                """
                orbweaver: unknown setting dealy; did you mean delay?
                orbweaver: unknown setting max-pags; did you mean max-pages?
                orbweaver: unknown setting scpe; did you mean scope?\
                """,
                "crawl",
                "a.test",
                "--config",
                file.toString());
    }

    @Test
    void filesThatAreNotThere() {
        var absent = directory.resolve("absent").toString();
        assertRefused(
                2,
                "orbweaver: cannot read settings file " + absent,
                "crawl",
                "a.test",
                "--config",
                absent);
        assertRefused(2, "orbweaver: cannot read URLs from " + absent, "crawl", "--seeds", absent);
    }

    @Test
    void aFileOfUrlsThatIsNoText() throws IOException {
        var file = Files.write(directory.resolve("urls"), new byte[] {(byte) 0xff, '\n', 'x'});
        assertRefused(
                2, "orbweaver: cannot read URLs from " + file, "crawl", "--seeds", file.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"99999", "-1", "http", "", "123456789"})
    void aPortThatIsNone(String port) {
        assertRefused(
                2,
                "orbweaver: --port: expected a number from 0 to 65535, not '" + port + "'",
                "demo",
                "--port=" + port);
    }

    @Test
    void aPortInUse() throws IOException {
        try (var taken = new ServerSocket(0)) {
            assertRefused(
                    2,
                    "orbweaver: port "
                            + taken.getLocalPort()
                            + " is in use; choose another with --port, or omit --port",
                    "demo",
                    "--out",
                    directory.resolve("demo").toString(),
                    "--port",
                    Integer.toString(taken.getLocalPort()));
        }
        assertThat(directory.resolve("demo")).doesNotExist();
    }

    @Test
    void aSettingsFileOfACrawlThatWasSpoilt() throws Exception {
        var _ =
                Files.writeString(
                        directory.resolve("crawl.yaml"), "seeds: [a.test]\nconcurrency: 0\n");
        for (var command : new String[] {"resume", "status", "inspect"}) {
            assertRefused(
                    2,
                    "orbweaver: concurrency: '0' is not a whole number from 1 to 2147483647",
                    command,
                    directory.toString());
        }
    }

    private static void assertRefused(int code, String sentence, String... arguments) {
        var said = CommandResult.run(arguments);
        assertThat(said.err().replace(System.lineSeparator(), "\n")).isEqualTo(sentence + "\n");
        assertThat(said.out()).isEmpty();
        assertThat(said.code()).isEqualTo(code);
    }
}
