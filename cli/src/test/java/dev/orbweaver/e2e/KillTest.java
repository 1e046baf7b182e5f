package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.testing.Slow;
import dev.orbweaver.testkit.AuditRules;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * The promise that nothing is lost: a crawl that is killed with SIGKILL again and again, at random
 * moments, ends with the same pages as one that was left alone. Run with {@code -Dorbweaver.seed=N}
 * to see a failure again. The long form is {@code bench/run kills}.
 */
@Slow
class KillTest {

    private static final int KILLS = 8;
    private static final int REQUESTS_PER_RUN = 500;
    private static final Duration HOST_DELAY = Duration.ofMillis(20);

    /** Arrivals carry the kernel's stamp; see ADR 3. */
    private static final Duration ALLOWANCE = Duration.ofMillis(5);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void killsLoseNothingAndRecordNothingTwice() throws Exception {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        System.out.println("KillTest: replay with -Dorbweaver.seed=" + seed);
        var random = new Random(seed);
        // Hosts of much the same size, so that no single one's delays make the test long.
        var spec =
                new WebSpec(seed & 0xFFFF, 100, 4_700, 1_000, 0.3, 100, EnumSet.allOf(Quirk.class));
        try (var web = LoopbackWeb.serve(spec)) {
            var command = command(web);
            var inFlight = 0L;
            var killed = 0;
            var exit = -1;
            while (exit < 0) {
                var process = start(command);
                var deadly = web.auditor().requests() + random.nextInt(2, REQUESTS_PER_RUN);
                if (killed < KILLS && runsUntil(process, web, deadly)) {
                    Thread.sleep(0, random.nextInt(900_000)); // Anywhere between two requests.
                    process.destroyForcibly().waitFor();
                    killed++;
                    inFlight += leasedAtTheKill(web);
                } else {
                    exit = process.waitFor();
                }
            }
            assertThat(killed)
                    .as("kills before the crawl was over, seed %d", seed)
                    .isEqualTo(KILLS);
            assertThat(exit).as(output()).isIn(0, 5);
            check(web, inFlight, seed);
        }
    }

    /** Waits until the web has seen so many requests; false when the crawler ended first. */
    private static boolean runsUntil(Process process, LoopbackWeb web, long requests)
            throws InterruptedException {
        while (web.auditor().requests() < requests) {
            if (process.waitFor(1, TimeUnit.MILLISECONDS)) {
                return false;
            }
        }
        return true;
    }

    private void check(LoopbackWeb web, long inFlight, long seed) throws Exception {
        var groundTruth = web.truth();
        var archiveReader = ArchiveReader.open(directory);
        assertThat(groundTruth.pages()).hasSizeGreaterThan(4_500);
        assertThat(archiveReader.differences(groundTruth.pages())).as("seed %d", seed).isEmpty();
        assertThat(archiveReader.recordedTwice()).as("seed %d", seed).isEmpty();
        var responses = archiveReader.checkedResponses();
        assertThat(new HashSet<>(responses)).containsAll(groundTruth.pages());
        assertThat(archiveReader.validatorProblems()).isEmpty();
        var audit =
                web.auditor()
                        .report(
                                new AuditRules(
                                        HOST_DELAY,
                                        Duration.ZERO,
                                        Duration.ZERO,
                                        1,
                                        ALLOWANCE,
                                        true));
        assertThat(audit.isPolite()).as("seed %d: %s", seed, audit.json()).isTrue();
        var again =
                audit.repeated().entrySet().stream()
                        .filter(url -> !groundTruth.truncated().contains(url.getKey()))
                        .mapToLong(url -> url.getValue() - 1)
                        .sum();
        System.out.println(
                "KillTest: %d kills, %d in flight at them, %d fetched again, %d pages"
                        .formatted(KILLS, inFlight, again, archiveReader.pages().size()));
        assertThat(again).as("seed %d", seed).isLessThanOrEqualTo(inFlight);
    }

    private long leasedAtTheKill(LoopbackWeb web) throws Exception {
        return Files.exists(directory.resolve("frontier"))
                ? new StoredCrawl(directory, web.config()).stats().ledger().leased()
                : 0;
    }

    private List<String> command(LoopbackWeb web) {
        var command = ProgramJvm.program("-Xmx128m");
        command.addAll(
                List.of("crawl", web.hub(), "--out", directory.toString(), "--scope", "any"));
        command.addAll(List.of("--dns-server", web.nameServer(), "--allow-private", "--quiet"));
        command.addAll(List.of("--delay", HOST_DELAY.toMillis() + "ms", "--delay-ip", "0"));
        command.addAll(
                List.of(
                        "--dns-timeout",
                        "60s",
                        "--retry-delay",
                        "100ms",
                        "--error-backoff",
                        "10ms",
                        "--max-idle-wait",
                        "3s"));
        return command;
    }

    private Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.to(directory.resolve("output.txt").toFile()))
                .start();
    }

    private String output() throws IOException {
        return Files.readString(directory.resolve("output.txt"), StandardCharsets.UTF_8);
    }
}
