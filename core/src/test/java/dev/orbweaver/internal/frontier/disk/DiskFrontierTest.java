package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierFixtures;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.LocalFrontierContract;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.frontier.SeedBatch;
import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.frontier.UrlState;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Hop;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The contract, and the effects of opening a frontier again. */
class DiskFrontierTest implements LocalFrontierContract {

    private static final Instant START = Fixture.START;

    @TempDir Path directory;

    @Override
    public TestFrontier open(Politeness politeness, Instant now) {
        try {
            return TestFrontier.open(new RealDisk(), directory, politeness, now);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void offer(TestFrontier frontier, String... urls) {
        frontier.offer(TestFrontier.JOB, List.of(urls).stream().map(Fixture::link).toList(), START);
    }

    private static void settle(
            TestFrontier frontier, Lease lease, Outcome outcome, HostSignal signal, Instant now) {
        var settlement = Settlement.of(lease, outcome, signal);
        assertThat(frontier.settle(new CommitBatch(List.of(settlement), List.of()), now)).isZero();
    }

    @Test
    void seedListsContinueWhereTheDeadProcessStopped() throws IOException {
        var dead = open(PLAIN, START);
        var position = new SeedPosition("000001-x.list", 500, 7, 1);
        var later = START.plusSeconds(3600);
        var batch =
                new SeedBatch(
                        List.of(
                                Candidate.seed(Fixture.url("http://a.example/"), false),
                                new Candidate(
                                        Fixture.url("http://b.example/"),
                                        Hop.SEED,
                                        0,
                                        0,
                                        0,
                                        later.toEpochMilli())),
                        List.of(Fixture.url("http://c.example/")),
                        1,
                        position);
        assertThat(dead.inner.job(TestFrontier.JOB).offerSeeds(batch, START).isStored()).isTrue();
        for (var life = 0; life < 2; life++) { // From the journal, then from a snapshot.
            try (var frontier = open(PLAIN, START)) {
                var job = frontier.inner.job(TestFrontier.JOB);
                assertThat(job.seedPositions()).containsExactly(position);
                var hosts = new ArrayList<String>();
                job.forEachSeedHost(hosts::add);
                assertThat(hosts).containsExactlyInAnyOrder("a.example", "b.example");
                assertThat(job.ledger().done()).isEqualTo(1);
                assertThat(job.ledger().queued()).isEqualTo(2);
                var leased = frontier.lease(9, START.plusSeconds(10));
                assertThat(leased)
                        .extracting(lease -> lease.url().host())
                        .containsExactly("a.example");
            }
        }
        try (var frontier = open(PLAIN, later)) {
            offer(frontier, "http://c.example/");
            assertThat(frontier.inner.job(TestFrontier.JOB).ledger().duplicate()).isEqualTo(1);
            assertThat(frontier.lease(9, later.plusSeconds(10))).hasSize(2);
        }
    }

    @Test
    void leasesOfADeadProcessComeBackWithTheDelayKept() {
        var dead = open(PLAIN, START);
        offer(dead, "http://a.example/1", "http://a.example/2");
        var old = dead.lease(1, START).getFirst();
        var now = START.plusSeconds(60);
        try (var frontier = open(PLAIN, now)) {
            assertThat(frontier.lease(9, now.plusMillis(999))).isEmpty();
            var lease = frontier.lease(9, now.plusMillis(1000)).getFirst();
            assertThat(lease.url()).isEqualTo(old.url());
            assertThat(lease.token()).isGreaterThan(old.token());
            assertThat(frontier.release(old, new ReleaseReason.Stopping(now), now)).isFalse();
        }
    }

    @Test
    void aClockSetForwardBetweenTwoLivesEndsNoDelay() {
        var dead = open(PLAIN, START);
        offer(dead, "http://a.example/1", "http://a.example/2", "http://b.example/1");
        var leases = dead.lease(9, START);
        settle(
                dead,
                leases.getFirst(),
                new Outcome.Done(true, 1),
                new HostSignal.Healthy(START),
                START);
        var later = START.plusSeconds(7 * 24 * 3600);
        try (var frontier = open(PLAIN, later)) {
            assertThat(frontier.lease(9, later.plusMillis(999))).isEmpty();
            assertThat(frontier.lease(9, later.plusSeconds(1))).hasSize(2);
        }
    }

    @Test
    void aLongRestEndsByTheClockWhetherAProcessWasThereOrNot() {
        var dead = open(PLAIN, START);
        offer(dead, "http://a.example/1", "http://a.example/2");
        var hour = START.plusSeconds(3600);
        settle(
                dead,
                dead.lease(9, START).getFirst(),
                new Outcome.Done(true, 1),
                new HostSignal.RateLimited(START, hour),
                START);
        try (var frontier = open(PLAIN, START.plusSeconds(3590))) {
            assertThat(frontier.lease(9, START.plusSeconds(3599))).isEmpty();
            assertThat(frontier.lease(9, hour)).hasSize(1);
        }
    }

    @Test
    void theBackoffAfterServerErrorsIsTheSameAfterARestart() {
        var politeness = PLAIN.withErrorBackoff(Duration.ofSeconds(2));
        var dead = open(politeness, START);
        offer(dead, "http://a.example/1", "http://a.example/2", "http://a.example/3");
        for (var at : List.of(START, START.plusSeconds(3))) {
            settle(
                    dead,
                    dead.lease(9, at).getFirst(),
                    new Outcome.Done(false, 1),
                    new HostSignal.ServerError(at),
                    at);
        }
        try (var frontier = open(politeness, START.plusSeconds(4))) {
            assertThat(frontier.lease(9, START.plusMillis(7999))).isEmpty();
            assertThat(frontier.lease(9, START.plusSeconds(8))).hasSize(1);
        }
    }

    @Test
    void processesThatDieWithAUrlInHandDoNotMakeItPoison() {
        var now = START;
        var first = open(PLAIN, now);
        offer(first, "http://a.example/1");
        assertThat(first.lease(1, now)).hasSize(1);
        for (var deaths = 0; deaths < 20; deaths++) {
            now = now.plusSeconds(60);
            var frontier = open(PLAIN, now);
            assertThat(frontier.lease(1, now.plusSeconds(1))).hasSize(1);
            assertThat(frontier.stats().ledger().dead()).isZero();
        }
    }

    @Test
    void severalLeasesOfAHostComeBackInTheirOrder() {
        var politeness =
                new Politeness(
                        Duration.ZERO, Duration.ZERO, Duration.ZERO, 3, Duration.ofMinutes(10));
        var dead = open(politeness, START);
        offer(dead, "http://a.example/1", "http://a.example/2", "http://a.example/3");
        var old = dead.lease(3, START).stream().map(Lease::url).toList();
        try (var frontier = open(politeness, START)) {
            assertThat(frontier.lease(3, START).stream().map(Lease::url).toList()).isEqualTo(old);
        }
    }

    @Test
    void aHostThatWasBeingVisitedAsAGuestKeepsItsDelayToo() {
        var dead = open(PLAIN, START);
        offer(dead, "http://a.example/");
        var lease = dead.lease(1, START).getFirst();
        offer(dead, "http://b.example/");
        var robots = Fixture.url("http://b.example/robots.txt");
        assertThat(dead.passGates(lease, robots, Fixture.ip("192.0.2.1"), START)).isEmpty();
        try (var frontier = open(PLAIN, START)) {
            assertThat(frontier.lease(9, START.plusMillis(999))).isEmpty();
            assertThat(frontier.lease(9, START.plusMillis(1000))).hasSize(2);
        }
    }

    @Test
    void everyGateIsClosedForItsDelayAfterAnOpening() {
        var politeness = FrontierFixtures.gates(Duration.ofSeconds(5), Duration.ZERO);
        var dead = open(politeness, START);
        offer(dead, "http://a.example/");
        try (var frontier = open(politeness, START)) {
            var lease = frontier.lease(1, START).getFirst();
            assertThat(frontier.passGates(lease, lease.url(), Fixture.ip("192.0.2.1"), START))
                    .contains(START.plusSeconds(5));
        }
    }

    @Test
    void aClockSetBackBetweenTwoRunsStarvesNobodyAndFreesNobodyEarly() {
        var dead = open(PLAIN, START);
        offer(
                dead,
                "http://a.example/",
                "http://b.example/",
                "http://c.example/1",
                "http://c.example/2");
        var leases = dead.lease(9, START);
        settle(
                dead,
                leases.get(0),
                new Outcome.Retry(START.plusSeconds(30), FailureCause.TIMEOUT),
                new HostSignal.Failing(START),
                START);
        settle(
                dead,
                leases.get(1),
                new Outcome.Retry(START, FailureCause.SERVER_ERROR),
                new HostSignal.RateLimited(START, START.plusSeconds(50)),
                START);
        settle(
                dead,
                leases.get(2),
                new Outcome.Done(true, 1),
                new HostSignal.Healthy(START),
                START);
        var now = START.minus(Duration.ofHours(10));
        try (var again = open(PLAIN, now)) {
            assertThat(hostsAt(again, now.plusMillis(999))).isEmpty();
            assertThat(hostsAt(again, now.plusMillis(1000))).containsExactly("c.example");
        }
        // The step is in the journal and not applied twice.
        try (var again = open(PLAIN, now.plusMillis(1000))) {
            assertThat(hostsAt(again, now.plusMillis(29_999))).containsExactly("c.example");
            assertThat(hostsAt(again, now.plusMillis(30_000))).containsExactly("a.example");
            assertThat(hostsAt(again, now.plusMillis(49_999))).isEmpty();
            assertThat(hostsAt(again, now.plusMillis(50_000))).containsExactly("b.example");
        }
    }

    private static List<String> hostsAt(TestFrontier frontier, Instant now) {
        return frontier.lease(9, now).stream().map(lease -> lease.url().host()).toList();
    }

    @Test
    void aPeekShowsALiveFrontierAndChangesNothing() throws IOException {
        try (var frontier = open(PLAIN, START)) {
            offer(frontier, "http://a.example/1", "http://a.example/2", "http://b.example/");
            var lease = frontier.lease(1, START).getFirst();
            var peeked =
                    DiskFrontier.readStats(
                            new RealDisk(), directory, PLAIN, DiskSettings.DEFAULT, START);
            assertThat(peeked).isEqualTo(frontier.stats());
            assertThat(peeked.ledger().leased()).isEqualTo(1);
            assertThat(peeked.hosts().busy()).isEqualTo(1);
            settle(
                    frontier,
                    lease,
                    new Outcome.Done(true, 1),
                    new HostSignal.Healthy(START),
                    START);
        }
        assertThat(
                        DiskFrontier.readStats(
                                        new RealDisk(),
                                        directory,
                                        PLAIN,
                                        DiskSettings.DEFAULT,
                                        START)
                                .ledger()
                                .done())
                .isEqualTo(1);
    }

    @Test
    void figuresSeedsAndDeadLettersOutliveTheProcess() {
        var dead = open(PLAIN, START);
        offer(dead, "http://a.example/", "http://a.example/", "http://b.example/");
        var lease = dead.lease(1, START).getFirst();
        settle(
                dead,
                lease,
                new Outcome.Dead(FailureCause.TLS),
                new HostSignal.Failing(START),
                START);
        var before = dead.stats();
        for (var i = 0; i < 3; i++) {
            var frontier = open(PLAIN, START);
            assertThat(frontier.stats()).isEqualTo(before);
            assertThat(frontier.explain(TestFrontier.JOB, lease.url()))
                    .isEqualTo(new UrlState.Dead(FailureCause.TLS, 0));
            if (i > 0) {
                frontier.close();
            }
        }
    }
}
