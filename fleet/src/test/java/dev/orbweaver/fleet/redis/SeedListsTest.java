package dev.orbweaver.fleet.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.SeedBatch;
import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Batches of seed lists in a real Redis, also if two workers read the same list. */
@Slow
class SeedListsTest {

    private static final JobId JOB = new JobId(7);
    private static final String LIST = "000001-x.list";

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

    private static RedisFrontier join(FleetSettings settings) {
        return FleetFixtures.join(settings, Politeness.DEFAULT, Fixture.START);
    }

    /** Creates a batch with a duplicate, a visited URL and two malformed lines. */
    private static SeedBatch batch(int number) {
        var seeds =
                new ArrayList<>(
                        IntStream.range(0, 1_500)
                                .mapToObj(i -> "http://h" + i % 40 + ".example/" + number + "/" + i)
                                .map(url -> Candidate.seed(Fixture.url(url), false))
                                .toList());
        seeds.add(seeds.getFirst());
        var visited = List.of(Fixture.url("http://done.example/" + number));
        return new SeedBatch(seeds, visited, List.of(), 2, position(number), position(number + 1));
    }

    private static SeedPosition position(int number) {
        return new SeedPosition(LIST, 100_000L * number, 1_504L * number, 2L * number);
    }

    private static Ledger offer(RedisFrontier frontier, SeedBatch batch) {
        assertThat(frontier.job(JOB).offerSeeds(batch, Fixture.START).isStored()).isTrue();
        return frontier.job(JOB).ledger();
    }

    @Test
    void aBatchThatWasStoredIsRejectedAndChangesNothing() {
        var settings = FleetFixtures.settings(redis.uri()).withShards(4);
        try (var first = join(settings);
                var second = join(settings.withWorker("w2"))) {
            var after = offer(first, batch(0));
            assertThat(after.accepted()).isEqualTo(1_501);
            assertThat(after.duplicate()).isEqualTo(1);
            assertThat(after.refused()).isEqualTo(2);
            assertThat(after.done()).isEqualTo(1);
            assertThat(second.job(JOB).offerSeeds(batch(0), Fixture.START).isStored()).isTrue();
            assertThat(second.job(JOB).ledger()).isEqualTo(after);
            var _ = offer(second, batch(1));
            assertThat(first.job(JOB).offerSeeds(batch(0), Fixture.START))
                    .isInstanceOf(CommitStatus.Rejected.class);
            assertThat(first.job(JOB).seedPositions()).containsExactly(position(2));
            assertThat(first.job(JOB).ledger().offered()).isEqualTo(2 * after.offered());
        }
    }

    @Test
    void aBatchWhosePositionWasNotStoredIsExecutedOnceByTheNextReader() throws IOException {
        var settings = FleetFixtures.settings(redis.uri()).withShards(4);
        try (var killed = join(settings);
                var next = join(settings.withWorker("w2"));
                var connection = RedisConnection.open(redis.uri(), settings.timeout())) {
            var _ = offer(killed, batch(0));
            var after = offer(killed, batch(1));
            var key = "ow:{" + settings.fleet() + ".s3}:seed-positions:7";
            var before = SeedLists.encode(position(1));
            // As if the worker was killed after it had offered the URLs of the second batch.
            var added =
                    connection.execute(
                            redis ->
                                    redis.hset(
                                            RedisConnection.bytes(key),
                                            RedisConnection.bytes(LIST),
                                            RedisConnection.bytes(before)));
            assertThat(added).isFalse();
            var refused = after.refused();
            var again = offer(next, batch(1));
            assertThat(again.accepted()).isEqualTo(after.accepted());
            assertThat(again.duplicate()).isEqualTo(after.duplicate());
            assertThat(again.refused()).isEqualTo(refused + 2); // Its lines were counted before.
            assertThat(next.job(JOB).seedPositions()).containsExactly(position(2));
        }
    }

    @Test
    void everyWorkerLearnsTheHostsOfTheSeedsOnce() {
        var settings = FleetFixtures.settings(redis.uri()).withShards(4);
        try (var first = join(settings);
                var second = join(settings.withWorker("w2"))) {
            var _ = offer(first, batch(0));
            var job = second.job(JOB);
            var hosts = new ArrayList<String>();
            job.forEachNewSeedHost(hosts::add);
            assertThat(hosts).hasSize(40).startsWith("h0.example", "h1.example");
            job.forEachNewSeedHost(hosts::add);
            assertThat(hosts).hasSize(40);
            assertThat(job.seeds()).isEmpty();
        }
    }

    @Test
    void aSeedWaitsForItsEarliestTime() {
        var settings = FleetFixtures.settings(redis.uri()).withShards(4);
        var later = Fixture.START.plusSeconds(3600);
        try (var frontier = join(settings)) {
            var seed =
                    new Candidate(
                            Fixture.url("http://a.example/later"),
                            Hop.SEED,
                            0,
                            0,
                            0,
                            later.toEpochMilli());
            var now = Candidate.seed(Fixture.url("http://a.example/now"), false);
            var _ = offer(frontier, new SeedBatch(List.of(seed, now), List.of(), 0, position(1)));
            var first = frontier.lease(9, Fixture.START);
            assertThat(first).hasSize(1);
            assertThat(first.getFirst().url().text()).isEqualTo("http://a.example/now");
            assertThat(frontier.job(JOB).ledger().queued()).isEqualTo(1);
            var job = frontier.job(JOB);
            var done =
                    Settlement.of(
                            first.getFirst(),
                            new Outcome.Done(true, 1),
                            new HostSignal.Healthy(Fixture.START));
            assertThat(
                            job.settle(new CommitBatch(List.of(done), List.of()), Fixture.START)
                                    .isStored())
                    .isTrue();
            assertThat(frontier.lease(9, later.minusSeconds(1))).isEmpty();
            assertThat(frontier.lease(9, later).getFirst().url().text())
                    .isEqualTo("http://a.example/later");
        }
    }
}
