package dev.orbweaver.fleet.redis;

import static dev.orbweaver.internal.frontier.TestFrontier.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierFixtures;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.frontier.UrlState;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Two workers make random calls on queues that are moved to files all the time, and one of them
 * dies at random; two plain sets have the accepted and the done URLs.
 */
@Slow
class OverflowModelTest {

    private static final int STEPS = 700;

    @TempDir Path directory;

    private final long seed = Long.getLong("orbweaver.seed", 20_261L);
    private final Random random = new Random(seed);
    private final Set<String> accepted = new HashSet<>();
    private final Set<String> done = new HashSet<>();
    private final List<RedisFrontier> workers = new ArrayList<>();
    private Instant now = Fixture.START;
    private FleetSettings settings = FleetSettings.of("redis://127.0.0.1", "model", "w");
    private int lives;

    private RedisFrontier join() {
        return FleetFixtures.join(settings.withWorker("w" + lives++), FrontierFixtures.PLAIN, now);
    }

    @Test
    void ledgerAndSetsAgreeAfterEveryStepAndEveryUrlIsDoneOnce() throws IOException {
        try (var redis = RedisProcess.start(directory.resolve("redis"))) {
            settings =
                    FleetFixtures.settings(redis.uri())
                            .withShards(3)
                            .withUrlsPerHost(4)
                            .withOverflowStore(
                                    new OverflowStore.InFiles(directory.resolve("tails"), 0));
            workers.add(join());
            workers.add(join());
            for (var i = 0; i < STEPS; i++) {
                step(workers.get(random.nextInt(2)));
                now = now.plusMillis(random.nextInt(300));
            }
            for (var i = 0; done.size() < accepted.size(); i++) {
                assertThat(i).as("rounds at the end, seed %d", seed).isLessThan(2_000);
                workers.forEach(this::work);
                now = now.plusSeconds(1);
            }
            check(workers.getFirst());
            assertThat(workers.getFirst().spilledUrls(TestFrontier.JOB))
                    .as("seed %d", seed)
                    .isZero();
            workers.forEach(RedisFrontier::close);
        }
    }

    private void step(RedisFrontier worker) throws IOException {
        switch (random.nextInt(8)) {
            case 0, 1 -> offer(worker);
            case 2, 3, 4 -> work(worker);
            case 5, 6 -> worker.spillAll();
            default -> {
                if (random.nextInt(10) == 0) {
                    workers.set(workers.indexOf(worker), join()); // It never responds again.
                    now = now.plus(settings.hostLease()).plus(Duration.ofSeconds(1));
                }
            }
        }
        check(workers.get(random.nextInt(2)));
    }

    private String any() {
        return "http://h" + random.nextInt(7) + ".example/" + random.nextInt(200);
    }

    private void offer(RedisFrontier worker) {
        var some = new ArrayList<String>();
        for (var i = 0; i < 1 + random.nextInt(20); i++) {
            some.add(any());
        }
        durable(worker.offer(TestFrontier.JOB, some.stream().map(Fixture::link).toList(), now));
        accepted.addAll(some);
    }

    private void work(RedisFrontier worker) {
        for (Lease lease : worker.lease(1 + random.nextInt(9), now)) {
            var page = Settlement.of(lease, new Outcome.Done(true, 1), new HostSignal.Healthy(now));
            durable(worker.settle(new CommitBatch(List.of(page), List.of()), now));
            assertThat(done.add(lease.url().text())).as("%s, seed %d", lease, seed).isTrue();
        }
    }

    private void check(RedisFrontier worker) {
        var ledger = worker.ledger();
        assertThat(ledger.accepted()).as("seed %d", seed).isEqualTo(accepted.size());
        assertThat(ledger.done()).as("seed %d", seed).isEqualTo(done.size());
        assertThat(ledger.queued()).as("seed %d", seed).isEqualTo(accepted.size() - done.size());
        assertThat(worker.spilledUrls(TestFrontier.JOB))
                .as("seed %d", seed)
                .isBetween(0L, ledger.queued());
        var url = any();
        var where = worker.explain(TestFrontier.JOB, Fixture.url(url));
        if (!accepted.contains(url)) {
            assertThat(where).as("seed %d", seed).isEqualTo(new UrlState.NeverAccepted());
        } else if (done.contains(url)) {
            assertThat(where).as("seed %d", seed).isEqualTo(new UrlState.Settled());
        } else {
            assertThat(where)
                    .as("%s, seed %d", url, seed)
                    .isInstanceOfAny(UrlState.Queued.class, UrlState.Leased.class);
        }
    }
}
