package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.e2e.ProgramJvm;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisProcess;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Long seed lists of a fleet's job, read by workers that are killed. */
@Slow
class FleetSeedsTest {

    private static final int LINES = 100_000;
    private static final int WORKERS = 2;
    private static final int KILLS = 2;

    private static final String SETTINGS =
            """
            delay: 1h
            max-retries: 0
            min-free-disk: 0
            scope: host
            seeds: ["http://127.0.0.1:1/seed"]
            """;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    /** Every 20th line is not a URL, and every 50th repeats the one before. */
    private static String line(int number) {
        if (number % 20 == 0) {
            return "not a URL " + number;
        }
        var page = number % 50 == 1 ? number + 1 : number;
        return "http://127.0.%d.%d:1/%d".formatted(page % 100 / 10, page % 10 + 1, page);
    }

    private Path list() throws IOException {
        var file = directory.resolve("urls.txt");
        try (var out = Files.newBufferedWriter(file)) {
            for (var number = 1; number <= LINES; number++) {
                out.write(line(number) + "\n");
            }
        }
        return file;
    }

    private Process worker(RedisProcess redis, int number) throws IOException {
        var command = ProgramJvm.program("-Xmx160m");
        command.addAll(List.of("worker", "--redis", redis.uri()));
        command.addAll(List.of("--data", directory.resolve("w" + number).toString()));
        command.addAll(List.of("--name", "w" + number, "--allow-private", "--quiet"));
        command.addAll(List.of("--host-lease", "3s"));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(
                                directory.resolve("w" + number + ".out").toFile()))
                .start();
    }

    @Test
    void aListIsReadOnceAlthoughItsReadersAreKilled() throws Exception {
        var file = list();
        var workers = new ArrayList<Process>();
        try (var redis = RedisProcess.start(Files.createDirectories(directory.resolve("redis")));
                var fleet = Fleet.open(FleetSettings.of(redis.uri(), "orbweaver", "visitor"))) {
            var job =
                    fleet.submit(
                            "once",
                            new Fleet.JobSpec(
                                    SETTINGS,
                                    List.of("http://127.0.0.1:1/seed"),
                                    List.of(new Fleet.SeedFile("file.list", file)),
                                    1,
                                    ""),
                            Instant.now());
            for (var i = 0; i < WORKERS; i++) {
                workers.add(worker(redis, i));
            }
            for (var kill = 1; kill <= KILLS; kill++) {
                var some = (long) LINES * kill / (KILLS + 2);
                Eventually.until(
                        some + " lines are read",
                        () -> fleet.ledger(job, Instant.now()).offered() >= some);
                assertThat(fleet.hasUnreadSeeds(job)).as("killed while reading").isTrue();
                // All of them, as it is not visible which one is the reader.
                for (var i = 0; i < WORKERS; i++) {
                    workers.get(i).destroyForcibly().waitFor();
                    workers.set(i, worker(redis, i));
                }
            }
            Eventually.until("the list is read", () -> !fleet.hasUnreadSeeds(job));
            assertLedger(fleet.ledger(job, Instant.now()));
            assertThat(rejectedLines(job.number())).hasSize(LINES / 20);
            assertThat(fleet.job(job).orElseThrow().state()).isEqualTo(FleetJob.State.RUNNING);
            assertAddsToJob(redis, fleet, fleet.job(job).orElseThrow());
        } finally {
            workers.forEach(Process::destroyForcibly);
        }
    }

    private static void assertLedger(Ledger ledger) {
        var urls = new TreeSet<String>();
        var valid = 0L;
        for (var number = 1; number <= LINES; number++) {
            if (number % 20 != 0) {
                urls.add(line(number));
                valid++;
            }
        }
        assertThat(ledger.accepted()).isEqualTo(urls.size() + 1);
        // Workers that start together may each offer the seed that is not in the list.
        var repeated = valid - urls.size();
        assertThat(ledger.duplicate()).isBetween(repeated, repeated + WORKERS - 1L);
        assertThat(ledger.refused()).isEqualTo(LINES / 20);
        assertThat(ledger.balances()).isTrue();
    }

    /** Returns the numbers of all lines that a worker has rejected. */
    private Set<Integer> rejectedLines(int job) throws IOException {
        var numbers = new TreeSet<Integer>();
        for (var i = 0; i < WORKERS; i++) {
            var file =
                    directory.resolve(
                            "w%d/jobs/%d/seed-lists/000001-file.list.rejected.tsv"
                                    .formatted(i, job));
            if (Files.exists(file)) {
                for (var line : Files.readAllLines(file, UTF_8)) {
                    numbers.add(Integer.parseInt(line.substring(0, line.indexOf('\t'))));
                }
            }
        }
        return numbers;
    }

    private static void assertAddsToJob(RedisProcess redis, Fleet fleet, FleetJob job)
            throws Exception {
        var before = fleet.ledger(job.id(), Instant.now()).accepted();
        var number = Integer.toString(job.id().number());
        var added =
                CommandResult.run(
                        "fleet", "seed", number, "http://127.9.9.9:1/new", "--redis", redis.uri());
        assertThat(added.code()).as(added.err()).isZero();
        assertThat(added.out()).contains("job " + number + ": added 1 URL");
        Eventually.until(
                "the added URL is queued",
                () -> fleet.ledger(job.id(), Instant.now()).accepted() == before + 1);
        var missing =
                CommandResult.run("fleet", "seed", "1", "http://a.test/", "--redis", redis.uri());
        assertThat(missing.code()).isEqualTo(2);
        assertThat(missing.err()).contains("no job 1");
    }
}
