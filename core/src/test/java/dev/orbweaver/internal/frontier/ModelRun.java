package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiFunction;

/** Random operations on a frontier from one seed, each step checked by the {@link Oracle}. */
public final class ModelRun {

    private static final long ADDRESS_DELAY = 100;

    private final Random random;
    private final Politeness politeness;
    private final Oracle oracle;
    private final BiFunction<Politeness, Instant, TestFrontier> reopen;
    private final boolean crashes;
    private final List<Lease> held = new ArrayList<>();
    private final List<Lease> ended = new ArrayList<>();
    private TestFrontier frontier;
    private long now = Fixture.START.toEpochMilli();
    private int deaths;

    /**
     * Creates a run.
     *
     * @param reopen opens the frontier, and opens it again after its process has died
     * @param dies whether the process dies at random
     */
    public ModelRun(long seed, BiFunction<Politeness, Instant, TestFrontier> reopen, boolean dies) {
        this.random = new Random(seed);
        this.politeness =
                new Politeness(
                        Duration.ofSeconds(1),
                        Duration.ofMillis(ADDRESS_DELAY),
                        Duration.ZERO,
                        seed % 2 == 0 ? 1 : 3,
                        Duration.ofSeconds(40));
        this.oracle = new Oracle(politeness);
        this.reopen = reopen;
        this.crashes = dies;
        this.frontier = reopen.apply(politeness, at());
    }

    /** Makes this many random steps, then leases and settles the rest. */
    public void run(int steps) {
        for (var i = 0; i < steps; i++) {
            step();
            oracle.check(frontier.stats().ledger());
        }
        drain();
        oracle.urls.keySet().forEach(key -> oracle.check(key, explain(key)));
        frontier.close();
    }

    private Instant at() {
        return Instant.ofEpochMilli(now);
    }

    private void step() {
        switch (random.nextInt(25)) {
            case 0, 1, 2 -> offer();
            case 3, 4, 5, 6, 7, 8, 9 -> lease();
            case 10, 11, 12 -> pass();
            case 13, 14, 15, 16 -> settle();
            case 17, 18 -> release();
            case 19 -> settleLate();
            case 20 -> extend();
            case 21 -> oracle.check("h0.example/1", explain("h0.example/1"));
            case 22 -> now += random.nextInt(3) == 0 ? random.nextInt(90_000) : 0;
            case 23 -> requeue();
            default -> crash();
        }
        now += random.nextInt(400);
    }

    private static CrawlUrl url(String key) {
        return Fixture.url("http://" + key.replace("/", "/%7E"));
    }

    private static String key(CrawlUrl url) {
        return url.host() + "/" + url.text().replaceAll(".*(%7E|~)", "");
    }

    private String randomHost() {
        return "h" + random.nextInt(6) + ".example";
    }

    private UrlState explain(String key) {
        return frontier.explain(TestFrontier.JOB, url(key));
    }

    private List<Candidate> found() {
        var found = new ArrayList<Candidate>();
        for (var i = random.nextInt(6); i > 0; i--) {
            var key = randomHost() + "/" + random.nextInt(400);
            var band = random.nextInt(3);
            found.add(new Candidate(url(key), Hop.LINK, new int[] {1, 4, 6}[band], 0));
        }
        return found;
    }

    private void note(List<Candidate> found) {
        for (var candidate : found) {
            var band = candidate.depth() == 1 ? 0 : candidate.depth() == 4 ? 1 : 2;
            oracle.offered(key(candidate.url()), candidate.url().host(), band);
        }
    }

    private void offer() {
        var found = found();
        frontier.offer(TestFrontier.JOB, found, at());
        note(found);
    }

    private void lease() {
        var max = 1 + random.nextInt(4);
        oracle.expireOverdue(now);
        held.stream()
                .filter(lease -> !oracle.leases.containsKey(lease.token()))
                .forEach(ended::add);
        held.removeIf(lease -> !oracle.leases.containsKey(lease.token()));
        var leases = frontier.lease(max, at());
        for (var lease : leases) {
            oracle.leased(key(lease.url()), lease, now);
            held.add(lease);
        }
        if (leases.size() < max) {
            oracle.expectNothingElse(now);
            assertThat(frontier.nextWork(at()).ready()).isFalse();
        }
    }

    private Lease anyHeld() {
        return held.get(random.nextInt(held.size()));
    }

    private void pass() {
        if (held.isEmpty()) {
            return;
        }
        var lease = anyHeld();
        var target = random.nextInt(4) == 0 ? url(randomHost() + "/0") : lease.url();
        var address = "192.0.2." + random.nextInt(3);
        var closedUntil = frontier.passGates(lease, target, Fixture.ip(address), at());
        if (closedUntil.isEmpty()) {
            frontier.sent(lease, at());
        }
        var passes = oracle.passes(lease.token(), target.host(), address, ADDRESS_DELAY, now);
        assertThat(closedUntil.isEmpty()).isEqualTo(passes);
        closedUntil.ifPresent(until -> assertThat(until).isAfter(at()));
    }

    private void settle() {
        if (held.isEmpty()) {
            return;
        }
        var lease = anyHeld();
        end(lease, random.nextInt(5), random.nextInt(4));
    }

    private void end(Lease lease, int outcome, int signal) {
        held.remove(lease);
        ended.add(lease);
        var retryAt = now + random.nextInt(30_000);
        var restUntil = now + random.nextInt(20_000);
        var found = found();
        var settlement =
                new Settlement(
                        lease,
                        switch (outcome) {
                            // Not a page: a host's first ten pages raise priorities, see
                            // IntakeContract.
                            case 0 -> new Outcome.Done(false, 1);
                            case 1 ->
                                    new Outcome.Retry(
                                            Instant.ofEpochMilli(retryAt), FailureCause.TIMEOUT);
                            case 2 -> new Outcome.Dead(FailureCause.DNS);
                            case 3 ->
                                    new Outcome.EquivalentRedirect(
                                            Fixture.url(lease.url().text().replace("%7E", "~")));
                            default -> new Outcome.Withdrawn(Refusal.ROBOTS);
                        },
                        switch (signal) {
                            case 0 -> new HostSignal.NoRequest();
                            case 1 -> new HostSignal.Healthy(at());
                            case 2 -> new HostSignal.Failing(at());
                            default ->
                                    new HostSignal.RateLimited(
                                            at(), Instant.ofEpochMilli(restUntil));
                        },
                        1,
                        found,
                        Map.of());
        assertThat(frontier.settle(new CommitBatch(List.of(settlement), List.of()), at())).isZero();
        var expectedLease = oracle.take(lease.token(), signal == 0 ? Long.MIN_VALUE : now);
        switch (outcome) {
            case 0 -> expectedLease.url.expectedState = Oracle.ExpectedState.DONE;
            case 1 -> {
                expectedLease.url.expectedState = Oracle.ExpectedState.QUEUED;
                expectedLease.url.notBefore = retryAt;
                expectedLease.url.attempts++;
            }
            case 2 -> {
                expectedLease.url.expectedState = Oracle.ExpectedState.DEAD;
                expectedLease.url.cause = FailureCause.DNS;
            }
            case 3 -> {
                expectedLease.url.expectedState = Oracle.ExpectedState.QUEUED;
                expectedLease.url.notBefore = 0;
                expectedLease.url.attempts = 0;
            }
            default -> expectedLease.url.expectedState = Oracle.ExpectedState.WITHDRAWN;
        }
        if (signal > 0) {
            oracle.requestEnded(expectedLease, now);
        }
        switch (signal) {
            case 0 -> {}
            case 1 -> oracle.responded(expectedLease);
            case 2 -> oracle.failed(expectedLease, now);
            default -> {
                oracle.rest(expectedLease, restUntil);
                oracle.responded(expectedLease);
            }
        }
        note(found);
    }

    private void release() {
        if (held.isEmpty()) {
            return;
        }
        var lease = anyHeld();
        held.remove(lease);
        ended.add(lease);
        var kind = random.nextInt(4);
        var until = now + random.nextInt(5000);
        ReleaseReason why =
                switch (kind) {
                    case 0 -> new ReleaseReason.GateClosed(Instant.ofEpochMilli(until));
                    case 1 -> new ReleaseReason.RobotsFetched(at());
                    case 2 -> new ReleaseReason.Stopping(at());
                    default ->
                            new ReleaseReason.RobotsUnreachable(at(), Instant.ofEpochMilli(until));
                };
        assertThat(frontier.release(lease, why, at())).isTrue();
        var expectedLease = oracle.take(lease.token(), kind == 0 ? Long.MIN_VALUE : now);
        expectedLease.url.expectedState = Oracle.ExpectedState.QUEUED;
        expectedLease.url.notBefore = 0;
        switch (kind) {
            case 0 -> {
                var host = oracle.host(expectedLease.url.host);
                // Nothing was sent, so the host is no longer reserved for that.
                var others = host.heldUntil == expectedLease.heldTo ? 0 : host.heldUntil;
                host.heldUntil = Math.max(others, until);
            }
            case 1 -> {
                oracle.requestEnded(expectedLease, now);
                oracle.responded(expectedLease);
            }
            case 2 -> oracle.requestEnded(expectedLease, now);
            default -> {
                oracle.requestEnded(expectedLease, now);
                expectedLease.url.notBefore = until;
            }
        }
    }

    private void settleLate() {
        if (ended.isEmpty()) {
            return;
        }
        var lease = ended.get(random.nextInt(ended.size()));
        var settlement =
                Settlement.of(lease, new Outcome.Done(true, 1), new HostSignal.Healthy(at()));
        assertThat(frontier.settle(new CommitBatch(List.of(settlement), List.of()), at()))
                .isEqualTo(1);
        assertThat(frontier.release(lease, new ReleaseReason.Stopping(at()), at())).isFalse();
        assertThat(frontier.extend(lease, at().plusSeconds(100))).isFalse();
        assertThat(frontier.passGates(lease, lease.url(), Fixture.ip("192.0.2.1"), at()))
                .isPresent();
    }

    private void extend() {
        if (held.isEmpty()) {
            return;
        }
        var lease = anyHeld();
        var deadline = now + random.nextInt(60_000);
        assertThat(frontier.extend(lease, Instant.ofEpochMilli(deadline))).isTrue();
        var expectedLease = oracle.lease(lease.token());
        expectedLease.deadline = Math.max(expectedLease.deadline, deadline);
    }

    private void requeue() {
        var host = randomHost();
        var revived = oracle.requeued(host);
        assertThat(
                        frontier.requeueDeadLetters(
                                TestFrontier.JOB, letter -> letter.url().host().equals(host), at()))
                .isEqualTo(revived);
    }

    private void crash() {
        if (crashes) {
            // A call, so that the time without a process is short and counts in full.
            var last =
                    List.of(new Candidate(url("h0.example/" + (1000 + deaths++)), Hop.LINK, 1, 0));
            frontier.offer(TestFrontier.JOB, last, at());
            note(last);
            frontier = reopen.apply(politeness, at());
            oracle.reopened(now);
            ended.addAll(held);
            held.clear();
        }
    }

    /** Settles outstanding leases and leases the rest until nothing is left. */
    private void drain() {
        for (var rounds = 0; !frontier.nextWork(at()).isExhausted(); rounds++) {
            assertThat(rounds).as("rounds until everything is done").isLessThan(100_000);
            lease();
            List.copyOf(held).forEach(lease -> end(lease, 4, 1));
            frontier.nextWork(at()).nextDue().ifPresent(due -> now = due.toEpochMilli());
            oracle.check(frontier.stats().ledger());
        }
        assertThat(frontier.stats().ledger().queued()).isZero();
    }
}
