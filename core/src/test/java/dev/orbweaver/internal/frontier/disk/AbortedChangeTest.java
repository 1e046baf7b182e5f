package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.EventLog;
import dev.orbweaver.internal.frontier.FailingLog;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.FrontierFailedException;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.frontier.SeededFrontierCalls;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.SharedFrontier;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.HostPattern;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

/**
 * If any event of a call throws, nothing of the call is stored, neither then nor by closing, and
 * the frontier rejects every further call.
 */
@SuppressWarnings("CheckReturnValue") // The result of a failing call does not matter.
class AbortedChangeTest {

    private static final Politeness POLITENESS =
            new Politeness(Duration.ZERO, Duration.ZERO, Duration.ZERO, 2, Duration.ofMinutes(5));
    private static final Instant START = Fixture.START;

    /** Rotates after almost every call. */
    private static final DiskSettings SETTINGS = DiskSettings.DEFAULT.withSmallFiles(600);

    private static final JobId JOB = TestFrontier.JOB;

    private final SimulatedDisk disk = new SimulatedDisk();

    private FailingLog log = new FailingLog(EventLog.NONE);

    private FrontierDirectory open(SimulatedDisk disk, Instant now) {
        return new FrontierDirectory(
                disk,
                POLITENESS,
                now,
                SETTINGS,
                journal -> {
                    log = new FailingLog(journal);
                    return log;
                });
    }

    private static List<Candidate> links(String prefix, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> Fixture.link("http://h%d.example/%s%d".formatted(i % 3, prefix, i)))
                .toList();
    }

    private static Settlement page(Lease lease, int links) {
        return new Settlement(
                lease,
                new Outcome.Done(true, 10),
                new HostSignal.Healthy(START),
                7,
                links("found", links),
                Map.of(Refusal.SCOPE, 3),
                true,
                Optional.empty());
    }

    private static CommitBatch batch(List<Lease> leases) {
        return new CommitBatch(
                leases.stream().map(lease -> page(lease, 8)).toList(),
                List.of(
                        new CommittedLength("pages.log", 100, 1),
                        new CommittedLength("warc/1.warc.gz", 200, 2)));
    }

    /** Makes a call that fails at each of its events in turn, each time from the same state. */
    private void failsWhole(String name, BiConsumer<TestFrontier, List<Lease>> call)
            throws IOException {
        for (var at = 1; ; at++) {
            var copy = new SimulatedDisk();
            var directory = open(copy, START);
            var frontier = directory.frontier();
            frontier.offer(JOB, links("", 6), START);
            var dying = frontier.lease(1, START).getFirst();
            var died = new Outcome.Dead(FailureCause.CONNECT);
            var _ =
                    frontier.settle(
                            new CommitBatch(
                                    List.of(
                                            Settlement.of(
                                                    dying, died, new HostSignal.Healthy(START))),
                                    List.of()),
                            START);
            var leases = frontier.lease(2, START);
            var before = directory.state();
            log.failAt(at);
            try {
                call.accept(frontier, leases);
                assertThat(at).as("events of %s", name).isGreaterThan(2);
                return;
            } catch (FrontierFailedException e) {
                assertThat(e).hasMessageContaining("injected").hasMessageContaining("resume");
            }
            refusesEverything(frontier, leases.getFirst());
            frontier.close();
            assertThat(FrontierDirectory.saved(copy, POLITENESS))
                    .as("%s, failed at %d", name, at)
                    .isEqualTo(before);
            isLeasedAgain(copy.afterCrash(), leases);
        }
    }

    private static void refusesEverything(TestFrontier frontier, Lease lease) {
        var calls =
                List.<Runnable>of(
                        () -> frontier.offer(JOB, links("late", 1), START),
                        () -> frontier.lease(1, START),
                        () -> frontier.settle(batch(List.of(lease)), START),
                        () -> frontier.release(lease, new ReleaseReason.Stopping(START), START),
                        () -> frontier.extend(lease, START.plusSeconds(900)),
                        () -> frontier.sent(lease, START),
                        () -> frontier.flush(),
                        () -> frontier.ledger(),
                        () -> frontier.stats(),
                        () -> frontier.committedLengths(),
                        () -> frontier.nextWork(START));
        for (var call : calls) {
            assertThatThrownBy(call::run)
                    .isInstanceOf(FrontierFailedException.class)
                    .hasMessageContaining("injected");
        }
    }

    /** The next process has a balanced ledger and leases the same URLs again. */
    private static void isLeasedAgain(SimulatedDisk disk, List<Lease> leases) {
        var later = START.plusSeconds(60);
        var frontier = new FrontierDirectory(disk, POLITENESS, later, SETTINGS).frontier();
        assertThat(frontier.ledger().balances()).isTrue();
        assertThat(frontier.lease(9, later.plusSeconds(60)).stream().map(Lease::url))
                .containsAll(leases.stream().map(Lease::url).toList());
        frontier.close();
    }

    @Test
    void everyCallFailsWhole() throws IOException {
        failsWhole("settle", (frontier, leases) -> frontier.settle(batch(leases), START));
        failsWhole("offer", (frontier, _) -> frontier.offer(JOB, links("more", 5), START));
        failsWhole("lease", (frontier, _) -> frontier.lease(2, START));
        failsWhole(
                "takeUp",
                (frontier, _) ->
                        frontier.offerDeferred(
                                JOB, 7, links("taken", 5), Map.of(Refusal.SCOPE, 2), START));
        failsWhole("revive", (frontier, _) -> frontier.requeueDeadLetters(JOB, _ -> true, START));
        failsWhole(
                "exclude",
                (frontier, _) ->
                        frontier.exclude(
                                JOB, new HostSet(List.of(HostPattern.of("h1.example"))), START));
        failsWhole("deleteJob", (frontier, _) -> frontier.deleteJob(JOB, START));
        failsWhole(
                "release",
                (frontier, leases) ->
                        frontier.release(
                                leases.getFirst(), new ReleaseReason.Stopping(START), START));
        failsWhole(
                "extend",
                (frontier, leases) -> frontier.extend(leases.getFirst(), START.plusSeconds(3600)));
        failsWhole(
                "slowDown",
                (frontier, _) -> frontier.setCrawlDelay("h0.example", Duration.ofHours(1)));
        failsWhole(
                "pass",
                (frontier, leases) ->
                        frontier.passGates(
                                leases.getFirst(),
                                Fixture.url("http://h9.example/robots.txt"),
                                Fixture.ip("192.0.2.1"),
                                START));
    }

    @Test
    void aLongScriptFailsWholeAtEveryEvent() throws IOException {
        for (var at = 1; at < 380; at += 3) {
            var copy = new SimulatedDisk();
            var directory = open(copy, START);
            var script = new SeededFrontierCalls(20300102, START);
            List<FrontierEvent> before = directory.state();
            log.failAt(at);
            try {
                for (var calls = 0; calls < 100; calls++) {
                    before = directory.state();
                    script.call(directory.frontier());
                }
                throw new AssertionError("no event " + at);
            } catch (FrontierFailedException e) {
                directory.frontier().close();
            }
            // Requeueing many is several groups, each of which is complete.
            assertThat(FrontierDirectory.saved(copy, POLITENESS)).as("at %d", at).isEqualTo(before);
        }
    }

    @Test
    void whatABlockedDiskHoldsBackIsDroppedWithAFailureBehindIt() throws IOException {
        var directory = open(disk, START);
        directory.frontier().offer(JOB, links("", 3), START);
        var before = directory.state();
        disk.failFrom(disk.operations() + 1);
        assertThat(directory.frontier().crawl(JOB).offer(links("blocked", 3), START))
                .isInstanceOf(CommitStatus.Pending.class);
        disk.failFrom(Integer.MAX_VALUE);
        log.failAt(3);
        assertThatThrownBy(() -> directory.frontier().offer(JOB, links("broken", 3), START))
                .isInstanceOf(FrontierFailedException.class);
        directory.frontier().close();
        assertThat(FrontierDirectory.saved(disk, POLITENESS)).isEqualTo(before);
    }

    @Test
    void aPredicateOfTheCallerThatThrowsHarmsNothing() {
        var frontier = open(disk, START).frontier();
        frontier.offer(JOB, links("", 1), START);
        var died =
                Settlement.of(
                        frontier.lease(1, START).getFirst(),
                        new Outcome.Dead(FailureCause.CONNECT),
                        new HostSignal.Healthy(START));
        var _ = frontier.settle(new CommitBatch(List.of(died), List.of()), START);
        assertThatThrownBy(
                        () ->
                                frontier.requeueDeadLetters(
                                        JOB,
                                        _ -> {
                                            throw new IllegalArgumentException("not mine");
                                        },
                                        START))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(frontier.requeueDeadLetters(JOB, _ -> true, START)).isEqualTo(1);
        frontier.close();
    }

    @Test
    void aSharedFrontierFailsWholeAndStopsEveryCrawl() throws IOException {
        var one = new JobId(1);
        var two = new JobId(2);
        for (var at = 1; ; at++) {
            var copy = new SimulatedDisk();
            var directory = open(copy, START);
            var whole = directory.frontier();
            var clock = InstantSource.fixed(START);
            var shared = new SharedFrontier(whole.inner, 1, clock);
            try {
                var view = shared.view(one, SharedFrontier.directoryOf(one));
                var other = shared.view(two, SharedFrontier.directoryOf(two));
                TestFrontier.durable(view.offer(links("", 1), START));
                var leases = leases(view);
                var before = directory.state();
                log.failAt(at);
                try {
                    var _ = view.settle(batch(leases), START);
                    assertThat(at).isGreaterThan(20);
                    view.close();
                    break;
                } catch (FrontierFailedException e) {
                    assertThat(e).hasMessageContaining("injected");
                }
                assertThatThrownBy(() -> leases(other))
                        .isInstanceOf(FrontierFailedException.class)
                        .hasMessageContaining("injected");
                assertThat(shared.failure()).isPresent();
                view.close();
                other.close();
                whole.close();
                assertThat(FrontierDirectory.saved(copy, POLITENESS)).isEqualTo(before);
            } finally {
                shared.close();
            }
        }
    }

    private static List<Lease> leases(CrawlFrontier view) {
        var leases = new ArrayList<Lease>();
        for (var tries = 0; leases.isEmpty(); tries++) {
            assertThat(tries).as("tries, a millisecond apart").isLessThan(10_000);
            leases.addAll(view.lease(1, START));
            LockSupport.parkNanos(1_000_000);
        }
        return leases;
    }
}
