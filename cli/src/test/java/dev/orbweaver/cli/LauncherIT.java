package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.ProjectFiles;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** The launcher script at the root, after the program was packaged. */
class LauncherIT {

    private static final Path LAUNCHER = ProjectFiles.of("orbweaver");

    @TempDir Path directory;

    @Test
    void aMistakeIsOneLineAndNothingElse() throws Exception {
        var said =
                CommandResult.process(directory, List.of(LAUNCHER.toString()), "crawl", "htp:/x");
        assertThat(said)
                .isEqualTo(
                        new CommandResult(
                                2,
                                "",
                                "orbweaver: 'htp:/x' is not an http or https URL; expected for"
                                        + " example https://example.com/\n"));
    }

    @Test
    void aCrawlRunsWithoutWarningsOfTheMachine() throws Exception {
        try (var site = new SmallSite()) {
            var said =
                    CommandResult.process(
                            directory,
                            List.of(LAUNCHER.toString()),
                            "crawl",
                            site.url(),
                            "--delay=0",
                            "--contact=me@a.test");
            assertThat(said.err()).isEmpty();
            assertThat(said.code()).isZero();
            assertThat(said.out()).contains("3 pages");
        }
    }

    @Test
    void tooFewOpenFilesAreOneSentence() throws Exception {
        var shell = List.of("sh", "-c", "ulimit -n 64; exec \"$0\" \"$@\"", LAUNCHER.toString());
        var said = CommandResult.process(directory, shell, "crawl", "http://127.0.0.1:1/");
        assertThat(said)
                .isEqualTo(
                        new CommandResult(
                                4,
                                "",
                                "orbweaver: the limit on open files is 64, at least 256 are needed;"
                                        + " raise it with 'ulimit -n 4096'\n"));
    }

    @Test
    void aCrawlMakesOnlyAsManyRequestsAsFilesMayBeOpen() throws Exception {
        try (var site = new SmallSite()) {
            var shell =
                    List.of("sh", "-c", "ulimit -n 260; exec \"$0\" \"$@\"", LAUNCHER.toString());
            var said = CommandResult.process(directory, shell, "crawl", site.url(), "--delay=0");
            assertThat(said.err())
                    .contains("at most 2 requests are in flight", "'ulimit -n 1280'")
                    .doesNotContain("\tat ");
            assertThat(said.code()).isZero();
            assertThat(said.out()).contains("3 pages");
        }
    }

    /** For a small manual, half of the time was spent in C2 for code that ran for a second. */
    @Test
    void shortCommandsRunWithoutTheSecondCompilerAndACrawlWithIt() throws Exception {
        assertThat(flags("docs", "--help")).containsPattern("TieredStopAtLevel += 1 ");
        assertThat(flags("--help")).containsPattern("UseSerialGC += true ");
        assertThat(flags("crawl", "--help")).containsPattern("TieredStopAtLevel += 4 ");
    }

    @Test
    void aServiceUsesLessMemoryThanACrawl() throws Exception {
        assertThat(flags("serve", "--help")).containsPattern("MaxNewSize += 100663296 ");
        assertThat(flags("crawl", "--help")).containsPattern("MaxNewSize += 402653184 ");
    }

    @Test
    void aCrawlCompilesSmallerMethodsThanByDefault() throws Exception {
        assertThat(flags("crawl", "--help"))
                .containsPattern("MaxInlineLevel += 5 ")
                .containsPattern("FreqInlineSize += 80 ")
                .containsPattern("InlineSmallCode += 500 ")
                .containsPattern("LoopUnrollLimit += 20 ");
    }

    @Test
    void aJvmThatRejectsTheLimitsOfItsCompilerRunsWithoutThem() throws Exception {
        var jdk = directory.resolve("jdk");
        Files.createDirectories(jdk.resolve("bin"));
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
        var java = jdk.resolve("bin/java");
        Files.writeString(
                java,
                """
                #!/bin/sh
                case "$*" in *MaxInlineLevel*) echo "Unrecognized VM option" >&2; exit 1 ;; esac
                exec '%s' "$@"
                """
                        .formatted(Path.of(System.getProperty("java.home"), "bin", "java")));
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        var launcher = List.of("env", "JAVA_HOME=" + jdk, LAUNCHER.toString());
        var said = CommandResult.process(directory, launcher, "crawl", "--help");
        assertThat(said.err()).isEmpty();
        assertThat(said.code()).isZero();
    }

    @Test
    void optionsOfTheUserReplaceOnlyTheSameSettings() throws Exception {
        assertThat(flagsWith("-Dsome=property", "crawl"))
                .containsPattern("MaxNewSize += 402653184 ");
        assertThat(flagsWith("-Xmn32m", "crawl")).containsPattern("MaxNewSize += 33554432 ");
        assertThat(flagsWith("-Xmx300m", "serve")).containsPattern("MaxNewSize += 100663296 ");
        assertThat(flagsWith("-XX:+UseSerialGC", "serve"))
                .containsPattern("UseSerialGC += true ")
                .containsPattern("MaxNewSize += 100663296 ");
    }

    private String flagsWith(String javaOptions, String command) throws Exception {
        var launcher =
                List.of(
                        "env",
                        "JDK_JAVA_OPTIONS=-XX:+PrintFlagsFinal",
                        "JAVA_OPTS=" + javaOptions,
                        LAUNCHER.toString());
        return CommandResult.process(directory, launcher, command, "--help").out();
    }

    private String flags(String... words) throws Exception {
        var launcher = List.of("env", "JDK_JAVA_OPTIONS=-XX:+PrintFlagsFinal", LAUNCHER.toString());
        return CommandResult.process(directory, launcher, words).out();
    }
}
