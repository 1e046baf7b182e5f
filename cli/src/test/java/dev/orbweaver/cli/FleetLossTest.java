package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.fleet.FleetWorker;
import dev.orbweaver.fleet.WorkerSettings;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisDataLostException;
import dev.orbweaver.fleet.redis.RedisProcess;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.sink.FleetPart;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Commands report a Redis that has lost its data, is full, or may evict keys. */
@Timeout(60)
@Slow
class FleetLossTest {

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path data;

    private static FleetSettings settings(RedisProcess redis, String worker) {
        return FleetSettings.of(redis.uri(), "orbweaver", worker);
    }

    /** A running worker and its result. */
    private record RunningWorker(FleetWorker worker, CompletableFuture<Throwable> end)
            implements AutoCloseable {

        static RunningWorker start(RedisProcess redis, Path data) throws IOException {
            var worker = FleetWorker.join(new WorkerSettings(settings(redis, "w"), data, 4, true));
            var end = new CompletableFuture<Throwable>();
            var _ =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            worker.run();
                                        } catch (InterruptedException | RuntimeException e) {
                                            end.complete(e);
                                        }
                                    });
            return new RunningWorker(worker, end);
        }

        @Override
        public void close() throws IOException {
            worker.close();
        }
    }

    private static void await(Callable<Boolean> what) throws Exception {
        Eventually.until("what this test waits for", what::call);
    }

    private static CommandResult crawl(RedisProcess redis, SmallSite site, String delay) {
        return CommandResult.run(
                "crawl",
                site.url(),
                "--redis",
                redis.uri(),
                "--delay",
                delay,
                "--set",
                "min-free-disk=0");
    }

    private List<String> pages(JobId job) throws IOException {
        var urls = new ArrayList<String>();
        var directory = data.resolve("w/jobs/" + job.number());
        PageLog.read(directory.resolve(DirectoryLayout.PAGE_LOG), entry -> urls.add(entry.url()));
        return urls;
    }

    private static JobId only(Fleet fleet) throws IOException {
        return fleet.jobs().getFirst().id();
    }

    @Test
    void lostRedisDataIsReportedAndTheNextJobIsNew() throws Exception {
        try (var redis = RedisProcess.start(data.resolve("redis"));
                var site = new SmallSite();
                var fleet = Fleet.open(settings(redis, "visitor"))) {
            var lost = new CompletableFuture<JobId>();
            try (var first = RunningWorker.start(redis, data.resolve("w"))) {
                var _ =
                        Thread.ofVirtual()
                                .start(
                                        () -> {
                                            try {
                                                await(() -> !fleet.jobs().isEmpty());
                                                var job = only(fleet);
                                                var now = Instant.now();
                                                await(() -> fleet.ledger(job, now).pages() > 0);
                                                var _ = redis.command("FLUSHALL");
                                                lost.complete(job);
                                            } catch (Exception | AssertionError e) {
                                                lost.completeExceptionally(e);
                                            }
                                        });
                var followed = crawl(redis, site, "2s");
                assertThat(followed.out() + followed.err())
                        .contains("Redis lost its data")
                        .doesNotContain("deleted");
                assertThat(followed.code()).isEqualTo(ExitCode.OUTPUT.code());
                assertThat(first.end.get(30, TimeUnit.SECONDS))
                        .hasMessageContaining("Redis lost its data");
                assertThat(first.worker.problem().orElseThrow()).contains("Redis lost its data");
            }
            var old = lost.get(30, TimeUnit.SECONDS);
            var before = pages(old);
            assertThatThrownBy(() -> fleet.job(old)).isInstanceOf(RedisDataLostException.class);
            assertThatThrownBy(() -> fleet.submit("k", "", List.of(), Instant.now()))
                    .isInstanceOf(RedisDataLostException.class);
            try (var again = Fleet.open(settings(redis, "visitor"));
                    var second = RunningWorker.start(redis, data.resolve("w"))) {
                assertThat(second.worker.warnings())
                        .anyMatch(text -> text.startsWith("Redis lost its data since"));
                assertThat(crawl(redis, site, "0").out()).contains("finished: 3 pages");
                var next = only(again);
                assertThat(next.number()).isGreaterThan(old.number());
                assertThat(pages(next)).contains(site.url() + "c");
                assertThat(pages(old)).isEqualTo(before);
                redis.kill();
                redis.restart(); // It has no files.
                assertThat(second.end.get(30, TimeUnit.SECONDS))
                        .hasMessageContaining("Redis lost its data");
            }
        }
    }

    @Test
    void aWorkerDoesNotWriteIntoTheDirectoryOfAnotherJob() throws Exception {
        try (var redis = RedisProcess.start(data.resolve("redis"));
                var fleet = Fleet.open(settings(redis, "visitor"))) {
            var job =
                    fleet.submit(
                            "once", "seeds: ['http://127.0.0.1:1/']\n", List.of(), Instant.now());
            var directory = Files.createDirectories(data.resolve("w/jobs/" + job.number()));
            new FleetPart("w", 1, "main/" + job.number(), "another").save(directory);
            Files.writeString(directory.resolve(DirectoryLayout.PAGE_LOG), "");
            try (var here = RunningWorker.start(redis, data.resolve("w"))) {
                await(() -> !here.worker.problems().isEmpty());
                assertThat(here.worker.problems().get(job)).contains("files of another job");
            }
            assertThat(fleet.job(job).map(FleetJob::state)).contains(FleetJob.State.QUEUED);
            assertThat(FleetPart.read(directory).orElseThrow().identity()).isEqualTo("another");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"allkeys-lru", "volatile-ttl"})
    void aRedisThatWouldDropKeysIsRefused(String policy) throws Exception {
        try (var redis =
                RedisProcess.start(
                        data.resolve("redis"),
                        "--maxmemory",
                        "100mb",
                        "--maxmemory-policy",
                        policy)) {
            var directory = data.resolve("w").toString();
            for (var command :
                    List.of(
                            List.of("worker", "--data", directory),
                            List.of("serve", "--data", directory, "--port", "0"),
                            List.of("crawl", "http://127.0.0.1:1/"))) {
                var line = new ArrayList<>(command);
                line.addAll(List.of("--redis", redis.uri()));
                var said = CommandResult.run(line.toArray(String[]::new));
                assertThat(said.code()).as(said.toString()).isEqualTo(ExitCode.OUTPUT.code());
                assertThat(said.err()).contains(policy).contains("set maxmemory-policy noeviction");
            }
            assertThat(redis.command("CONFIG", "SET", "maxmemory", "0")).contains("OK");
            try (var fleet = Fleet.open(settings(redis, "visitor"))) {
                fleet.requireNoEviction();
                assertThat(fleet.warnings()).anyMatch(text -> text.contains(policy));
            }
        }
    }

    @Test
    void aFullRedisIsCalledFullByWorkersAndFollowers() throws Exception {
        try (var redis = RedisProcess.start(data.resolve("redis"));
                var site = new SmallSite();
                var fleet = Fleet.open(settings(redis, "visitor"));
                var here = RunningWorker.start(redis, data.resolve("w"))) {
            assertThat(fleet.isFull()).isFalse();
            var filled = new CompletableFuture<String>();
            var _ =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            await(() -> !fleet.jobs().isEmpty());
                                            var job = only(fleet);
                                            var now = Instant.now();
                                            await(() -> fleet.ledger(job, now).pages() > 0);
                                            var _ =
                                                    redis.command(
                                                            "CONFIG", "SET", "maxmemory", "1");
                                            await(() -> here.worker.problem().isPresent());
                                            LockSupport.parkNanos(1_500_000_000);
                                            filled.complete(here.worker.problem().orElse(""));
                                            var _ =
                                                    redis.command(
                                                            "CONFIG", "SET", "maxmemory", "0");
                                            await(() -> here.worker.problem().isEmpty());
                                            var _ = fleet.stop(job);
                                        } catch (Exception | AssertionError e) {
                                            filled.completeExceptionally(e);
                                        }
                                    });
            var followed = crawl(redis, site, "2s");
            assertThat(filled.get(30, TimeUnit.SECONDS)).startsWith("Redis is full");
            assertThat(followed.out()).contains("Redis is full");
        }
    }
}
