package dev.orbweaver.frontier.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.FleetReport;
import dev.orbweaver.FleetReport.Worker;
import dev.orbweaver.frontier.FrontierScenes;
import dev.orbweaver.frontier.Scene;
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

    @TempDir static Path folder;

    private static RedisProcess redis;

    @BeforeAll
    static void start() throws IOException {
        redis = RedisProcess.start(folder);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private static FleetSettings settings() {
        return Fleets.settings(redis.uri()).withShards(4);
    }

    @Test
    void aJobIsSubmittedOnceHoweverOftenItIsSaid() throws IOException {
        try (var fleet = Fleet.open(settings())) {
            var seeds = List.of("http://a.example/", "b.example");
            var job = fleet.submit("k1", "depth: 3\n", seeds, Scene.START);
            assertThat(fleet.submit("k1", "other", List.of(), Scene.START)).isEqualTo(job);
            assertThat(fleet.submit("k2", "", List.of(), Scene.START)).isNotEqualTo(job);
            assertThat(fleet.jobs()).hasSize(2);
            assertThat(fleet.jobs().getFirst())
                    .isEqualTo(
                            new Job(
                                    job,
                                    Job.State.QUEUED,
                                    "depth: 3\n",
                                    seeds,
                                    Scene.START,
                                    0,
                                    1,
                                    "",
                                    Job.Course.NONE,
                                    fleet.jobs().getFirst().identity()));
        }
    }

    @Test
    void aJobGoesThroughItsStatesAndNoOther() throws IOException {
        try (var fleet = Fleet.open(settings())) {
            var job = fleet.submit("k", "", List.of(), Scene.START);
            assertThat(fleet.resume(job)).isFalse();
            assertThat(fleet.begin(job)).isTrue();
            assertThat(fleet.begin(job)).isFalse();
            assertThat(fleet.pause(job)).isTrue();
            assertThat(fleet.finish(job, 0, "", false)).isFalse();
            assertThat(fleet.delete(job)).isFalse();
            assertThat(fleet.resume(job)).isTrue();
            assertThat(fleet.stop(job)).isTrue();
            assertThat(fleet.resume(job)).isFalse();
            assertThat(fleet.job(job)).map(Job::state).contains(Job.State.STOPPED);
            assertThat(fleet.delete(job)).isTrue();
            assertThat(fleet.jobs()).isEmpty();
            assertThat(fleet.stop(job)).isFalse();
        }
    }

    @Test
    void aJobThatWasChangedOrTakenUpAgainIsNotEndedByWhoeverKnewItBefore() throws IOException {
        try (var fleet = Fleet.open(settings())) {
            var wish = new Fleet.Wish("depth: 1\n", List.of("http://a.example/"), 3, "as asked");
            var job = fleet.submit("k", wish, Scene.START);
            assertThat(fleet.begin(job)).isTrue();
            assertThat(fleet.change(job, "depth: 2\n", 5, "as changed")).isTrue();
            assertThat(fleet.finish(job, 0, "too early", false)).isFalse();
            var changed = fleet.job(job).orElseThrow();
            assertThat(changed.settings()).isEqualTo("depth: 2\n");
            assertThat(changed.note()).isEqualTo("as changed");
            assertThat(changed.weight()).isEqualTo(5);
            assertThat(fleet.finish(job, changed.version(), "All was visited.", false)).isTrue();
            var course = fleet.job(job).orElseThrow().course();
            assertThat(course.reason()).isEqualTo("All was visited.");
            assertThat(course.begun()).isPresent();
            assertThat(fleet.reopen(job)).isTrue();
            assertThat(fleet.begin(job)).isTrue();
            assertThat(fleet.finish(job, changed.version(), "said late", false)).isFalse();
            assertThat(fleet.job(job)).map(Job::state).contains(Job.State.RUNNING);
            assertThat(fleet.job(job).orElseThrow().course().begun()).isEqualTo(course.begun());
        }
    }

    @Test
    void thereIsNewsWheneverAJobComesGoesOrIsChanged() throws IOException {
        try (var fleet = Fleet.open(settings())) {
            var news = new HashSet<String>();
            assertThat(news.add(fleet.news())).isTrue();
            var job = fleet.submit("k", "", List.of(), Scene.START);
            assertThat(news.add(fleet.news())).isTrue();
            assertThat(news.add(fleet.news())).isFalse();
            assertThat(fleet.begin(job)).isTrue();
            assertThat(news.add(fleet.news())).isTrue();
            assertThat(fleet.begin(job)).isFalse();
            assertThat(news.add(fleet.news())).isFalse();
            assertThat(fleet.change(job, "depth: 2\n", 1, "")).isTrue();
            assertThat(news.add(fleet.news())).isTrue();
            assertThat(fleet.stop(job)).isTrue();
            assertThat(news.add(fleet.news())).isTrue();
            assertThat(fleet.delete(job)).isTrue();
            assertThat(news.add(fleet.news())).isTrue();
        }
    }

    @Test
    void whatIsSentAgainAfterItWasDeletedIsANewJob() throws IOException {
        try (var fleet = Fleet.open(settings())) {
            var job = fleet.submit("k", "", List.of(), Scene.START);
            assertThat(fleet.sentUnder("k")).contains(job);
            assertThat(fleet.stop(job)).isTrue();
            assertThat(fleet.delete(job)).isTrue();
            assertThat(fleet.sentUnder("k")).isEmpty();
            assertThat(fleet.submit("k", "", List.of(), Scene.START)).isNotEqualTo(job);
        }
    }

    @Test
    void ofAllWhoAskOneTellsOfAnEnd() throws IOException {
        try (var fleet = Fleet.open(settings())) {
            var job = fleet.submit("k", "", List.of(), Scene.START);
            assertThat(fleet.tells(job, Scene.START)).isTrue();
            assertThat(fleet.tells(job, Scene.START)).isFalse();
            assertThat(fleet.tells(job, Scene.START.plusSeconds(1))).isTrue();
            assertThat(fleet.tells(new JobId(77), Scene.START)).isFalse();
            assertThat(fleet.job(new JobId(77))).isEmpty();
        }
    }

    @Test
    void shardsAndMemoryAreShown() throws IOException {
        var settings = settings();
        try (var fleet = Fleet.open(settings);
                var frontier = Fleets.join(settings, FrontierScenes.PLAIN, Scene.START)) {
            var job = fleet.submit("k", "", List.of(), Scene.START);
            frontier.offer(
                    job,
                    List.of(Scene.link("http://a.example/1"), Scene.link("http://a.example/2")),
                    Scene.START);
            assertThat(fleet.shards(Scene.START)).hasSize(4);
            assertThat(
                            fleet.shards(Scene.START).stream()
                                    .mapToLong(FleetReport.Shard::queued)
                                    .sum())
                    .isEqualTo(2);
            assertThat(fleet.shards(Scene.START).stream().mapToInt(FleetReport.Shard::hosts).sum())
                    .isEqualTo(1);
            assertThat(frontier.hosts(job, 5, Scene.START).counts().ready()).isEqualTo(1);
            assertThat(fleet.memory().usedBytes()).isPositive();
            assertThat(fleet.memory().maxBytes()).isZero();
            assertThat(fleet.memory().version()).isNotEmpty();
        }
    }

    @Test
    void nothingOfAPausedJobIsHandedOut() throws IOException {
        var settings = settings();
        try (var fleet = Fleet.open(settings);
                var frontier = Fleets.join(settings, FrontierScenes.PLAIN, Scene.START)) {
            var job = fleet.submit("k", "", List.of(), Scene.START);
            var other = fleet.submit("l", "", List.of(), Scene.START);
            frontier.offer(job, List.of(Scene.link("http://a.example/1")), Scene.START);
            frontier.offer(other, List.of(Scene.link("http://a.example/2")), Scene.START);
            assertThat(fleet.pause(job)).isTrue();
            assertThat(frontier.lease(9, Scene.START))
                    .extracting(lease -> lease.job())
                    .containsExactly(other);
            assertThat(fleet.ledger(job, Scene.START).queued()).isEqualTo(1);
            assertThat(fleet.hosts(Scene.START).busy()).isEqualTo(1);
            assertThat(fleet.ledgers(Scene.START)).containsOnlyKeys(job, other);
            var figures = fleet.figures(Scene.START);
            assertThat(figures.hosts()).isEqualTo(fleet.hosts(Scene.START));
            figures.jobs()
                    .forEach(
                            (id, stats) ->
                                    assertThat(stats.ledger())
                                            .isEqualTo(fleet.ledger(id, Scene.START)));
            assertThat(figures.jobs()).containsOnlyKeys(job, other);
        }
        try (var fleet = Fleet.open(settings);
                var frontier = Fleets.join(settings, FrontierScenes.PLAIN, Scene.START)) {
            assertThat(fleet.resume(fleet.jobs().getFirst().id())).isTrue();
            assertThat(frontier.lease(9, Scene.START.plusSeconds(40)))
                    .extracting(lease -> lease.url().text())
                    .contains("http://a.example/1");
        }
    }

    @Test
    void workersAreSeenWithWhatTheyDo() throws IOException {
        var settings = settings();
        try (var fleet = Fleet.open(settings);
                var frontier = Fleets.join(settings, FrontierScenes.PLAIN, Scene.START)) {
            frontier.beat("3 pages a second", Scene.START);
            assertThat(fleet.workers())
                    .containsExactly(new Worker("w1", Scene.START, "3 pages a second"));
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
                var fleet = Fleet.open(Fleets.settings(server.uri()))) {
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
            try (var fleet = Fleet.open(Fleets.settings(right))) {
                assertThat(fleet.jobs()).isEmpty();
            }
            assertThatThrownBy(() -> Fleet.open(Fleets.settings(server.uri())))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void hostsAreLentForTheSameTimeByAllOrAWorkerIsRefused() throws IOException {
        var settings = settings();
        var longer = settings.withWorker("w2").withHostLease(Duration.ofSeconds(31));
        try (var one = Fleet.open(settings);
                var two = Fleet.open(longer)) {
            one.join(Scene.START);
            one.join(Scene.START); // Again after a restart.
            assertThatThrownBy(() -> two.join(Scene.START))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("lends hosts for 30000 ms, this worker for 31000 ms")
                    .hasMessageContaining("--host-lease");
            assertThat(two.workers()).extracting(Worker::name).containsExactly("w1");
            two.join(Scene.START.plus(settings.absence()).plusSeconds(1)); // Nobody else is left.
            assertThatThrownBy(() -> one.join(Scene.START.plus(settings.absence()).plusSeconds(2)))
                    .hasMessageContaining("lends hosts for 31000 ms");
        }
    }

    @Test
    void theFolderOfLongQueuesIsTheSameForAllOrAWorkerIsRefused(@TempDir Path shared)
            throws IOException {
        var settings = settings();
        var place = new LongTail.InFiles(shared.resolve("a"), 0);
        var other = new LongTail.InFiles(shared.resolve("b"), 0);
        try (var plain = Fleet.open(settings);
                var filing = Fleet.open(settings.withWorker("w2").withLongTail(place));
                var same = Fleet.open(settings.withWorker("w3").withLongTail(place));
                var elsewhere = Fleet.open(settings.withWorker("w4").withLongTail(other))) {
            plain.join(Scene.START);
            assertThatThrownBy(() -> filing.join(Scene.START))
                    .hasMessageContaining("has workers without --overflow");
            var later = Scene.START.plus(settings.absence()).plusSeconds(1);
            filing.join(later);
            same.join(later);
            assertThatThrownBy(() -> plain.join(later))
                    .hasMessageContaining("keeps long queues in files");
            assertThatThrownBy(() -> elsewhere.join(later))
                    .hasMessageContaining("is not the one in which the fleet");
            var alone = later.plus(settings.absence()).plusSeconds(1);
            assertThatThrownBy(() -> elsewhere.join(alone))
                    .hasMessageContaining("is not the one in which the fleet");
        }
    }
}
