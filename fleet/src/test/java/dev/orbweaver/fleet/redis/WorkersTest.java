package dev.orbweaver.fleet.redis;

import static dev.orbweaver.internal.frontier.TestFrontier.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.fleet.redis.ScriptConstants.ShardKey;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierFixtures;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.IntakeLimits;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.jobs.FleetReport.Worker;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.HostPattern;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** Several workers on one Redis: what they share, and what happens when one fails. */
@Slow
class WorkersTest {

    private static final Instant START = Fixture.START;
    private static final Politeness PLAIN = FrontierFixtures.PLAIN;
    private static final Duration LEASE = Duration.ofSeconds(30);

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

    private static CommitStatus offer(RedisFrontier frontier, Instant now, String... urls) {
        return frontier.offer(
                TestFrontier.JOB, Arrays.stream(urls).map(Fixture::link).toList(), now);
    }

    private static Settlement page(Lease lease, long capture, Instant now, Candidate... found) {
        return new Settlement(
                lease,
                new Outcome.Done(true, 10),
                new HostSignal.Healthy(now),
                capture,
                List.of(found),
                Map.of());
    }

    private static CommitStatus settle(RedisFrontier frontier, Settlement settlement, Instant now) {
        return frontier.settle(new CommitBatch(List.of(settlement), List.of()), now);
    }

    @Test
    void noUrlGoesToTwoWorkersAndNoHostIsAskedTooSoon() {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        var settings = settings();
        var all = new HashSet<String>();
        var lastEnd = new HashMap<String, Instant>();
        var now = START;
        var workers = new ArrayList<RedisFrontier>();
        for (var i = 0; i < 3; i++) {
            workers.add(FleetFixtures.join(settings.withWorker("w" + i), PLAIN, now));
        }
        durable(
                offer(
                        workers.getFirst(),
                        now,
                        IntStream.range(0, 150)
                                .mapToObj(i -> "http://h" + i % 25 + ".example/" + i)
                                .toArray(String[]::new)));
        for (var round = 0; all.size() < 150 && round < 2000; round++) {
            now = now.plusMillis(random.nextInt(400));
            var mine = random.nextInt(3);
            for (var lease : workers.get(mine).lease(1 + random.nextInt(10), now)) {
                assertThat(all.add(lease.url().text())).as("%s, seed %d", lease, seed).isTrue();
                var host = lease.url().host();
                if (lastEnd.containsKey(host)) {
                    assertThat(Duration.between(lastEnd.get(host), now))
                            .as("%s, seed %d", host, seed)
                            .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
                }
                lastEnd.put(host, now);
                durable(settle(workers.get(mine), page(lease, 0, now), now));
            }
            if (random.nextInt(20) == 0) {
                workers.get(mine).close();
                workers.set(mine, FleetFixtures.join(settings.withWorker("w" + mine), PLAIN, now));
            }
        }
        assertThat(all).as("seed %d", seed).hasSize(150);
        var ledger = workers.getFirst().ledger();
        assertThat(ledger.done()).as("seed %d", seed).isEqualTo(150);
        assertThat(ledger.balances()).isTrue();
        workers.forEach(RedisFrontier::close);
    }

    @Test
    void aHostThatAskedForQuietIsNamedByAWorkerThatDoesNotHoldIt() {
        var settings = settings();
        var until = START.plus(Duration.ofDays(1));
        try (var leaving = FleetFixtures.join(settings, PLAIN, START)) {
            durable(offer(leaving, START, "http://a.example/1", "http://a.example/2"));
            var lease = leaving.lease(9, START).getFirst();
            var signal = new HostSignal.RateLimited(START, until);
            var asked = Settlement.of(lease, new Outcome.Done(false, 1), signal);
            durable(settle(leaving, asked, START));
        }
        var later = START.plusSeconds(10);
        try (var other = FleetFixtures.join(settings.withWorker("w2"), PLAIN, later)) {
            var blocked = other.hosts(TestFrontier.JOB, 0, later).blocked();
            assertThat(blocked).hasSize(1);
            assertThat(blocked.getFirst().host()).isEqualTo("a.example");
            assertThat(blocked.getFirst().due()).contains(until);
            assertThat(blocked.getFirst().restReason().orElseThrow()).contains("Retry-After");
        }
    }

    @Test
    void aWorkerThatDiesGivesItsHostBackWhenItsLeaseHasPassedAndTheDelayIsKept() {
        var settings = settings();
        var dead = FleetFixtures.join(settings, PLAIN, START);
        durable(offer(dead, START, "http://a.example/1", "http://a.example/2"));
        assertThat(dead.lease(9, START)).hasSize(1);
        try (var other = FleetFixtures.join(settings.withWorker("w2"), PLAIN, START)) {
            assertThat(other.lease(9, START.plus(LEASE))).isEmpty();
            var lost = START.plus(LEASE).plusMillis(300);
            assertThat(other.lease(9, lost)).isEmpty();
            assertThat(other.lease(9, lost.plusMillis(999))).isEmpty();
            assertThat(other.lease(9, lost.plusMillis(1000)))
                    .extracting(lease -> lease.url().text())
                    .containsExactly("http://a.example/1");
        }
    }

    @Test
    void aWorkerThatWakesAfterItsLeasesExpiredChangesNothing() {
        var settings = settings();
        try (var late = FleetFixtures.join(settings, PLAIN, START);
                var other = FleetFixtures.join(settings.withWorker("w2"), PLAIN, START)) {
            durable(offer(late, START, "http://a.example/1", "http://a.example/2"));
            var old = late.lease(9, START).getFirst();
            var lost = START.plus(LEASE).plusMillis(300);
            assertThat(other.lease(9, lost)).isEmpty();
            var now = lost.plusSeconds(1);
            var current = other.lease(9, now).getFirst();
            assertThat(settle(late, page(old, 5, now), now))
                    .isEqualTo(new CommitStatus.Rejected(1));
            assertThat(late.ledger().done()).isZero();
            durable(settle(other, page(current, 6, now), now));
            assertThat(other.ledger().done()).isEqualTo(1);
            assertThat(late.lease(9, now)).isEmpty();
            assertThat(late.release(old, new ReleaseReason.Stopping(now), now))
                    .isEqualTo(new CommitStatus.Rejected(1));
        }
    }

    @Test
    void aWorkerThatLeavesHandsItsHostsOnWithTheirDelay() {
        var settings = settings();
        try (var other = FleetFixtures.join(settings.withWorker("w2"), PLAIN, START)) {
            try (var leaving = FleetFixtures.join(settings, PLAIN, START)) {
                durable(offer(leaving, START, "http://a.example/1", "http://a.example/2"));
                var lease = leaving.lease(9, START).getFirst();
                var now = START.plusMillis(500);
                durable(leaving.release(lease, new ReleaseReason.Stopping(now), now));
            }
            assertThat(other.lease(9, START.plusMillis(1499))).isEmpty();
            assertThat(other.lease(9, START.plusMillis(1800)))
                    .extracting(lease -> lease.url().text())
                    .containsExactly("http://a.example/1");
        }
    }

    @Test
    void whileOthersHoldTheWorkNobodyBelievesThatItIsDone() {
        var settings = settings();
        try (var holder = FleetFixtures.join(settings, PLAIN, START);
                var other = FleetFixtures.join(settings.withWorker("w2"), PLAIN, START)) {
            durable(offer(holder, START, "http://a.example/1"));
            var lease = holder.lease(9, START).getFirst();
            assertThat(other.lease(9, START)).isEmpty();
            assertThat(other.nextWork(START).isExhausted()).isFalse();
            durable(settle(holder, page(lease, 0, START), START));
            assertThat(other.nextWork(START.plusSeconds(2)).isExhausted()).isTrue();
        }
    }

    @Test
    void anAddressIsAskedByOneWorkerAtATimeAndADelayLiesBetweenTwo() {
        var politeness = FrontierFixtures.gates(Duration.ofMillis(100), Duration.ZERO);
        var settings = settings();
        var address = Fixture.ip("192.0.2.1");
        try (var one = FleetFixtures.join(settings, politeness, START);
                var two = FleetFixtures.join(settings.withWorker("w2"), politeness, START)) {
            durable(offer(one, START, "http://a.example/"));
            var first = one.lease(1, START).getFirst();
            durable(offer(one, START, "http://b.example/"));
            var second = two.lease(1, START).getFirst();
            assertThat(one.passGates(first, first.url(), address, START)).isEmpty();
            one.sent(first, START);
            var again = two.passGates(second, second.url(), address, START).orElseThrow();
            assertThat(again).isAfterOrEqualTo(START.plusMillis(100));
            assertThat(two.passGates(second, second.url(), address, again.minusMillis(1)))
                    .isPresent();
            assertThat(two.passGates(second, second.url(), address, again)).isEmpty();
            two.sent(second, again);
            assertThat(one.passGates(first, first.url(), address, again.plusMillis(99)))
                    .isPresent();
        }
    }

    @Test
    void aWorkerThatIsNotHeardOfIsStruckAndItsPagesStayDone() throws Exception {
        var settings = settings();
        var gone = FleetFixtures.join(settings, PLAIN, START);
        durable(offer(gone, START, "http://a.example/"));
        var _ = gone.heartbeat("crawling", true, START);
        durable(settle(gone, page(gone.lease(9, START).getFirst(), 1, START), START));
        try (var other = FleetFixtures.join(settings.withWorker("w2"), PLAIN, START);
                var fleet = Fleet.open(settings)) {
            var _ = other.heartbeat("", true, START.plus(settings.workerTimeout()));
            assertThat(fleet.workers()).hasSize(2);
            var _ = other.heartbeat("", true, START.plus(settings.workerTimeout()).plusMillis(1));
            assertThat(fleet.workers()).extracting(Worker::name).containsExactly("w2");
            assertThat(other.ledger().done()).isEqualTo(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aCallWhoseAnswerWasLostIsMadeOnce() throws IOException {
        try (var proxy = new CuttingProxy(redis.port)) {
            var settings = FleetFixtures.settings(proxy.uri()).withShards(1);
            try (var frontier = FleetFixtures.join(settings, PLAIN, START)) {
                proxy.dropNextReply();
                assertThat(offer(frontier, START, "http://a.example/1"))
                        .isInstanceOf(CommitStatus.Pending.class);
                durable(frontier.flush());
                assertThat(frontier.ledger().accepted()).isEqualTo(1);
                assertThat(frontier.ledger().duplicate()).isZero();
                var lease = frontier.lease(9, START).getFirst();
                proxy.dropNextReply();
                var found = Fixture.link("http://b.example/");
                assertThat(settle(frontier, page(lease, 1, START, found), START))
                        .isInstanceOf(CommitStatus.Pending.class);
                durable(frontier.flush());
                assertThat(frontier.ledger().done()).isEqualTo(1);
                assertThat(frontier.ledger().accepted()).isEqualTo(2);
                assertThat(frontier.ledger().offered()).isEqualTo(2);
                assertThat(frontier.lease(9, START))
                        .extracting(other -> other.url().text())
                        .containsExactly("http://b.example/");
                assertThat(proxy.armed()).isFalse();
            }
        }
    }

    @Test
    void linksOfAJobWithLimitsOutliveARedisThatIsAwayWhenTheyAreFound() throws IOException {
        try (var proxy = new CuttingProxy(redis.port)) {
            var settings = FleetFixtures.settings(proxy.uri()).withShards(2);
            try (var frontier = FleetFixtures.join(settings, PLAIN, START)) {
                frontier.setIntakeLimits(
                        TestFrontier.JOB, new IntakeLimits(Integer.MAX_VALUE, Long.MAX_VALUE, 3));
                durable(offer(frontier, START, "http://a.example/1", "http://b.example/1"));
                var leases = frontier.lease(9, START);
                var one = page(leases.get(0), 1, START, Fixture.link("http://c.example/1"));
                var two =
                        page(
                                leases.get(1),
                                2,
                                START,
                                Fixture.link("http://c.example/2"),
                                Fixture.link("http://d.example/2"));
                proxy.shut(true);
                assertThat(frontier.settle(new CommitBatch(List.of(one, two), List.of()), START))
                        .isInstanceOf(CommitStatus.Pending.class);
                assertThat(frontier.flush()).isInstanceOf(CommitStatus.Pending.class);
                proxy.shut(false);
                durable(frontier.flush());
                assertThat(frontier.ledger().done()).isEqualTo(2);
                assertThat(frontier.ledger().accepted()).isEqualTo(4);
                assertThat(frontier.ledger().refused()).isEqualTo(1);
                assertThat(frontier.lease(9, START))
                        .extracting(lease -> lease.url().text())
                        .containsExactly("http://c.example/1");
            }
        }
    }

    @Test
    void aPlaceIsTakenOnceThoughTheAnswerWasLost() throws IOException {
        try (var proxy = new CuttingProxy(redis.port)) {
            var settings = FleetFixtures.settings(proxy.uri()).withShards(1);
            try (var frontier = FleetFixtures.join(settings, PLAIN, START)) {
                frontier.setIntakeLimits(
                        TestFrontier.JOB, new IntakeLimits(Integer.MAX_VALUE, Long.MAX_VALUE, 2));
                for (var answers = 0; answers < 3; answers++) {
                    var host = "http://h" + answers + ".example/";
                    proxy.dropReplyAfter(answers);
                    if (!offer(frontier, START, host).isStored()) {
                        durable(frontier.flush());
                    }
                    assertThat(proxy.armed()).isFalse();
                }
                assertThat(frontier.ledger().accepted()).isEqualTo(2);
                assertThat(frontier.ledger().refused()).isEqualTo(1);
            }
        }
    }

    @Test
    void aCallWithoutAnAnswerIsRepeatedBeforeLinksThatWereFoundLater() throws IOException {
        try (var proxy = new CuttingProxy(redis.port)) {
            var settings = FleetFixtures.settings(proxy.uri()).withShards(1);
            try (var frontier = FleetFixtures.join(settings, PLAIN, START)) {
                frontier.setIntakeLimits(
                        TestFrontier.JOB, new IntakeLimits(Integer.MAX_VALUE, Long.MAX_VALUE, 9));
                proxy.dropReplyAfter(2); // Those that say that there is capacity come first.
                assertThat(offer(frontier, START, "http://a.example/1"))
                        .isInstanceOf(CommitStatus.Pending.class);
                durable(offer(frontier, START, "http://b.example/1", "http://a.example/1"));
                assertThat(frontier.ledger().accepted()).isEqualTo(2);
                assertThat(frontier.ledger().offered()).isEqualTo(3);
                assertThat(frontier.lease(9, START)).hasSize(2);
            }
        }
    }

    @Test
    void withoutRedisAWorkerWaitsAndThenGoesOn() throws IOException {
        try (var proxy = new CuttingProxy(redis.port)) {
            var settings = FleetFixtures.settings(proxy.uri()).withShards(2);
            try (var frontier = FleetFixtures.join(settings, PLAIN, START)) {
                durable(offer(frontier, START, "http://a.example/1", "http://b.example/1"));
                var lease = frontier.lease(1, START).getFirst();
                proxy.shut(true);
                assertThat(settle(frontier, page(lease, 1, START), START))
                        .isInstanceOf(CommitStatus.Pending.class);
                assertThat(frontier.flush())
                        .isInstanceOfSatisfying(
                                CommitStatus.Pending.class,
                                pending -> {
                                    assertThat(pending.problem().unreachable()).isTrue();
                                    assertThat(pending.problem().toString())
                                            .startsWith("frontier storage unavailable (redis): ");
                                });
                assertThat(frontier.lease(9, START)).isEmpty();
                assertThat(frontier.nextWork(START).isExhausted()).isFalse();
                proxy.shut(false);
                durable(frontier.flush());
                assertThat(frontier.ledger().done()).isEqualTo(1);
                assertThat(frontier.lease(9, START)).hasSize(1);
            }
        }
    }

    @Test
    void aRedisThatWasStartedAgainHandsNothingOutUntilEveryLeaseFromBeforeHasPassed(
            @TempDir Path other) throws IOException {
        try (var server =
                RedisProcess.start(other, "--appendonly", "yes", "--appendfsync", "always")) {
            var settings = FleetFixtures.settings(server.uri()).withShards(1);
            try (var frontier = FleetFixtures.join(settings, PLAIN, START)) {
                durable(offer(frontier, START, "http://a.example/1", "http://b.example/1"));
                var lease = frontier.lease(1, START).getFirst();
                server.kill();
                server.restart();
                durable(settleWhenPossible(frontier, page(lease, 1, START), START));
                assertThat(frontier.ledger().done()).isEqualTo(1);
                assertThat(frontier.lease(9, START.plus(LEASE).minusMillis(1))).isEmpty();
                assertThat(frontier.nextWork(START).isExhausted()).isFalse();
                assertThat(frontier.lease(9, START.plus(LEASE))).hasSize(1);
            }
        }
    }

    @Test
    void whatRedisForgotOfTheLastMinuteIsOfferedAgainAndWhatItKnowsIsNotCountedTwice(
            @TempDir Path other) throws IOException {
        try (var server = RedisProcess.start(other)) { // It writes no file, so it loses all data.
            var settings = FleetFixtures.settings(server.uri()).withShards(3);
            try (var frontier = FleetFixtures.join(settings, PLAIN, START.minusSeconds(90))) {
                durable(offer(frontier, START.minusSeconds(90), "http://old.example/"));
                durable(offer(frontier, START, "http://a.example/", "http://b.example/"));
                server.kill();
                server.restart();
                var found = List.of("http://a.example/", "http://c.example/");
                var now = START.plusSeconds(1);
                if (!offer(frontier, now, found.toArray(String[]::new)).isStored()) {
                    durable(frontier.flush());
                }
                assertThat(frontier.ledger().accepted()).isEqualTo(3);
                assertThat(frontier.ledger().queued()).isEqualTo(3);
                assertThat(frontier.ledger().balances()).isTrue();
                assertThat(frontier.lease(9, now))
                        .extracting(lease -> lease.url().host())
                        .containsExactlyInAnyOrder("a.example", "b.example", "c.example");
            }
        }
    }

    /** The first call after a cut may use the old connection; then the fault is still pending. */
    private static CommitStatus settleWhenPossible(
            RedisFrontier frontier, Settlement settlement, Instant now) {
        var status = settle(frontier, settlement, now);
        return status.isStored() ? status : frontier.flush();
    }

    @Test
    void aCrawlDelayReadWhileRedisIsAwayIsSentWhenItIsBack() throws IOException {
        try (var proxy = new CuttingProxy(redis.port)) {
            var settings = FleetFixtures.settings(proxy.uri()).withShards(2);
            try (var frontier = FleetFixtures.join(settings, PLAIN, START)) {
                durable(offer(frontier, START, "http://a.example/1", "http://a.example/2"));
                proxy.shut(true);
                assertThat(frontier.raiseCrawlDelay("a.example", Duration.ofSeconds(7)))
                        .isInstanceOf(CommitStatus.Pending.class);
                proxy.shut(false);
                while (!frontier.flush().isStored()) {
                    RedisProcess.pause(20);
                }
                var first = frontier.lease(9, START).getFirst();
                durable(settle(frontier, page(first, 1, START), START));
                assertThat(frontier.lease(9, START.plusMillis(6_999))).isEmpty();
                assertThat(frontier.lease(9, START.plusSeconds(7))).hasSize(1);
            }
        }
    }

    @Test
    void aSeedIsNotedThoughRedisIsAwayWhenItIsOffered() throws IOException {
        try (var proxy = new CuttingProxy(redis.port)) {
            var settings = FleetFixtures.settings(proxy.uri()).withShards(2);
            try (var frontier = FleetFixtures.join(settings, PLAIN, START)) {
                var seed = Candidate.seed(Fixture.link("http://a.example/").url(), false);
                proxy.shut(true);
                assertThat(frontier.offer(TestFrontier.JOB, List.of(seed), START))
                        .isInstanceOf(CommitStatus.Pending.class);
                proxy.shut(false);
                while (!frontier.flush().isStored()) {
                    RedisProcess.pause(20);
                }
                assertThat(frontier.seeds(TestFrontier.JOB)).containsExactly(seed.url());
                assertThat(frontier.ledger().queued()).isEqualTo(1);
            }
        }
    }

    /** Its links may not have been offered again yet. */
    @Test
    void noJobIsOverWhileARestartedRedisIsHeldBack(@TempDir Path other) throws IOException {
        try (var server =
                RedisProcess.start(other, "--appendonly", "yes", "--appendfsync", "always")) {
            var settings = FleetFixtures.settings(server.uri()).withShards(1);
            try (var frontier = FleetFixtures.join(settings, PLAIN, START)) {
                durable(offer(frontier, START, "http://a.example/1"));
                var lease = frontier.lease(1, START).getFirst();
                durable(settle(frontier, page(lease, 1, START), START));
                assertThat(frontier.isExhausted(TestFrontier.JOB)).isTrue();
                server.kill();
                server.restart();
                while (!frontier.flush().isStored()) {
                    RedisProcess.pause(20);
                }
                assertThat(frontier.lease(1, START)).isEmpty(); // So that the shard has seen it.
                assertThat(frontier.isExhausted(TestFrontier.JOB)).isFalse();
                assertThat(frontier.lease(1, START.plus(LEASE))).isEmpty();
                assertThat(frontier.isExhausted(TestFrontier.JOB)).isTrue();
            }
        }
    }

    @Test
    void whoeverOnlyLooksDoesNotEndTheHoldAfterARestart(@TempDir Path other) throws IOException {
        try (var server =
                RedisProcess.start(other, "--appendonly", "yes", "--appendfsync", "always")) {
            var settings = FleetFixtures.settings(server.uri()).withShards(1);
            try (var frontier = FleetFixtures.join(settings, PLAIN, START)) {
                durable(offer(frontier, START, "http://a.example/1"));
                server.kill();
                server.restart();
                var later = START.plus(LEASE).plusSeconds(5);
                try (var visitor = Fleet.open(settings.withWorker("visitor"))) {
                    assertThat(visitor.ledger(TestFrontier.JOB, later).queued()).isEqualTo(1);
                }
                do {
                    assertThat(frontier.lease(9, later)).isEmpty();
                } while (!frontier.flush().isStored());
                assertThat(frontier.lease(9, later)).isEmpty();
                assertThat(frontier.lease(9, later.plus(LEASE))).hasSize(1);
            }
        }
    }

    @Test
    void aWorkerStartedAgainDoesNotPassAGateThatItsPredecessorHad() {
        var delay = Duration.ofSeconds(5);
        var settings = settings();
        var politeness = FrontierFixtures.gates(delay, Duration.ZERO);
        var address = Fixture.ip("192.0.2.7");
        var before = FleetFixtures.join(settings, politeness, START);
        durable(
                offer(
                        before,
                        START,
                        "http://a.example/1",
                        "http://b.example/1",
                        "http://c.example/1"));
        var first = before.lease(1, START).getFirst();
        assertThat(before.passGates(first, first.url(), address, START)).isEmpty();
        try (var again = FleetFixtures.join(settings, politeness, START.plusMillis(10))) {
            var second = again.lease(1, START.plusMillis(10)).getFirst();
            assertThat(second.url().host()).isNotEqualTo(first.url().host());
            var when = again.passGates(second, second.url(), address, START.plusMillis(10));
            assertThat(when).isPresent();
            assertThat(when.get()).isAfterOrEqualTo(START.plus(delay));
        }
    }

    @Test
    void gatesAreClosedForALoansTimeWhenRedisMayHaveForgottenWhoHasThem(@TempDir Path other)
            throws IOException {
        try (var server = RedisProcess.start(other)) { // It writes no file, so it loses all data.
            var settings = FleetFixtures.settings(server.uri()).withShards(1);
            var politeness = FrontierFixtures.gates(Duration.ofSeconds(1), Duration.ZERO);
            var address = Fixture.ip("192.0.2.7");
            try (var frontier = FleetFixtures.join(settings, politeness, START)) {
                durable(offer(frontier, START, "http://a.example/1"));
                server.kill();
                server.restart();
                while (!frontier.flush().isStored()) {
                    RedisProcess.pause(20);
                }
                var lease = frontier.lease(1, START).getFirst();
                assertThat(frontier.passGates(lease, lease.url(), address, START))
                        .contains(START.plusSeconds(11));
                assertThat(frontier.passGates(lease, lease.url(), address, START.plusSeconds(11)))
                        .isEmpty();
            }
        }
    }

    /** Leased at 0, ended at 0.9 s: it may have been sent at any time in between. */
    @Test
    void aHostAskedSeveralTimesAtOnceIsHandedOnWithADelayAfterItsLastAnswer() {
        var settings = settings();
        var politeness = FrontierFixtures.perHost(2);
        try (var other = FleetFixtures.join(settings.withWorker("w2"), politeness, START)) {
            try (var leaving = FleetFixtures.join(settings, politeness, START)) {
                durable(offer(leaving, START, "http://a.example/1", "http://a.example/2"));
                var first = leaving.lease(1, START).getFirst();
                var ended = START.plusMillis(900);
                durable(settle(leaving, page(first, 1, ended), ended));
            }
            assertThat(other.lease(1, START.plusMillis(1899))).isEmpty();
            assertThat(other.lease(1, START.plusMillis(1900))).hasSize(1);
        }
    }

    @Test
    void aWorkerWithoutAListOfItsOwnLetsNoHostInAgain() {
        var settings = settings();
        try (var one = FleetFixtures.join(settings, PLAIN, START);
                var two = FleetFixtures.join(settings.withWorker("w2"), PLAIN, START)) {
            durable(offer(one, START, "http://a.example/1", "http://b.example/1"));
            durable(one.exclude(TestFrontier.JOB, hosts("a.example"), START));
            durable(two.exclude(TestFrontier.JOB, HostSet.NONE, START));
            assertThat(two.lease(9, START))
                    .extracting(lease -> lease.url().host())
                    .containsExactly("b.example");
            durable(one.exclude(TestFrontier.JOB, HostSet.NONE, START));
            assertThat(two.lease(9, START.plusSeconds(5)))
                    .extracting(lease -> lease.url().host())
                    .containsExactly("a.example");
        }
    }

    private static HostSet hosts(String name) {
        return new HostSet(List.of(HostPattern.of(name)));
    }

    @Test
    void aFleetOfAnotherShapeIsRefusedWithASentence() {
        var settings = settings();
        try (var _ = FleetFixtures.join(settings, PLAIN, START)) {
            assertThatThrownBy(() -> RedisFrontier.open(settings.withShards(5), PLAIN, START))
                    .hasMessageContaining("shards 4, but this worker 5")
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void aWorkerOfAnotherVersionIsRefusedWithASentenceThatSaysWhatToDo() throws Exception {
        var settings = settings();
        try (var _ = FleetFixtures.join(settings, PLAIN, START)) {
            var _ =
                    redis.command(
                            "HSET", "ow:{" + settings.fleet() + "}:charter", "version", "999");
            assertThatThrownBy(() -> RedisFrontier.open(settings.withWorker("w2"), PLAIN, START))
                    .isInstanceOf(IOException.class)
                    .hasMessage(
                            "the fleet %s has version 999, but this worker %d: they are"
                                + " incompatible; use the program that the other workers use, or"
                                + " give this one another --fleet",
                            settings.fleet(), FleetCompatibility.VERSION);
            assertThatThrownBy(() -> Fleet.open(settings.withWorker("w2")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("has version 999");
        }
    }

    @Test
    void anAgendaThatRedisLostIsMadeAgain() throws Exception {
        var settings = settings();
        try (var one = FleetFixtures.join(settings, PLAIN, START);
                var two = FleetFixtures.join(settings.withWorker("w2"), PLAIN, START)) {
            assertThat(two.lease(9, START)).isEmpty();
            durable(offer(one, START, "http://a.example/1", "http://b.example/1"));
            var _ = redis.command("DEL", "ow:{" + settings.fleet() + "}" + Agenda.KEY);
            assertThat(two.lease(9, START.plusSeconds(1))).hasSize(2);
        }
    }

    @Test
    void aWorkerSeesInTheAgendaWhatAnotherHasOffered() throws Exception {
        var settings = settings();
        try (var one = FleetFixtures.join(settings, PLAIN, START);
                var two = FleetFixtures.join(settings.withWorker("w2"), PLAIN, START)) {
            assertThat(two.lease(9, START)).isEmpty();
            durable(offer(one, START, "http://a.example/1"));
            var trips = two.roundTrips();
            assertThat(two.lease(9, START.plusSeconds(1))).hasSize(1);
            // The agenda, the shard that it names, and the agenda's new entry.
            assertThat(two.roundTrips() - trips).isEqualTo(3);
        }
    }

    @Test
    void aDelayReadByAWorkerThatDoesNotHoldTheHostReachesTheOneThatDoes() {
        var settings = settings();
        try (var holder = FleetFixtures.join(settings, PLAIN, START);
                var other = FleetFixtures.join(settings.withWorker("w2"), PLAIN, START)) {
            durable(
                    offer(
                            holder,
                            START,
                            "http://a.example/1",
                            "http://a.example/2",
                            "http://a.example/3"));
            var first = holder.lease(9, START).getFirst();
            durable(other.raiseCrawlDelay("a.example", Duration.ofSeconds(7)));
            durable(settle(holder, page(first, 1, START), START));
            assertThat(holder.lease(9, START.plusMillis(6999))).isEmpty();
            var now = START.plusSeconds(7);
            var second = holder.lease(9, now).getFirst();
            durable(settle(holder, page(second, 2, now), now));
            assertThat(holder.lease(9, now.plusMillis(6999))).isEmpty();
            assertThat(holder.lease(9, now.plusSeconds(7))).hasSize(1);
        }
    }

    @Test
    void aDelayThatItsHolderDidNotHearIsHeardByTheNext() {
        var settings = settings();
        var dead = FleetFixtures.join(settings, PLAIN, START);
        durable(offer(dead, START, "http://a.example/1", "http://a.example/2"));
        assertThat(dead.lease(9, START)).hasSize(1);
        try (var other = FleetFixtures.join(settings.withWorker("w2"), PLAIN, START)) {
            durable(other.raiseCrawlDelay("a.example", Duration.ofSeconds(7)));
            var now = START.plus(LEASE).plusSeconds(1);
            assertThat(other.lease(9, now)).isEmpty();
            now = now.plusSeconds(1);
            var first = other.lease(9, now).getFirst();
            durable(settle(other, page(first, 1, now), now));
            assertThat(other.lease(9, now.plusMillis(6999))).isEmpty();
            assertThat(other.lease(9, now.plusSeconds(7))).hasSize(1);
        }
    }

    @Test
    void lettersOfAHostThatIsWithAnotherWorkerAreTakenBackAllTheSame() {
        var settings = settings();
        try (var holder = FleetFixtures.join(settings.withWorker("w2"), PLAIN, START)) {
            try (var one = FleetFixtures.join(settings, PLAIN, START)) {
                durable(offer(one, START, "http://a.example/1", "http://a.example/2"));
                var lease = one.lease(9, START).getFirst();
                var dead =
                        Settlement.of(
                                lease,
                                new Outcome.Dead(FailureCause.TLS),
                                new HostSignal.Healthy(START));
                durable(settle(one, dead, START));
            }
            var now = START.plusSeconds(1);
            var other = holder.lease(9, now).getFirst();
            try (var late = FleetFixtures.join(settings.withWorker("w3"), PLAIN, now)) {
                assertThat(late.requeueDeadLetters(TestFrontier.JOB, _ -> true, now).urls())
                        .isEqualTo(1);
                assertThat(late.ledger().dead()).isZero();
            }
            durable(settle(holder, page(other, 1, now), now));
            assertThat(holder.lease(9, now.plusSeconds(1)))
                    .extracting(each -> each.url().text())
                    .containsExactly("http://a.example/1");
        }
    }

    @Test
    void aJobThatWasDeletedIsNotBroughtBackByLateOffers() throws IOException {
        var settings = settings();
        var job = new JobId(7);
        try (var late = FleetFixtures.join(settings, PLAIN, START);
                var visitor = FleetFixtures.join(settings.withWorker("w2"), PLAIN, START);
                var fleet = Fleet.open(settings)) {
            durable(late.offer(job, List.of(Fixture.link("http://a.example/1")), START));
            var lease = late.lease(9, START).getFirst();
            fleet.rejectUpdates(job);
            durable(visitor.deleteJob(job, START));
            durable(late.offer(job, List.of(Fixture.link("http://b.example/1")), START));
            assertThat(
                            settle(
                                    late,
                                    page(lease, 1, START, Fixture.link("http://c.example/")),
                                    START))
                    .isEqualTo(new CommitStatus.Rejected(1));
            assertThat(visitor.ledger(job).offered()).isZero();
            assertThat(fleet.ledgers(START)).doesNotContainKey(job);
            assertThat(late.lease(9, START.plusSeconds(2))).isEmpty();
        }
    }

    @Test
    void aWorkerThatLeavesLeavesNothingOfItsCallsBehind() throws IOException {
        var settings = settings();
        try (var frontier = FleetFixtures.join(settings, PLAIN, START)) {
            durable(offer(frontier, START, "http://a.example/1"));
        }
        for (var shard = 0; shard < settings.shards(); shard++) {
            var key = Shards.base(settings.fleet(), shard) + ShardKey.LAST_CALLS.text();
            assertThat(redis.command("EXISTS", key)).isEqualTo(":0\r\n");
        }
    }
}
