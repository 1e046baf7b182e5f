package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.orbweaver.testing.ProjectFiles;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Runs every command in the shell blocks of README and cookbook, in document order, against a site
 * on loopback.
 *
 * <p>A line is run by {@code sh} in a directory of its own, where {@code ./orbweaver} starts the
 * classes under test. Only host names, ports and delays are substituted. A line that cannot run
 * here is listed with the reason; its options are then parsed at least. A new line that is in no
 * list is run, so a document cannot name a command that does not work.
 */
@Slow
class DocumentedCommandsTest {

    private static final Pattern BLOCK = Pattern.compile("(?s)```sh\\n(.*?)```");
    private static final Pattern WORD = Pattern.compile("(?:'[^']*'|\"[^\"]*\"|[^\\s'\"])+");

    /** Orbweaver commands that are parsed only, by the part of the line that needs more. */
    private static final Map<String, String> PARSED_ONLY =
            Map.of(
                    "--redis", "needs Redis; FleetServerTest and FleetKillTest run workers",
                    "--mongodb", "needs MongoDB; MongoSinkTest and SinkKillTest run it",
                    "s3://", "needs S3; S3SinkTest and SinkKillTest run it",
                    "./orbweaver demo", "ReadmeIT runs it with the launcher");

    /** Other programs that are not run, by the first word of the line. */
    private static final Map<String, String> NOT_RUN =
            Map.of(
                    "mvn", "is the build that runs this test",
                    "podman", "needs a container engine and its images",
                    "curl", "needs the service; ApiDocumentTest sends such requests");

    /** Shell commands that are run as they are. */
    private static final List<String> SHELL = List.of("cat ", "export ", "test ", "(umask ");

    @TempDir Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/cookbook.md"})
    void everyCommandWorks(String document) throws Exception {
        prepare();
        try (var site = new DocumentedSite()) {
            var exports = new StringBuilder();
            var run = 0;
            for (var line : lines(document)) {
                if (isRun(document, line)) {
                    var command = substitute(line, site.port());
                    if (line.startsWith("export ")) {
                        exports.append(command).append('\n');
                    } else if (line.contains("orbweaver serve")) {
                        startAndStop(command);
                    } else {
                        runToItsEnd(line, exports + command);
                    }
                    run++;
                }
            }
            assertThat(run).as("commands of %s that ran", document).isGreaterThan(10);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/cookbook.md"})
    void everyOptionIsKnown(String document) throws IOException {
        for (var line : lines(document)) {
            if (line.startsWith("./orbweaver ")) {
                assertParses(line);
            }
        }
    }

    @Test
    void aLineThatIsNeitherRunNorListedFails() {
        assertThatCode(() -> isRun("a document", "docker run orbweaver"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("docker run orbweaver");
        assertThatCode(() -> assertParses("./orbweaver crawl https://a.test/ --depht 3"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("--depht");
    }

    /** The logical lines of a document's shell blocks, without comments. */
    private static List<String> lines(String document) throws IOException {
        var lines = new ArrayList<String>();
        BLOCK.matcher(Files.readString(ProjectFiles.of(document)))
                .results()
                .flatMap(block -> block.group(1).replace("\\\n", " ").lines())
                .map(line -> line.replaceFirst("(^|\\s+)# .*", "").strip())
                .filter(line -> !line.isEmpty())
                .forEach(lines::add);
        return lines;
    }

    /** Whether a line is to be run; a line that is neither known nor listed fails the test. */
    private static boolean isRun(String document, String line) {
        if (line.startsWith("./orbweaver ")) {
            return PARSED_ONLY.keySet().stream().noneMatch(line::contains);
        }
        if (NOT_RUN.containsKey(line.split(" ", 2)[0])) {
            return false;
        }
        assertThat(SHELL)
                .as(
                        "%s has a line that this test can neither run nor leave out: %s",
                        document, line)
                .anyMatch(line::startsWith);
        return true;
    }

    private static void assertParses(String line) {
        var words =
                WORD.matcher(line.substring(line.indexOf(' ')))
                        .results()
                        .map(word -> word.group().replace("'", "").replace("\"", ""))
                        .toArray(String[]::new);
        assertThatCode(
                        () -> {
                            var parsed = Main.commandLine(Terminal.system()).parseArgs(words);
                            assertThat(parsed.subcommand().unmatched()).as(line).isEmpty();
                        })
                .as(line)
                .doesNotThrowAnyException();
    }

    /** The files that the documents take for granted, and a program named {@code ./orbweaver}. */
    private void prepare() throws IOException {
        var words = new ArrayList<String>();
        CommandResult.java().forEach(word -> words.add("'" + word + "'"));
        var launcher =
                Files.writeString(
                        directory.resolve("orbweaver"),
                        "#!/bin/sh\nexec " + String.join(" ", words) + " \"$@\"\n");
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
    }

    /** The line with hosts, ports and delays that a test can use. */
    private String substitute(String line, int port) throws IOException {
        var origin = "http://127.0.0.1:" + port;
        Files.writeString(
                directory.resolve("urls.txt"), "%s/\n%s/guide/\n".formatted(origin, origin));
        Files.writeString(
                directory.resolve("cookies.txt"),
                "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\tabc\n");
        var command =
                line.replace("you@example.com", "you@contact.test")
                        .replaceAll("https://([a-z]+\\.)?example\\.com", origin)
                        .replaceAll("(?<= )example\\.com(?= --)", origin + "/")
                        .replaceAll("\\bexample\\.com\\b", "127.0.0.1")
                        .replaceAll("--delay \\S+", "")
                        .replace("0.0.0.0", "127.0.0.1")
                        .replaceAll("--port \\d+", "")
                        .replace(":9100", ":" + freePort());
        if (command.matches("(?s).*orbweaver (crawl|docs|fetch|map) .*")) {
            command += " --delay 0" + (command.contains("--seeds") ? " --allow-private" : "");
        }
        return command.contains("orbweaver serve") ? command + " --port 0" : command;
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void runToItsEnd(String line, String script) throws Exception {
        var said = CommandResult.process(directory, List.of("sh", "-e", "-c"), script);
        assertThat(said.code()).as("%s: %s%s", line, said.out(), said.err()).isZero();
    }

    /** Starts the service, waits until it listens, stops it by a signal. */
    private void startAndStop(String command) throws Exception {
        var output = directory.resolve("serve.txt");
        var process =
                new ProcessBuilder("sh", "-e", "-c", "exec " + command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        try {
            for (var waited = 0; waited < 600 && listening(output).isEmpty(); waited++) {
                assertThat(process.isAlive()).as(Files.readString(output)).isTrue();
                assertThat(process.waitFor(100, TimeUnit.MILLISECONDS)).isFalse();
            }
            assertThat(listening(output)).as(Files.readString(output)).isPresent();
            process.destroy();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(Files.readString(output)).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    private static Optional<String> listening(Path output) throws IOException {
        return Files.readString(output).lines().filter(it -> it.contains("http://")).findFirst();
    }
}
