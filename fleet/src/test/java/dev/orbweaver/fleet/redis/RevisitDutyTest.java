package dev.orbweaver.fleet.redis;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.toSet;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.UrlHashes;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.VisitResult;
import dev.orbweaver.internal.revisit.Observation;
import dev.orbweaver.internal.revisit.RevisitBudget;
import dev.orbweaver.internal.revisit.RevisitSchedule;
import dev.orbweaver.internal.revisit.RevisitSettings;
import dev.orbweaver.internal.revisit.SharedPages;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.VisitNumber;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.stream.IntStream;

/** Visits of known pages by several workers over a real Redis, in virtual time. */
@Slow
class RevisitDutyTest {

    private static final JobId JOB = new JobId(7);
    private static final Instant START = Fixture.START;
    private static final Duration INTERVAL = Duration.ofMinutes(10);

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

    /** One worker, and what it makes of the budget. */
    private static final class TestWorker {
        private final RedisFrontier frontier;
        private final RevisitBudget budget;
        private final RevisitDuty duty;
        private final int number;
        private long line;

        private TestWorker(FleetSettings settings, String name, RevisitSettings plan, Instant now)
                throws IOException {
            frontier = FleetFixtures.join(settings.withWorker(name), Politeness.DEFAULT, now);
            number = frontier.number();
            budget = new RevisitBudget(plan);
            duty = frontier.revisitDuty(JOB, name);
            frontier.planRevisits(JOB, new SharedPages(plan, budget::lambda), (_, _) -> 1);
        }
    }

    /** A visit: its time, its number, and the capture of the visit before. */
    private record Visit(Instant time, int number, long capture, long parent) {}

    private final Map<String, List<Visit>> visits = new HashMap<>();

    private static FleetSettings settings() {
        return FleetFixtures.settings(redis.uri()).withShards(4);
    }

    private static void offer(TestWorker worker, int hosts, int pages) {
        var urls =
                IntStream.range(0, pages)
                        .mapToObj(i -> "http://h" + i % hosts + ".example/p/" + i)
                        .map(Fixture::link)
                        .toList();
        assertThat(worker.frontier.offer(JOB, urls, START).isStored()).isTrue();
    }

    private void settle(TestWorker worker, Lease lease, Instant now) {
        settle(worker, lease, lease.url().text().hashCode() | 1L, now);
    }

    private void settle(TestWorker worker, Lease lease, long digest, Instant now) {
        var visit =
                lease.revisit()
                        ? lease.lastVisit().next(lease.parent().packed())
                        : VisitNumber.FIRST;
        var result = new VisitResult(Kind.PAGE, 200, now, digest, 0, Optional.empty(), visit);
        var settlement =
                Settlement.of(lease, new Outcome.Done(true, 10), new HostSignal.Healthy(now))
                        .withCapture(++worker.line)
                        .withResult(result);
        var status = worker.frontier.settle(new CommitBatch(List.of(settlement), List.of()), now);
        assertThat(status.isStored()).isTrue();
        var parent = lease.parent();
        visits.computeIfAbsent(lease.url().text(), _ -> new ArrayList<>())
                .add(
                        new Visit(
                                now,
                                visit.number(),
                                ((long) worker.number << 40) | worker.line,
                                parent.isNone() || parent.worker() != 0
                                        ? parent.packed()
                                        : ((long) worker.number << 40) | parent.line()));
    }

    private void run(List<TestWorker> workers, Instant from, Instant to, Duration step)
            throws IOException {
        for (var now = from; now.isBefore(to); now = now.plus(step)) {
            for (var worker : workers) {
                var _ = worker.duty.run(worker.budget, true, now);
                for (var lease : worker.frontier.lease(5, now)) {
                    settle(worker, lease, now);
                }
            }
        }
    }

    /** Each visit follows the one before, in whichever worker's log that is. */
    private void requireChains() {
        visits.forEach(
                (url, all) -> {
                    for (var i = 1; i < all.size(); i++) {
                        var last = all.get(i - 1);
                        var visit = all.get(i);
                        assertThat(visit.number).as("%s %s", url, all).isEqualTo(i + 1);
                        assertThat(visit.parent).as("%s %s", url, all).isEqualTo(last.capture);
                        assertThat(Duration.between(last.time, visit.time))
                                .as("%s %s", url, all)
                                .isGreaterThanOrEqualTo(INTERVAL);
                    }
                });
    }

    @Test
    void pagesOfSeveralWorkersAreVisitedOnceForEachDueTime() throws Exception {
        var settings = settings();
        var plan = RevisitSettings.every(INTERVAL, OptionalDouble.empty());
        var one = new TestWorker(settings, "w1", plan, START);
        var two = new TestWorker(settings, "w2", plan, START);
        offer(one, 6, 30);
        var joined = START.plus(Duration.ofMinutes(25));
        run(List.of(one, two), START, joined, Duration.ofSeconds(2));
        var third = new TestWorker(settings, "w3", plan, joined);
        // The one with the duty leaves.
        one.duty.leave(one.budget, joined);
        one.frontier.close();
        run(List.of(two, third), joined, START.plus(Duration.ofMinutes(45)), Duration.ofSeconds(2));
        assertThat(visits).hasSize(30);
        requireChains();
        assertThat(visits.values()).allSatisfy(all -> assertThat(all).hasSize(5));
        assertThat(
                        visits.values().stream()
                                .flatMap(List::stream)
                                .map(it -> it.capture >>> 40)
                                .collect(toSet()))
                .hasSize(3);
        var counts = third.frontier.revisitCounts(JOB);
        assertThat(counts.scheduled() + counts.queued()).isEqualTo(30);
        assertThat(third.frontier.ledger(JOB).balances()).isTrue();
        assertThat(third.frontier.ledger(JOB).accepted()).isEqualTo(30);
        two.frontier.close();
        third.frontier.close();
    }

    @Test
    void aWorkerThatDiesWithLeasedPagesLosesAndRepeatsNone() throws Exception {
        var settings = settings();
        var plan = RevisitSettings.every(INTERVAL, OptionalDouble.empty());
        var dead = new TestWorker(settings, "w1", plan, START);
        offer(dead, 4, 12);
        var due = START.plus(INTERVAL).plusSeconds(30);
        run(List.of(dead), START, due.minusSeconds(31), Duration.ofSeconds(1));
        assertThat(dead.duty.run(dead.budget, true, due)).isTrue();
        var lost = dead.frontier.lease(4, due); // It never settles these.
        assertThat(lost).hasSize(4).allMatch(Lease::revisit);
        var other = new TestWorker(settings, "w2", plan, due);
        run(List.of(other), due, due.plus(INTERVAL.minusSeconds(5)), Duration.ofSeconds(1));
        requireChains();
        assertThat(visits).hasSize(12).allSatisfy((_, all) -> assertThat(all).hasSize(2));
        // The dead one continues: its settlements and its duty are refused.
        var late = due.plus(INTERVAL.minusSeconds(4));
        var settlement =
                Settlement.of(
                        lost.getFirst(), new Outcome.Done(true, 1), new HostSignal.Healthy(late));
        var _ = dead.frontier.settle(new CommitBatch(List.of(settlement), List.of()), late);
        assertThat(dead.duty.run(dead.budget, true, late.plusSeconds(20))).isFalse();
        var counts = other.frontier.revisitCounts(JOB);
        assertThat(counts.scheduled() + counts.queued()).isEqualTo(12);
        assertThat(other.frontier.ledger(JOB).balances()).isTrue();
        other.frontier.close();
        dead.frontier.abandon();
        dead.frontier.close();
    }

    @Test
    void aVisitWithoutAResponseLeavesThePageDoneAndIsRepeatedADayLater() throws Exception {
        var settings = settings();
        var plan = RevisitSettings.every(INTERVAL, OptionalDouble.empty());
        var worker = new TestWorker(settings, "w1", plan, START);
        offer(worker, 1, 1);
        settle(worker, worker.frontier.lease(1, START).getFirst(), START);
        var due = START.plus(INTERVAL);
        assertThat(worker.duty.run(worker.budget, true, due)).isTrue();
        var lease = worker.frontier.lease(1, due).getFirst();
        var refused =
                Settlement.of(
                        lease, new Outcome.Withdrawn(Refusal.ROBOTS), new HostSignal.NoRequest());
        var _ = worker.frontier.settle(new CommitBatch(List.of(refused), List.of()), due);
        var ledger = worker.frontier.ledger(JOB);
        assertThat(ledger.done()).isEqualTo(1);
        assertThat(ledger.pages()).isEqualTo(1);
        assertThat(ledger.balances()).isTrue();
        var next = worker.frontier.explainRevisit(JOB, lease.url(), plan, due).orElseThrow();
        assertThat(next.due()).contains(due.plus(Duration.ofDays(1)));
        worker.frontier.close();
    }

    @Test
    void theBudgetIsKeptByAllWorkersTogether() throws Exception {
        var settings = settings();
        var perHour = 60;
        var plan = RevisitSettings.every(INTERVAL, OptionalDouble.of(24.0 * perHour));
        var workers = new ArrayList<TestWorker>();
        workers.add(new TestWorker(settings, "w1", plan, START));
        workers.add(new TestWorker(settings, "w2", plan, START));
        offer(workers.getFirst(), 10, 100); // 600 visits an hour without a budget.
        var begin = START.plus(INTERVAL).plus(Duration.ofMinutes(1));
        run(workers, START, begin, Duration.ofSeconds(3));
        // The worker with the duty dies, and another gets it.
        var middle = begin.plus(Duration.ofMinutes(90));
        run(workers, begin, middle, Duration.ofSeconds(10));
        workers.removeFirst().frontier.abandon();
        workers.add(new TestWorker(settings, "w3", plan, middle));
        var end = middle.plus(Duration.ofMinutes(90));
        run(workers, middle, end, Duration.ofSeconds(10));
        var made =
                visits.values().stream()
                        .flatMap(List::stream)
                        .filter(visit -> visit.number > 1 && !visit.time.isBefore(begin))
                        .count();
        assertThat(made).isBetween(Math.round(0.97 * 3 * perHour), Math.round(1.03 * 3 * perHour));
        requireChains();
        workers.forEach(worker -> worker.frontier.close());
    }

    @Test
    void onlyTheWorkerWithTheDutyWritesLambdaAndTheOthersReadIt() throws Exception {
        var settings = settings();
        var plan = RevisitSettings.auto(OptionalDouble.of(100));
        var one = new TestWorker(settings, "w1", plan, START);
        var two = new TestWorker(settings, "w2", plan, START);
        var _ = one.duty.run(one.budget, true, START);
        var _ = two.duty.run(two.budget, true, START);
        one.budget.read("2.5 1 1 1 0");
        two.budget.read("7.5 1 1 1 0"); // What it believes is not stored.
        var later = START.plusSeconds(61);
        for (var at = START.plusSeconds(14);
                at.isBefore(later.plusSeconds(6));
                at = at.plusSeconds(6)) {
            var _ = one.duty.run(one.budget, true, at);
            var _ = two.duty.run(two.budget, true, at);
        }
        assertThat(two.budget.lambda()).isEqualTo(2.5);
        // The holder is suspended for longer than its lease; the other continues from its λ.
        var away = later.plusSeconds(60);
        var _ = two.duty.run(two.budget, true, away);
        two.budget.read("3.5 1 1 1 0");
        for (var at = away; at.isBefore(away.plusSeconds(70)); at = at.plusSeconds(6)) {
            var _ = two.duty.run(two.budget, true, at);
        }
        one.budget.read("9.5 1 1 1 0");
        var _ = one.duty.run(one.budget, true, away.plusSeconds(71));
        assertThat(one.budget.lambda()).isEqualTo(3.5);
        one.frontier.close();
        two.frontier.close();
    }

    @Test
    void aShardQueuesNothingForAHolderWhoseTokenIsOld() throws Exception {
        var settings = settings();
        var plan = RevisitSettings.every(INTERVAL, OptionalDouble.empty());
        var worker = new TestWorker(settings, "w1", plan, START);
        offer(worker, 6, 30);
        run(List.of(worker), START, START.plus(INTERVAL).minusSeconds(60), Duration.ofSeconds(2));
        assertThat(visits).hasSize(30);
        var later = START.plus(INTERVAL.multipliedBy(3));
        assertThat(queue(worker, 9, 1, later)).isPositive();
        assertThat(queue(worker, 8, 100, later)).isZero();
        assertThat(queue(worker, 9, 100, later)).isPositive();
        worker.frontier.close();
    }

    /** Returns how many pages a call with a token has queued in all shards. */
    private static int queue(TestWorker worker, long token, int max, Instant now) {
        var requests =
                IntStream.range(0, settings().shards())
                        .mapToObj(
                                shard ->
                                        new ShardRequest.QueueRevisits(
                                                shard, JOB.number(), token, max, false, now, 0))
                        .toList();
        return worker.frontier.queueRevisits(requests, now).stream()
                .mapToInt(ShardRequest.QueuedRevisits::queued)
                .sum();
    }

    @Test
    void theEstimateOfAPageIsThatOfOneMachineWithTheSameVisits(@TempDir Path alone)
            throws Exception {
        var settings = settings();
        var plan = RevisitSettings.auto(OptionalDouble.empty());
        var random = new Random(20_261);
        try (var schedule = RevisitSchedule.open(new RealDisk(), alone, plan, START)) {
            var one = new TestWorker(settings, "w1", plan, START);
            var two = new TestWorker(settings, "w2", plan, START);
            offer(one, 2, 8);
            var digests = new HashMap<String, Long>();
            var firsts = new HashMap<String, Long>();
            var line = 0L;
            for (var step = 0; step < 24 * 10 * 6; step++) {
                var now = START.plus(Duration.ofHours(step / 6)).plusSeconds(2L * (step % 6));
                for (var worker : step % 12 < 6 ? List.of(one, two) : List.of(two, one)) {
                    var _ = worker.duty.run(worker.budget, true, now);
                    for (var lease : worker.frontier.lease(2, now)) {
                        var url = lease.url();
                        long before = digests.getOrDefault(url.text(), 0L);
                        var after = random.nextInt(4) == 0 || before == 0 ? before + 1 : before;
                        digests.put(url.text(), after);
                        settle(worker, lease, after, now);
                        var first =
                                firsts.computeIfAbsent(url.text(), _ -> (long) firsts.size() + 1);
                        line = Math.max(line + 1, 100);
                        var hashes = UrlHashes.of(url, one.frontier.fingerprintKey());
                        schedule.observe(
                                new Observation(
                                        before == 0 ? first : line,
                                        first,
                                        hashes.url(),
                                        hashes.pattern(),
                                        hashes.host(),
                                        now,
                                        1,
                                        before == 0
                                                ? Observation.Result.NEW
                                                : after == before
                                                        ? Observation.Result.UNCHANGED
                                                        : Observation.Result.CHANGED,
                                        Optional.empty()));
                    }
                }
            }
            var now = START.plus(Duration.ofDays(11));
            assertThat(visits.values()).allSatisfy(all -> assertThat(all).hasSizeGreaterThan(3));
            for (var entry : firsts.entrySet()) {
                var url = Fixture.url(entry.getKey());
                var expected = schedule.explain(entry.getValue(), now).orElseThrow();
                var actual = one.frontier.explainRevisit(JOB, url, plan, now).orElseThrow();
                assertThat(actual.changesPerDay()).isEqualTo(expected.changesPerDay());
                assertThat(actual.fresh()).isEqualTo(expected.fresh());
                assertThat(actual.value()).isEqualTo(expected.value());
            }
            one.frontier.close();
            two.frontier.close();
        }
    }
}
