package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.jobs.FleetReport.Worker;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.testing.Golden;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** The display of a fleet, with fixed figures. */
class FleetViewTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final FrontierStats.Hosts HOSTS = new FrontierStats.Hosts(1, 20, 3, 2, 1);

    private static FleetJob job(int number, FleetJob.State state) {
        return new FleetJob(
                new JobId(number),
                state,
                "",
                List.of("http://a.test/" + number),
                NOW,
                0,
                1,
                "",
                FleetJob.StateDetail.NONE,
                "",
                0);
    }

    private static FrontierStats stats(long pages, Map<FailureCause, Long> dead) {
        var given = dead.values().stream().mapToLong(Long::longValue).sum();
        var accepted = 1_234 + 3 + pages + 11 + given + 7;
        return new FrontierStats(
                new Ledger(
                        7_020 + accepted,
                        7_000,
                        20,
                        accepted,
                        1_234,
                        3,
                        pages + 11,
                        given,
                        7,
                        pages,
                        299_000),
                HOSTS,
                dead,
                Map.of());
    }

    private static FleetSample sample(
            Instant at,
            List<Worker> workers,
            List<FleetJob> fleetJobs,
            Map<JobId, FrontierStats> stats) {
        return new FleetSample(
                at,
                workers,
                fleetJobs,
                new Fleet.FleetStats(HOSTS, stats, Map.of()),
                12_900_000,
                false);
    }

    @Test
    void itShowsWorkersJobsHostsMemoryAndTheNewestProblem() throws IOException {
        var view = new FleetView("orbweaver", () -> 80);
        var fleetJobs =
                List.of(
                        job(1, FleetJob.State.FINISHED),
                        job(2, FleetJob.State.RUNNING),
                        job(3, FleetJob.State.PAUSED));
        for (var second = 0; second <= 40; second++) {
            var now = NOW.plusSeconds(second);
            var dead =
                    Map.of(
                            FailureCause.TIMEOUT,
                            second < 30 ? 5L : 7L,
                            FailureCause.CONNECT,
                            second < 30 ? 1L : 2L);
            view.observe(
                    sample(
                            now,
                            List.of(
                                    new Worker("east", now, "working on job 2"),
                                    new Worker("west", NOW, "working on job 2")),
                            fleetJobs,
                            Map.of(
                                    new JobId(1),
                                    stats(300, Map.of()),
                                    new JobId(2),
                                    stats((long) second * second, dead))));
        }
        Golden.check(
                "cli/fleet-block.txt", String.join("\n", view.block(NOW.plusSeconds(40))) + "\n");
    }

    @Test
    void anEmptyFleetSaysWhatToDo() {
        var view = new FleetView("orbweaver", () -> 80);
        view.observe(sample(NOW, List.of(), List.of(), Map.of()));
        assertThat(view.block(NOW))
                .contains(
                        "workers  none; start one with 'orbweaver worker'",
                        "jobs     none; submit one with 'orbweaver crawl URL --redis=...'");
    }

    @Test
    void aLargeFleetFitsAScreenAndTheWidthIsKept() {
        var workers =
                IntStream.range(0, 100)
                        .mapToObj(i -> new Worker("w" + i, NOW, "x".repeat(200)))
                        .toList();
        var fleetJobs =
                IntStream.range(1, 200).mapToObj(i -> job(i, FleetJob.State.QUEUED)).toList();
        var view = new FleetView("orbweaver", () -> 60);
        view.observe(sample(NOW, workers, fleetJobs, Map.of()));
        assertThat(view.block(NOW))
                .hasSizeLessThan(30)
                .contains("         and 92 more", "         and 194 more");
        var painted = new ByteArrayOutputStream();
        screen(painted, 60).show(view.block(NOW));
        assertThat(painted.toString(UTF_8).lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(60));
    }

    @Test
    void whatOthersWroteDoesNotCommandTheTerminal() {
        var view = new FleetView("orbweaver", () -> 80);
        var worker = new Worker("w\u001b[2J", NOW, "a\u0007b\nc");
        view.observe(sample(NOW, List.of(worker), List.of(), Map.of()));
        assertThat(String.join("\n", view.block(NOW)))
                .doesNotContain("\u001b", "\u0007")
                .contains("a b c");
    }

    @Test
    void aBlockReplacesTheLastOneAfterTheTerminalBecameNarrower() {
        var painted = new ByteArrayOutputStream();
        var stream = new PrintStream(painted, true, UTF_8);
        var columns = new AtomicInteger(100);
        var screen = new Screen(new Terminal(stream, stream, true, columns::get));
        screen.show(List.of("a".repeat(100), "b", "c".repeat(60)));
        painted.reset();
        columns.set(50);
        screen.show(List.of("a".repeat(100), "b"));
        assertThat(painted.toString(UTF_8))
                .as("the terminal has wrapped the lines to 2, 1 and 2 rows")
                .isEqualTo("\u001b[5A\r\u001b[J" + "a".repeat(50) + "\nb\n");
        painted.reset();
        screen.show(List.of("d"));
        assertThat(painted.toString(UTF_8)).startsWith("\u001b[2A");
    }

    private static Screen screen(ByteArrayOutputStream out, int columns) {
        var stream = new PrintStream(out, true, UTF_8);
        return new Screen(new Terminal(stream, stream, true, () -> columns));
    }

    @Test
    @Timeout(60)
    void anUnavailableRedisIsReportedAndAwaitedUntilTheUserLeaves() throws Exception {
        var painted = new ByteArrayOutputStream();
        var left = new CountDownLatch(1);
        var asked = new ArrayList<Instant>();
        FleetMonitor.Source source =
                now -> {
                    asked.add(now);
                    if (asked.size() == 2) {
                        throw new IOException("connection refused");
                    }
                    if (asked.size() == 4) {
                        left.countDown();
                    }
                    return sample(now, List.of(), List.of(), Map.of());
                };
        new FleetMonitor(
                        screen(painted, 80),
                        new FleetView("orbweaver", () -> 80),
                        source,
                        () -> NOW,
                        Duration.ofMillis(1))
                .run(left);
        var blocks = painted.toString(UTF_8).split("\u001b\\[\\d+A\r\u001b\\[J", -1);
        assertThat(blocks).hasSize(4);
        assertThat(blocks[1])
                .contains("problem  Redis is unavailable: connection refused", "redis    12.3 MB");
        assertThat(blocks[2]).doesNotContain("problem");
    }
}
