package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisProcess;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.sink.FleetPart;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A fleet's job whose pages are visited again, by workers that are killed. */
@Slow
class FleetRevisitTest {

    private static final int PAGES = 12;
    private static final Duration INTERVAL = Duration.ofSeconds(2);
    private static final String TEXT =
            "The manual explains how each part is installed. ".repeat(30);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    /** A line and the reference by which lines of other workers name it. */
    private record Visit(PageLogEntry entry, int worker) {

        CaptureRef reference() {
            return new CaptureRef(worker, entry.seq());
        }

        CaptureRef parent() {
            var parent = entry.parentRef();
            return parent.worker() == 0 ? new CaptureRef(worker, parent.line()) : parent;
        }
    }

    private Process worker(RedisProcess redis, String name) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx160m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.orbweaver.cli.Main",
                        "worker",
                        "--redis",
                        redis.uri(),
                        "--data",
                        directory.resolve(name).toString(),
                        "--name",
                        name,
                        "--allow-private",
                        "--host-lease",
                        "2s",
                        "--quiet")
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(directory.resolve(name + ".out").toFile()))
                .start();
    }

    private Path jobDirectory(String worker, JobId job) {
        return directory.resolve(worker).resolve(DirectoryLayout.JOBS).resolve("" + job.number());
    }

    /** Returns the visits of each URL by their numbers; two workers may have made one. */
    private Map<String, NavigableMap<Integer, List<Visit>>> visits(JobId job, String... workers)
            throws IOException {
        var visits = new HashMap<String, NavigableMap<Integer, List<Visit>>>();
        for (var name : workers) {
            var log = jobDirectory(name, job).resolve(DirectoryLayout.PAGE_LOG);
            if (!Files.exists(log)) {
                continue;
            }
            var number = FleetPart.read(jobDirectory(name, job)).orElseThrow().number();
            PageLog.read(
                    log,
                    entry -> {
                        if (entry.kind() == Kind.PAGE) {
                            visits.computeIfAbsent(entry.url(), _ -> new TreeMap<>())
                                    .computeIfAbsent(entry.visit().number(), _ -> new ArrayList<>())
                                    .add(new Visit(entry, number));
                        }
                    });
        }
        return visits;
    }

    private long highestVisit(JobId job, String... workers) throws IOException {
        return visits(job, workers).values().stream()
                .mapToInt(NavigableMap::lastKey)
                .max()
                .orElse(0);
    }

    /** Every visit follows one before, whichever worker made it, and none before it is due. */
    private static void requireChains(Map<String, NavigableMap<Integer, List<Visit>>> all) {
        all.forEach(
                (url, visits) -> {
                    for (var number = 1; number <= visits.lastKey(); number++) {
                        assertThat(visits).as(url).containsKey(number);
                        if (number == 1) {
                            continue;
                        }
                        var before = visits.getOrDefault(number - 1, List.of());
                        for (var visit : visits.getOrDefault(number, List.of())) {
                            assertThat(before)
                                    .as("%s visit %s", url, visit)
                                    .anySatisfy(
                                            last -> {
                                                assertThat(visit.parent())
                                                        .isEqualTo(last.reference());
                                                assertThat(visit.entry.time())
                                                        .isAfterOrEqualTo(
                                                                last.entry
                                                                        .time()
                                                                        .plus(INTERVAL)
                                                                        .minusSeconds(1));
                                            });
                        }
                    }
                });
    }

    @Test
    void killedWorkersLoseNoVisitAndNoVisitIsSettledTwice() throws Exception {
        var workers = new ArrayList<Process>();
        try (var site = new ChangingSite();
                var redis =
                        RedisProcess.start(Files.createDirectories(directory.resolve("redis")));
                var fleet = Fleet.open(FleetSettings.of(redis.uri(), "orbweaver", "visitor"))) {
            site.page("/", "All pages of the manual.");
            for (var i = 0; i < PAGES; i++) {
                site.page("/page" + i, TEXT + "This is part " + i + ".");
            }
            var submitted = submit(redis, site);
            workers.add(worker(redis, "w1"));
            Eventually.until("the job", () -> !fleet.jobs().isEmpty());
            var job = fleet.jobs().getFirst().id();
            Eventually.until("later visits", () -> highestVisit(job, "w1") >= 3);
            workers.add(worker(redis, "w2"));
            workers.getFirst().destroyForcibly().waitFor();
            Eventually.until("visits of the other", () -> highestVisit(job, "w2") >= 6);
            workers.get(1).destroyForcibly().waitFor();
            workers.add(worker(redis, "w1"));
            var reached = highestVisit(job, "w1", "w2");
            Eventually.until(
                    "visits after both kills",
                    () ->
                            visits(job, "w1", "w2").values().stream()
                                    .allMatch(all -> all.lastKey() >= reached + 2));
            var status =
                    CommandResult.run(
                            "fleet",
                            "why",
                            "" + job.number(),
                            site.url() + "page1",
                            directory.resolve("w1").toString(),
                            directory.resolve("w2").toString(),
                            "--redis",
                            redis.uri());
            assertThat(status.out()).as(status.err()).contains("every 2 s");
            assertThat(fleet.stop(job)).isTrue();
            assertThat(submitted.waitFor()).isNotNegative();
            Eventually.until(
                    "nothing is leased", () -> fleet.ledger(job, Instant.now()).leased() == 0);
            var ledger = fleet.ledger(job, Instant.now());
            assertThat(ledger.balances()).isTrue();
            assertThat(ledger.accepted()).isEqualTo(PAGES + 1);
            assertThat(ledger.dead()).isZero();
            var all = visits(job, "w1", "w2");
            assertThat(all).hasSize(PAGES + 1);
            requireChains(all);
            // A worker that has the last visit in its own log asks whether the page has changed.
            assertThat(
                            all
                                    .getOrDefault(site.url() + "page1", new TreeMap<>())
                                    .values()
                                    .stream()
                                    .flatMap(List::stream))
                    .anyMatch(visit -> visit.entry.status() == 304);
            var listed = directory.resolve("pages.jsonl");
            var export =
                    CommandResult.run(
                            "export",
                            jobDirectory("w1", job).toString(),
                            jobDirectory("w2", job).toString(),
                            "--format",
                            "jsonl",
                            "--to",
                            listed.toString());
            assertThat(export.code()).as(export.err()).isZero();
            assertThat(Files.readAllLines(listed)).hasSize(PAGES + 1);
        } finally {
            workers.forEach(Process::destroyForcibly);
        }
    }

    private Process submit(RedisProcess redis, ChangingSite site) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx128m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.orbweaver.cli.Main",
                        "crawl",
                        site.url(),
                        "--redis",
                        redis.uri(),
                        "--delay=0",
                        "--min-free-disk=0",
                        "--revisit=2s")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("crawl.out").toFile())
                .start();
    }
}
