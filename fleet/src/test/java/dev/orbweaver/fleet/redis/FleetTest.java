package dev.orbweaver.fleet.redis;

import static dev.orbweaver.internal.frontier.TestFrontier.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierFixtures;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.jobs.FleetReport;
import dev.orbweaver.internal.jobs.FleetReport.Worker;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;

@Slow
class FleetTest {

    @TempDir static Path directory;

    private static RedisProcess redis;

    @BeforeAll
    static void start() throws IOException {
        redis = RedisProcess.start(directory);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private static FleetSettings settings() {
        return FleetFixtures.settings(redis.uri()).withShards(4);
    }

    @Test
    void aJobIsSubmittedOnceHoweverOftenItIsSaid() throws IOException {
        try (var fleet = Fleet.open(settings())) {
            var seeds = List.of("http://a.example/", "b.example");
            var job = fleet.submit("k1", "depth: 3\n", seeds, Fixture.START);
            assertThat(fleet.submit("k1", "other", List.of(), Fixture.START)).isEqualTo(job);
            assertThat(fleet.submit("k2", "", List.of(), Fixture.START)).isNotEqualTo(job);
            assertThat(fleet.jobs()).hasSize(2);
            assertThat(fleet.jobs().getFirst())
                    .isEqualTo(
                            new FleetJob(
                                    job,
                                    FleetJob.State.QUEUED,
                                    "depth: 3\n",
                                    seeds,
                                    Fixture.START,
                                    0,
                                    1,
                                    "",
                                    FleetJob.StateDetail.NONE,
                                    fleet.jobs().getFirst().identity(),
                                    0));
        }
    }

    @Test
    void aJobGoesThroughItsStatesAndNoOther() throws IOException {
        try (var fleet = Fleet.open(settings())) {
            var job = fleet.submit("k", "", List.of(), Fixture.START);
            assertThat(fleet.resume(job)).isFalse();
            assertThat(fleet.start(job)).isTrue();
            assertThat(fleet.start(job)).isFalse();
            assertThat(fleet.pause(job)).isTrue();
            assertThat(fleet.finish(job, 0, "", false)).isFalse();
            assertThat(fleet.delete(job)).isFalse();
            assertThat(fleet.resume(job)).isTrue();
            assertThat(fleet.stop(job)).isTrue();
            assertThat(fleet.resume(job)).isFalse();
            assertThat(fleet.job(job)).map(FleetJob::state).contains(FleetJob.State.STOPPED);
            assertThat(fleet.delete(job)).isTrue();
            assertThat(fleet.jobs()).isEmpty();
            assertThat(fleet.stop(job)).isFalse();
        }
    }

    @Test
    void aJobThatWasChangedOrTakenUpAgainIsNotEndedByWhoeverKnewItBefore() throws IOException {
        try (var fleet = Fleet.open(settings())) {
            var jobSpec =
                    new Fleet.JobSpec(
                            "depth: 1\n", List.of("http://a.example/"), List.of(), 3, "as asked");
            var job = fleet.submit("k", jobSpec, Fixture.START);
            assertThat(fleet.start(job)).isTrue();
            assertThat(fleet.change(job, "depth: 2\n", 5, "as changed")).isTrue();
            assertThat(fleet.finish(job, 0, "too early", false)).isFalse();
            var changed = fleet.job(job).orElseThrow();
            assertThat(changed.settings()).isEqualTo("depth: 2\n");
            assertThat(changed.note()).isEqualTo("as changed");
            assertThat(changed.weight()).isEqualTo(5);
            assertThat(fleet.finish(job, changed.version(), "All was visited.", false)).isTrue();
            var stateDetail = fleet.job(job).orElseThrow().stateDetail();
            assertThat(stateDetail.reason()).isEqualTo("All was visited.");
            assertThat(stateDetail.startedAt()).isPresent();
            assertThat(fleet.reopen(job)).isTrue();
            assertThat(fleet.start(job)).isTrue();
            assertThat(fleet.finish(job, changed.version(), "said late", false)).isFalse();
            assertThat(fleet.job(job)).map(FleetJob::state).contains(FleetJob.State.RUNNING);
            assertThat(fleet.job(job).orElseThrow().stateDetail().startedAt())
                    .isEqualTo(stateDetail.startedAt());
        }
    }

    @Test
    void thereIsNewsWheneverAJobComesGoesOrIsChanged() throws IOException {
        try (var fleet = Fleet.open(settings())) {
            var news = new HashSet<String>();
            assertThat(news.add(fleet.jobsVersion())).isTrue();
            var job = fleet.submit("k", "", List.of(), Fixture.START);
            assertThat(news.add(fleet.jobsVersion())).isTrue();
            assertThat(news.add(fleet.jobsVersion())).isFalse();
            assertThat(fleet.start(job)).isTrue();
            assertThat(news.add(fleet.jobsVersion())).isTrue();
            assertThat(fleet.start(job)).isFalse();
            assertThat(news.add(fleet.jobsVersion())).isFalse();
            assertThat(fleet.change(job, "depth: 2\n", 1, "")).isTrue();
            assertThat(news.add(fleet.jobsVersion())).isTrue();
            assertThat(fleet.stop(job)).isTrue();
            assertThat(news.add(fleet.jobsVersion())).isTrue();
            assertThat(fleet.delete(job)).isTrue();
            assertThat(news.add(fleet.jobsVersion())).isTrue();
        }
    }

    @Test
    void whatIsSentAgainAfterItWasDeletedIsANewJob() throws IOException {
        try (var fleet = Fleet.open(settings())) {
            var job = fleet.submit("k", "", List.of(), Fixture.START);
            assertThat(fleet.findByIdempotencyKey("k")).contains(job);
            assertThat(fleet.stop(job)).isTrue();
            assertThat(fleet.delete(job)).isTrue();
            assertThat(fleet.findByIdempotencyKey("k")).isEmpty();
            assertThat(fleet.submit("k", "", List.of(), Fixture.START)).isNotEqualTo(job);
        }
    }

    @Test
    void ofAllWhoAskOneTellsOfAnEnd() throws IOException {
        try (var fleet = Fleet.open(settings())) {
            var job = fleet.submit("k", "", List.of(), Fixture.START);
            assertThat(fleet.claimNotification(job, Fixture.START)).isTrue();
            assertThat(fleet.claimNotification(job, Fixture.START)).isFalse();
            assertThat(fleet.claimNotification(job, Fixture.START.plusSeconds(1))).isTrue();
            assertThat(fleet.claimNotification(new JobId(77), Fixture.START)).isFalse();
            assertThat(fleet.job(new JobId(77))).isEmpty();
        }
    }

    @Test
    void shardsAndMemoryAreShown() throws IOException {
        var settings = settings();
        try (var fleet = Fleet.open(settings);
                var frontier =
                        FleetFixtures.join(settings, FrontierFixtures.PLAIN, Fixture.START)) {
            var job = fleet.submit("k", "", List.of(), Fixture.START);
            durable(
                    frontier.offer(
                            job,
                            List.of(
                                    Fixture.link("http://a.example/1"),
                                    Fixture.link("http://a.example/2")),
                            Fixture.START));
            assertThat(fleet.shards(Fixture.START)).hasSize(4);
            assertThat(
                            fleet.shards(Fixture.START).stream()
                                    .mapToLong(FleetReport.Shard::queued)
                                    .sum())
                    .isEqualTo(2);
            assertThat(
                            fleet.shards(Fixture.START).stream()
                                    .mapToInt(FleetReport.Shard::hosts)
                                    .sum())
                    .isEqualTo(1);
            assertThat(frontier.hosts(job, 5, Fixture.START).counts().ready()).isEqualTo(1);
            assertThat(fleet.memory().usedBytes()).isPositive();
            assertThat(fleet.memory().maxBytes()).isZero();
            assertThat(fleet.memory().version()).isNotEmpty();
        }
    }

    @Test
    void nothingOfAPausedJobIsHandedOut() throws IOException {
        var settings = settings();
        try (var fleet = Fleet.open(settings);
                var frontier =
                        FleetFixtures.join(settings, FrontierFixtures.PLAIN, Fixture.START)) {
            var job = fleet.submit("k", "", List.of(), Fixture.START);
            var other = fleet.submit("l", "", List.of(), Fixture.START);
            durable(
                    frontier.offer(
                            job, List.of(Fixture.link("http://a.example/1")), Fixture.START));
            durable(
                    frontier.offer(
                            other, List.of(Fixture.link("http://a.example/2")), Fixture.START));
            assertThat(fleet.pause(job)).isTrue();
            assertThat(frontier.lease(9, Fixture.START))
                    .extracting(lease -> lease.job())
                    .containsExactly(other);
            assertThat(fleet.ledger(job, Fixture.START).queued()).isEqualTo(1);
            assertThat(fleet.hosts(Fixture.START).busy()).isEqualTo(1);
            assertThat(fleet.ledgers(Fixture.START)).containsOnlyKeys(job, other);
            var fleetStats = fleet.fleetStats(Fixture.START);
            assertThat(fleetStats.hosts()).isEqualTo(fleet.hosts(Fixture.START));
            fleetStats
                    .jobs()
                    .forEach(
                            (id, stats) ->
                                    assertThat(stats.ledger())
                                            .isEqualTo(fleet.ledger(id, Fixture.START)));
            assertThat(fleetStats.jobs()).containsOnlyKeys(job, other);
        }
        try (var fleet = Fleet.open(settings);
                var frontier =
                        FleetFixtures.join(settings, FrontierFixtures.PLAIN, Fixture.START)) {
            assertThat(fleet.resume(fleet.jobs().getFirst().id())).isTrue();
            assertThat(frontier.lease(9, Fixture.START.plusSeconds(40)))
                    .extracting(lease -> lease.url().text())
                    .contains("http://a.example/1");
        }
    }

    @Test
    void noHostWaitsForAJobThatHasEndedOrIsPaused() throws IOException {
        var settings = settings();
        try (var fleet = Fleet.open(settings);
                var frontier =
                        FleetFixtures.join(settings, FrontierFixtures.PLAIN, Fixture.START)) {
            var job = fleet.submit("k", "", List.of(), Fixture.START);
            assertThat(fleet.start(job)).isTrue();
            for (var host : List.of("a", "b", "c")) {
                durable(
                        frontier.offer(
                                job,
                                List.of(Fixture.link("http://" + host + ".example/")),
                                Fixture.START));
            }
            assertThat(fleet.hosts(Fixture.START).ready()).isEqualTo(3);
            assertThat(fleet.pause(job)).isTrue();
            assertThat(fleet.hosts(Fixture.START))
                    .isEqualTo(new FrontierStats.Hosts(3, 0, 0, 0, 0));
            assertThat(fleet.resume(job)).isTrue();
            assertThat(fleet.hosts(Fixture.START).ready()).isEqualTo(3);
            assertThat(fleet.stop(job)).isTrue();
            assertThat(fleet.hosts(Fixture.START).ready()).isZero();
            assertThat(fleet.stats(job, Fixture.START).hosts().ready()).isZero();
            assertThat(fleet.ledger(job, Fixture.START).queued()).isEqualTo(3);
        }
    }

    @Test
    void workersAreSeenWithWhatTheyDo() throws IOException {
        var settings = settings();
        try (var fleet = Fleet.open(settings);
                var frontier =
                        FleetFixtures.join(settings, FrontierFixtures.PLAIN, Fixture.START)) {
            var _ = frontier.heartbeat("3 pages a second", true, Fixture.START);
            assertThat(fleet.workers())
                    .containsExactly(new Worker("w1", Fixture.START, "3 pages a second"));
            assertThat(fleet.memoryUsed()).isPositive();
        }
    }

    @Test
    void aRedisThatWouldForgetOrEvictIsWarnedOf(@TempDir Path other) throws IOException {
        try (var fleet = Fleet.open(settings())) {
            assertThat(fleet.warnings())
                    .singleElement()
                    .asString()
                    .contains("no append-only file")
                    .endsWith(".");
        }
        try (var server =
                        RedisProcess.start(
                                other, "--appendonly", "yes", "--maxmemory-policy", "allkeys-lru");
                var fleet = Fleet.open(FleetFixtures.settings(server.uri()))) {
            assertThat(fleet.warnings()).singleElement().asString().contains("allkeys-lru");
        }
    }

    @Test
    void anAddressThatIsNoneIsRefusedWithoutRepeatingIt() {
        var settings = FleetSettings.of("http://user:secret@h", "f", "w");
        assertThatThrownBy(() -> Fleet.open(settings))
                .isInstanceOf(IOException.class)
                .hasMessageNotContaining("secret");
    }

    @Test
    void aPasswordIsNeededWhereRedisAsksForOne(@TempDir Path other) throws IOException {
        try (var server = RedisProcess.start(other, "--requirepass", "pass-word")) {
            var right = "redis://:pass-word@127.0.0.1:" + server.port;
            try (var fleet = Fleet.open(FleetFixtures.settings(right))) {
                assertThat(fleet.jobs()).isEmpty();
            }
            assertThatThrownBy(() -> Fleet.open(FleetFixtures.settings(server.uri())))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void hostsAreLentForTheSameTimeByAllOrAWorkerIsRefused() throws IOException {
        var settings = settings();
        var longer = settings.withWorker("w2").withHostLease(Duration.ofSeconds(31));
        try (var one = Fleet.open(settings);
                var two = Fleet.open(longer)) {
            one.join(Fixture.START);
            one.join(Fixture.START); // Again after a restart.
            assertThatThrownBy(() -> two.join(Fixture.START))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("has a host lease of 30000 ms, but this worker 31000 ms")
                    .hasMessageContaining("--host-lease");
            assertThat(two.workers()).extracting(Worker::name).containsExactly("w1");
            two.join(
                    Fixture.START
                            .plus(settings.workerTimeout())
                            .plusSeconds(1)); // No other worker is left.
            assertThatThrownBy(
                            () ->
                                    one.join(
                                            Fixture.START
                                                    .plus(settings.workerTimeout())
                                                    .plusSeconds(2)))
                    .hasMessageContaining("has a host lease of 31000 ms");
        }
    }

    @Test
    void theDirectoryOfLongQueuesIsTheSameForAllOrAWorkerIsRefused(@TempDir Path shared)
            throws IOException {
        var settings = settings();
        var place = new OverflowStore.InFiles(shared.resolve("a"), 0);
        var other = new OverflowStore.InFiles(shared.resolve("b"), 0);
        try (var plain = Fleet.open(settings);
                var filing = Fleet.open(settings.withWorker("w2").withOverflowStore(place));
                var same = Fleet.open(settings.withWorker("w3").withOverflowStore(place));
                var elsewhere = Fleet.open(settings.withWorker("w4").withOverflowStore(other))) {
            plain.join(Fixture.START);
            assertThatThrownBy(() -> filing.join(Fixture.START))
                    .hasMessageContaining("has workers without --overflow");
            var later = Fixture.START.plus(settings.workerTimeout()).plusSeconds(1);
            filing.join(later);
            same.join(later);
            assertThatThrownBy(() -> plain.join(later))
                    .hasMessageContaining("stores long queues in files");
            assertThatThrownBy(() -> elsewhere.join(later))
                    .hasMessageContaining("is not the one in which the fleet");
            var alone = later.plus(settings.workerTimeout()).plusSeconds(1);
            assertThatThrownBy(() -> elsewhere.join(alone))
                    .hasMessageContaining("is not the one in which the fleet");
        }
    }
}
