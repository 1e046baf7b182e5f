package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.engine.CrawlOpener;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Invalid input gives one error message and the right exit code, never a stack trace. */
class BadInputTest {

    @TempDir Path directory;

    @Test
    void aCrawlWithoutAUrl() {
        assertRefused(
                2, "orbweaver: no seed URL; expected for example https://example.com/", "crawl");
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
                    "orbweaver: a crawl is running in " + directory + ": wait for it or stop it",
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
                "orbweaver: unknown option '--max-page'; did you mean --max-pages?\n"
                        + "Try: orbweaver crawl --help",
                "crawl",
                "a.test",
                "--max-page",
                "5");
    }

    @ParameterizedTest
    @CsvSource({
        "--wait, use --delay",
        "--level=3, use --max-depth",
        "--no-parent, use --scope path",
        "--recursive, 'links are followed without it, up to --max-depth'",
        "--load-cookies, use --cookies-file",
        "--reject, use --exclude with a regular expression",
        "--output-document, use --out with a directory",
        "--dealy, did you mean --delay?",
        "--user-agnet, did you mean --user-agent?",
        "--page, did you mean --page-requisites?",
    })
    void anOptionOfAnotherProgramOrATypoIsUnderstood(String option, String advice) {
        assertThat(CommandResult.run("crawl", "a.test", option).err())
                .startsWith("orbweaver: unknown option '" + option + "'; " + advice + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--convert-links", "--xyz", "-q", "--no-clobber"})
    void anOptionThatResemblesNoneGetsNoSuggestion(String option) {
        assertRefused(
                2,
                "orbweaver: unknown option '%s'\nTry: orbweaver crawl --help".formatted(option),
                "crawl",
                "a.test",
                option);
    }

    @Test
    void adviceNamesOptionsThatExist() {
        var crawl = CrawlCommand.spec(Terminal.system());
        assertThat(Suggestions.OF_OTHER_PROGRAMS)
                .allSatisfy(
                        (foreign, advice) -> {
                            assertThat(crawl.findOption(foreign)).isNull();
                            assertThat(crawl.findOption(Suggestions.optionIn(advice))).isNotNull();
                        });
    }

    @Test
    void aUrlWithoutACommand() {
        assertRefused(
                2,
                "orbweaver: unknown command 'https://a.test/'; did you mean: orbweaver crawl"
                        + " https://a.test/\nTry: orbweaver --help",
                "https://a.test/");
    }

    @Test
    void aPortThatNoUrlCanHave() throws IOException {
        var expected = "'http://a.test:99999/x' has the port 99999; the highest is 65535";
        assertRefused(
                2,
                "orbweaver: " + expected + "; expected for example https://example.com/",
                "crawl",
                "http://a.test:99999/x");
        var file = Files.writeString(directory.resolve("urls"), "http://a.test:99999/x\n");
        assertThat(CommandResult.run("crawl", "--seeds", file.toString()).err())
                .contains(", line 1: " + expected);
    }

    @Test
    void aDirectoryThatMayNotBeWrittenIsNamedWithItsOption() {
        assumeTrue(Files.isDirectory(Path.of("/sys")), "/sys accepts no new directories");
        var inside = "/sys/orbweaver-test";
        for (var command :
                new String[][] {
                    {"--out", "crawl", "http://127.0.0.1:1/", "--out", inside},
                    {"--data", "serve", "--data", inside},
                    {"--data", "worker", "--redis", "redis://127.0.0.1:1", "--data", inside}
                }) {
            var said = CommandResult.run(Arrays.copyOfRange(command, 1, command.length));
            assertThat(said.code()).isEqualTo(4);
            assertThat(said.err().strip())
                    .contains(inside)
                    .endsWith("; choose another path with " + command[0])
                    .doesNotContain("\n");
        }
    }

    @Test
    void missingPermissionIsOneSentence() {
        var denied = new AccessDeniedException("/var/x");
        assertThat(ErrorReporter.message(denied, "--data"))
                .isEqualTo("no permission to write /var/x; choose another path with --data");
        assertThat(ErrorReporter.message(denied, ""))
                .isEqualTo("no permission to read or write /var/x");
    }

    @Test
    void seedsThatAreAllPrivateLeaveNoDirectoryBehind() throws IOException {
        var file = Files.writeString(directory.resolve("urls"), "http://127.0.0.1:1/\n");
        assertRefused(
                2,
                "orbweaver: all seeds have private addresses, such as http://127.0.0.1:1/; use"
                        + " --allow-private (for link-local addresses --allow-addresses), or give"
                        + " the URL as an argument",
                "crawl",
                "--seeds",
                file.toString(),
                "--out",
                directory.resolve("x").toString());
        assertThat(directory.resolve("x")).doesNotExist();
    }

    @Test
    void optionsWithoutEffectAreWrongUsageAndNotAnOutputProblem() throws Exception {
        var data = directory.resolve("data").toString();
        var tokens = directory.resolve("absent").toString();
        assertThat(CommandResult.run("serve", "--data", data, "--token-file", tokens).code())
                .isEqualTo(2);
        assertThat(CommandResult.run("serve", "--data", data, "--address", "0.0.0.0").code())
                .isEqualTo(2);
        assertThat(CommandResult.run("fleet", "--redis", "nonsense").code()).isEqualTo(2);
        try (var crawl = CrawlOpener.open(CrawlConfig.of("http://a.test/"), directory)) {
            assertThat(crawl.directory()).isEqualTo(directory);
        }
        var crawl = directory.toString();
        assertThat(CommandResult.run("resume", crawl, "--metrics", "x").code()).isEqualTo(2);
        assertThat(CommandResult.run("export", crawl, "--format", "parquet", "--to", "-").code())
                .isEqualTo(2);
    }

    @Test
    void aCommandThatThereIsNot() {
        var said = CommandResult.run("crwal", "a.test");
        assertThat(said.code()).isEqualTo(2);
        assertThat(said.err())
                .contains("unknown command 'crwal'; did you mean crawl?")
                .doesNotContain("Exception");
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
                "orbweaver: cannot read settings file " + absent + ": no such file",
                "crawl",
                "a.test",
                "--config",
                absent);
        assertRefused(
                2,
                "orbweaver: cannot read URLs from " + absent + ": no such file",
                "crawl",
                "--seeds",
                absent);
        assertRefused(
                2,
                "orbweaver: cannot read URLs from " + directory + ": Is a directory",
                "crawl",
                "--seeds",
                directory.toString());
    }

    @Test
    void aFileOfUrlsThatIsNoText() throws IOException {
        var file = Files.write(directory.resolve("urls"), new byte[] {(byte) 0xff, '\n', 'x'});
        assertRefused(
                2,
                """
                orbweaver: %1$s, line 1: not UTF-8 text
                orbweaver: %1$s, line 2: 'x' is not an http or https URL
                orbweaver: %1$s contains no URL; expected one per line, such as https://example.com/\
                """
                        .formatted(file),
                "crawl",
                "--seeds",
                file.toString());
    }

    @Test
    void aListOfWhichEveryLineMustBeAUrl() throws IOException {
        var file =
                Files.writeString(
                        directory.resolve("urls"),
                        "# mine\nhttp://a.test/\n\nhtp:/x\nhttp://ann:secret@a.test/\n");
        assertRefused(
                2,
                """
                orbweaver: %1$s, line 4: 'htp:/x' is not an http or https URL
                orbweaver: %1$s, line 5: a URL must not contain a user name or password; use\
                 --credentials\
                """
                        .formatted(file),
                "crawl",
                "--strict",
                "--seeds",
                file.toString());
    }

    @Test
    void aLongListOfLinesThatAreNoUrlsHasAShortMessage() {
        var said = CommandResult.runWithInput("bad\n".repeat(5_000), "crawl", "--seeds=-");
        assertThat(said.code()).isEqualTo(2);
        assertThat(said.err().lines())
                .hasSize(22)
                .contains(
                        "orbweaver: standard input, line 20: 'bad' is not an http or https URL",
                        "orbweaver: standard input: 4,980 more lines are not URLs");
    }

    @Test
    void manyProblemsInASettingsFile() throws IOException {
        var file =
                Files.writeString(
                        directory.resolve("my.yaml"), "seeds: [" + "bad,".repeat(500) + "]\n");
        var said = CommandResult.run("crawl", "--config", file.toString());
        assertThat(said.code()).isEqualTo(2);
        assertThat(said.err().lines()).hasSize(23).contains("orbweaver: 478 more problems");
    }

    @Test
    void anArgumentTooMany() {
        assertRefused(
                2,
                "orbweaver: unexpected argument 'b'\nTry: orbweaver status --help",
                "status",
                directory.toString(),
                "b");
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
