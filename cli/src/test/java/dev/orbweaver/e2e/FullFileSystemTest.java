package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.testing.Slow;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A file system that is really full, under the program as people start it. Where a test may not
 * mount one, this skips; {@link ChaosTest} fills the disk in another way.
 */
@Slow
class FullFileSystemTest {

    @TempDir Path temporary;

    private Path mounted = Path.of("");

    @Test
    void aCrawlOnAFullFileSystemReportsItAndResumesWhenThereIsSpace() throws Exception {
        var place = Files.createDirectory(temporary.resolve("small"));
        assumeTrue(mount("-t", "tmpfs", "-o", "size=512k", "tmpfs", place), "mounting a tmpfs");
        mounted = place;
        var spec =
                WebSpec.light(11, 40, 800)
                        .without(Quirk.ROBOTS_UNREACHABLE, Quirk.DEAD_HOSTS, Quirk.CRAWL_DELAYS);
        try (var web = LoopbackWeb.serve(spec)) {
            for (var kibibytes = 1_024; kibibytes <= 4_096; kibibytes *= 2) {
                assertThat(crawl(web)).as(printedOutput()).isEqualTo(4);
                assertThat(printedOutput()).contains("No space left on device");
                assertThat(mount("-o", "remount,size=" + kibibytes + "k", place)).isTrue();
            }
            assertThat(mount("-o", "remount,size=64m", place)).isTrue();
            assertThat(crawl(web)).as(printedOutput()).isZero();
            var archiveReader = ArchiveReader.open(directory());
            assertThat(archiveReader.differences(web.truth().pages())).isEmpty();
            assertThat(archiveReader.recordedTwice()).isEmpty();
            assertThat(ArchiveConsistency.differences(directory(), archiveReader)).isEmpty();
            assertThat(archiveReader.checkedResponses()).containsAll(web.truth().pages());
            assertThat(archiveReader.validatorProblems()).isEmpty();
            assertThat(new StoredCrawl(directory(), web.config()).stats().ledger().balances())
                    .isTrue();
        }
    }

    @Test
    void aBackupToAFullFileSystemIsNotFinishedAndTheEarlierOneRemains() throws Exception {
        var place = Files.createDirectory(temporary.resolve("small"));
        assumeTrue(mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", place), "mounting a tmpfs");
        mounted = place;
        var crawl = temporary.resolve("crawl");
        var spec =
                WebSpec.light(11, 40, 800)
                        .without(Quirk.ROBOTS_UNREACHABLE, Quirk.DEAD_HOSTS, Quirk.CRAWL_DELAYS);
        try (var web = LoopbackWeb.serve(spec)) {
            assertThat(run(crawlCommand(web, crawl, "--max-pages", "50"))).isZero();
            assertThat(backup(crawl)).as(printedOutput()).isZero();
            assertThat(run(crawlCommand(web, crawl, "--set", "max-pages=none"))).isZero();
            assertThat(backup(crawl)).isEqualTo(4);
            assertThat(printedOutput())
                    .contains("could not store", "No space left on device")
                    .contains("this backup is not finished, and earlier ones are unchanged")
                    .contains("choose another target, then run the command again");
            var first = temporary.resolve("first");
            assertThat(run(List.of("restore", place.toString(), first.toString()))).isZero();
            assertThat(run(List.of("verify", first.toString()))).as(printedOutput()).isZero();
            assertThat(run(List.of("resume", first.toString(), "--set", "max-pages=none")))
                    .isZero();
            assertThat(ArchiveReader.open(first).differences(web.truth().pages())).isEmpty();
            assertThat(ArchiveReader.open(first).recordedTwice()).isEmpty();
            assertThat(mount("-o", "remount,size=64m", place)).isTrue();
            assertThat(backup(crawl)).as(printedOutput()).isZero();
            var last = temporary.resolve("last");
            assertThat(run(List.of("restore", place.toString(), last.toString()))).isZero();
            assertThat(run(List.of("verify", last.toString()))).as(printedOutput()).isZero();
            assertThat(ArchiveReader.open(last).differences(web.truth().pages())).isEmpty();
        }
    }

    private int backup(Path crawl) throws Exception {
        return run(List.of("backup", crawl.toString(), mounted.toString()));
    }

    @AfterEach
    void unmount() throws Exception {
        if (!mounted.toString().isEmpty()) {
            assertThat(new ProcessBuilder("umount", mounted.toString()).start().waitFor()).isZero();
        }
    }

    private Path directory() {
        return mounted.resolve("crawl");
    }

    private static boolean mount(Object... words) throws InterruptedException {
        var command = new ArrayList<>(List.of("mount"));
        List.of(words).forEach(word -> command.add(word.toString()));
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException noSuchCommand) {
            return false;
        }
    }

    private int crawl(LoopbackWeb web) throws Exception {
        return run(crawlCommand(web, directory()));
    }

    private static List<String> crawlCommand(LoopbackWeb web, Path out, String... more) {
        var command = new ArrayList<String>();
        command.addAll(List.of("crawl", web.hub(), "--out", out.toString()));
        command.addAll(
                List.of("--scope", "any", "--dns-server", web.nameServer(), "--allow-private"));
        command.addAll(List.of("--delay", "0", "--retry-delay", "50ms", "--error-backoff", "10ms"));
        command.addAll(List.of("--max-disk-wait", "1s", "--min-free-disk", "0"));
        command.addAll(List.of(more));
        return command;
    }

    private int run(List<String> arguments) throws Exception {
        var command = ProgramJvm.program("-Xmx128m");
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.to(output().toFile()))
                .start()
                .waitFor();
    }

    private Path output() {
        return temporary.resolve("output.txt");
    }

    private String printedOutput() throws IOException {
        return Files.exists(output()) ? Files.readString(output(), StandardCharsets.UTF_8) : "";
    }
}
