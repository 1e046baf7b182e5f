package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.HostPattern;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Several jobs over one frontier: what they share, and what is separate. */
public interface JobsContract extends FrontierFixtures {

    /** A job. */
    JobId A = new JobId(1);

    /** Another. */
    JobId B = new JobId(2);

    @Test
    default void aJobsLedgerIsItsOwnAndAllTogetherAreTheLedger() {
        try (var fixture = fixture()) {
            fixture.offer(A, "http://a.example/1", "http://a.example/2", "http://a.example/1");
            fixture.offer(B, "http://a.example/1");
            fixture.done(fixture.lease());
            var a = fixture.frontier.ledger(A);
            var b = fixture.frontier.ledger(B);
            assertThat(a.accepted()).isEqualTo(2);
            assertThat(a.duplicate()).isEqualTo(1);
            assertThat(b.accepted()).isEqualTo(1);
            assertThat(a.done() + b.done()).isEqualTo(1);
            assertThat(a.balances() && b.balances()).isTrue();
            assertThat(fixture.frontier.ledger().accepted()).isEqualTo(3);
            assertThat(fixture.frontier.ledger()).isEqualTo(fixture.frontier.stats().ledger());
        }
    }

    @Test
    default void turnsComeOutAsTheWeightsWhenAllHaveWork() {
        try (var fixture = fixture()) {
            for (var host = 0; host < 50; host++) {
                fixture.offer(A, pages("http://a" + host + ".example/"));
                fixture.offer(B, pages("http://b" + host + ".example/"));
            }
            fixture.frontier.setWeight(A, 3);
            var turns = new HashMap<JobId, Integer>();
            for (var round = 0; round < 100; round++) {
                for (var lease : fixture.frontier.lease(4, fixture.now)) {
                    turns.merge(lease.job(), 1, Integer::sum);
                    fixture.done(lease);
                }
                fixture.advance(Duration.ofMillis(200));
            }
            assertThat(turns.get(A)).isEqualTo(300);
            assertThat(turns.get(B)).isEqualTo(100);
        }
    }

    private static String[] pages(String site) {
        return IntStream.range(0, 20).mapToObj(page -> site + page).toArray(String[]::new);
    }

    @Test
    default void noJobGetsMoreLeasesThanItWants() {
        try (var fixture = fixture()) {
            for (var host = 0; host < 10; host++) {
                fixture.offer(A, "http://a" + host + ".example/");
                fixture.offer(B, "http://b" + host + ".example/", "http://a" + host + ".example/b");
            }
            var leases = fixture.frontier.lease(12, Map.of(A, 2, B, 30), fixture.now);
            assertThat(leases).hasSize(12);
            assertThat(leases.stream().filter(lease -> lease.job().equals(A))).hasSize(2);
            assertThat(fixture.frontier.lease(12, Map.of(), fixture.now)).isEmpty();
            var rest = fixture.frontier.lease(99, Map.of(A, 99), fixture.now);
            assertThat(rest).isNotEmpty().allMatch(lease -> lease.job().equals(A));
        }
    }

    @Test
    default void aJobsFiguresAreItsOwn() {
        try (var fixture = fixture()) {
            fixture.frontier.setIntakeLimits(
                    A, new IntakeLimits(1, Long.MAX_VALUE, Integer.MAX_VALUE));
            fixture.offer(A, "http://a.example/1", "http://a.example/2");
            fixture.offer(B, "http://b.example/1");
            var a = fixture.frontier.stats(A);
            assertThat(a.ledger()).isEqualTo(fixture.frontier.ledger(A));
            assertThat(a.refusedByReason()).containsExactly(Map.entry(Refusal.HOST_LIMIT, 1L));
            assertThat(fixture.frontier.stats(B).refusedByReason()).isEmpty();
            assertThat(a.hosts()).isEqualTo(new FrontierStats.Hosts(0, 0, 1, 0, 0));
        }
    }

    @Test
    default void theHostsOfAJobAreThoseOnWhichItHasUrls() {
        try (var fixture = fixture()) {
            fixture.offer(A, "http://both.example/a1", "http://both.example/a2");
            fixture.offer(B, "http://both.example/b");
            for (var host = 0; host < 5; host++) {
                fixture.offer(B, "http://b" + host + ".example/");
            }
            assertThat(fixture.frontier.stats(A).hosts().ready()).isEqualTo(1);
            assertThat(fixture.frontier.stats(B).hosts().ready()).isEqualTo(6);
            fixture.frontier.lease(1, Map.of(A, 1), fixture.now).forEach(fixture::done);
            assertThat(fixture.frontier.stats(A).hosts().ready()).isZero();
            assertThat(fixture.frontier.stats(A).hosts().waiting()).isEqualTo(1);
            var _ = fixture.crawlAll();
            assertThat(fixture.frontier.stats(A).hosts().idle())
                    .isEqualTo(fixture.frontier.stats(A).hosts().total());
            assertThat(fixture.frontier.stats(B).hosts().idle())
                    .isEqualTo(fixture.frontier.stats(B).hosts().total());
        }
    }

    @Test
    default void aJobThatIsNotActiveIsNotLeasedAndItsHostsAreIdle() {
        try (var fixture = fixture()) {
            fixture.offer(A, "http://a.example/1", "http://a.example/2", "http://both.example/a");
            fixture.offer(B, "http://both.example/b");
            fixture.frontier.setActive(A, false);
            assertThat(fixture.frontier.stats(A).hosts().ready()).isZero();
            assertThat(fixture.frontier.stats().hosts().ready()).isEqualTo(1);
            assertThat(fixture.leased()).containsExactly("http://both.example/b");
            assertThat(fixture.frontier.nextWork(fixture.now).ready()).isFalse();
            assertThat(fixture.frontier.nextWork(fixture.now).nextDue()).isEmpty();
            assertThat(fixture.frontier.ledger(A).queued()).isEqualTo(3);
            fixture.offer(A, "http://new.example/"); // Also what comes while it is not active.
            fixture.expectNothing();
            fixture.frontier.setActive(A, true);
            assertThat(fixture.leased())
                    .containsExactlyInAnyOrder("http://a.example/1", "http://new.example/");
        }
    }

    @Test
    default void aPausedJobIsNotExhausted() {
        try (var fixture = fixture()) {
            fixture.offer(A, "http://a.example/");
            var view = fixture.frontier.crawl(A);
            view.setActive(false);
            assertThat(view.nextWork(fixture.now).isExhausted()).isFalse();
            assertThat(fixture.frontier.isExhausted(A)).isFalse();
            view.setActive(true);
            fixture.done(fixture.lease());
            assertThat(view.nextWork(fixture.now).isExhausted()).isTrue();
        }
    }

    @Test
    default void aStricterSettingOfAnotherJobIsNamedWhereItIsInForce() {
        try (var fixture = fixture()) {
            fixture.frontier.setPoliteness(A, polite(Duration.ofMillis(2500), 1), fixture.now);
            fixture.frontier.setPoliteness(
                    B,
                    new Politeness(
                            Duration.ofSeconds(1),
                            Duration.ofSeconds(7),
                            Duration.ZERO,
                            4,
                            Duration.ofMinutes(9)),
                    fixture.now);
            fixture.offer(A, "http://both.example/a", "http://a.example/");
            fixture.offer(B, "http://both.example/b", "http://b.example/");
            var _ = fixture.leases(); // In a fleet, this claims the hosts.
            var admin = fixture.frontier.inner;
            var delay = new ForeignSetting(A, "delay", "2500ms");
            var one = new ForeignSetting(A, "concurrency-per-host", "1");
            var ip = new ForeignSetting(B, "delay-ip", "7s");
            assertThat(admin.politeness(B, "both.example"))
                    .isEqualTo(new HostPoliteness(Duration.ofMillis(2500), List.of(delay, one)));
            assertThat(admin.politeness(A, "both.example").foreign()).containsExactly(ip);
            assertThat(admin.politeness(B, "b.example").foreign()).isEmpty();
            assertThat(admin.foreignSettings(A)).containsExactly(ip);
            assertThat(admin.foreignSettings(B)).isEmpty();
            var listed = fixture.frontier.hosts(B, 9, fixture.now).first();
            assertThat(listed)
                    .filteredOn(host -> host.host().equals("both.example"))
                    .singleElement()
                    .satisfies(
                            host -> assertThat(host.foreignSettings()).containsExactly(delay, one));
            fixture.frontier.setActive(B, false);
            assertThat(admin.foreignSettings(A)).isEmpty();
        }
    }

    @Test
    default void onlyActiveJobsCountForTheSettingsOfAHost() {
        try (var fixture = fixture()) {
            fixture.frontier.setPoliteness(A, polite(Duration.ofSeconds(9), 1), fixture.now);
            fixture.frontier.setPoliteness(B, polite(Duration.ofSeconds(1), 1), fixture.now);
            for (var page = 0; page < 9; page++) {
                fixture.offer(A, "http://both.example/a" + page);
                fixture.offer(B, "http://both.example/b" + page);
            }
            fixture.done(fixture.lease());
            fixture.advance(8999);
            fixture.expectNothing();
            fixture.frontier.setActive(A, false);
            var ofB = fixture.lease();
            assertThat(ofB.job()).isEqualTo(B);
            fixture.done(ofB);
            fixture.advance(1000);
            fixture.done(fixture.lease());
            fixture.frontier.setActive(A, true);
            fixture.advance(8999);
            fixture.expectNothing();
            fixture.advance(1);
            assertThat(fixture.leases()).hasSize(1);
        }
    }

    @Test
    default void onlyJobsWithUrlsOnAHostCountForItsSettings() {
        try (var fixture = fixture()) {
            fixture.frontier.setPoliteness(A, polite(Duration.ofSeconds(9), 1), fixture.now);
            fixture.frontier.setPoliteness(B, polite(Duration.ofSeconds(1), 1), fixture.now);
            fixture.offer(A, "http://both.example/a");
            var ofA = fixture.lease();
            fixture.offer(B, "http://both.example/b1", "http://both.example/b2");
            fixture.advance(1000);
            fixture.expectNothing(); // The request of A is in flight.
            fixture.done(ofA);
            fixture.advance(1000);
            fixture.done(fixture.lease());
            fixture.offer(A, "http://both.example/a2"); // Now it has work there again.
            fixture.expectNothing(); // A worker of a fleet loads the URL now.
            fixture.advance(8999);
            fixture.expectNothing();
            fixture.advance(1);
            assertThat(fixture.leases()).hasSize(1);
        }
    }

    @Test
    default void onlyActiveJobsCountForAddresses() {
        try (var fixture = fixture(FrontierFixtures.gates(Duration.ZERO, Duration.ZERO))) {
            fixture.frontier.setPoliteness(
                    A,
                    FrontierFixtures.gates(Duration.ofSeconds(5), Duration.ofSeconds(5)),
                    fixture.now);
            fixture.frontier.setPoliteness(
                    B, FrontierFixtures.gates(Duration.ZERO, Duration.ZERO), fixture.now);
            fixture.offer(B, "http://a.b.example/", "http://b.b.example/", "http://c.b.example/");
            fixture.frontier.setActive(A, false);
            for (var lease : fixture.leases()) {
                assertThat(fixture.pass(lease, "192.0.2.1")).isEmpty();
            }
        }
    }

    /** Returns by how many of 50 turns on a host a job may differ from its share. */
    default double turnTolerance() {
        return 2.0;
    }

    /** Jobs that share a slow host are all far behind a job with fast hosts. */
    @Test
    default void jobsThatShareASlowHostTakeTurnsByWeightBesideAFasterJob() {
        try (var fixture = fixture()) {
            var jobs = List.of(new JobId(1), new JobId(2), new JobId(3));
            var weights = List.of(1, 100, 10);
            var fast = new JobId(4);
            for (var job : jobs) {
                fixture.frontier.setWeight(job, weights.get(job.number() - 1));
                for (var page = 0; page < 60; page++) {
                    fixture.offer(job, "http://slow.example/" + job.number() + "/" + page);
                }
            }
            var turns = new HashMap<JobId, Integer>();
            for (var turn = 0; turn < 50; turn++) {
                for (var host = 0; host < 20; host++) {
                    fixture.offer(fast, "http://fast" + host + ".example/" + turn);
                }
                for (var lease : fixture.leases()) {
                    turns.merge(lease.job(), 1, Integer::sum);
                    fixture.done(lease);
                }
                fixture.advance(1000);
            }
            for (var job : jobs) {
                var share = 50.0 * weights.get(job.number() - 1) / 111;
                assertThat((double) turns.getOrDefault(job, 0))
                        .as("turns of %s in %s", job, turns)
                        .isCloseTo(share, within(turnTolerance()));
            }
            assertThat(turns.get(fast)).isEqualTo(1000);
        }
    }

    @Test
    default void aPageThatFailsForManyJobsIsOneFailureOfItsHost() {
        try (var fixture = fixture()) {
            for (var job = 0; job < 12; job++) {
                fixture.offer(new JobId(job), "http://a.example/broken");
            }
            for (var job = 0; job < 12; job++) {
                fixture.advance(1000);
                fixture.failed(fixture.lease(), Duration.ofHours(1));
            }
            fixture.offer(A, pages("http://a.example/"));
            for (var failure = 2; failure <= 10; failure++) {
                fixture.advance(1000);
                fixture.failed(fixture.lease(), Duration.ofHours(1));
            }
            assertThat(fixture.frontier.stats().hosts().resting()).isEqualTo(1);
        }
    }

    @Test
    default void aJobThatWantsNoLeaseDoesNotKeepAHostThatOthersJoin() {
        try (var fixture = fixture()) {
            fixture.offer(A, "http://a.example/", "http://both.example/a");
            assertThat(fixture.frontier.lease(9, Map.of(B, 9), fixture.now)).isEmpty();
            fixture.offer(B, "http://both.example/b");
            assertThat(fixture.frontier.lease(9, Map.of(B, 9), fixture.now))
                    .hasSize(1)
                    .allMatch(lease -> lease.job().equals(B));
        }
    }

    @Test
    default void aJobThatWantsNoLeaseDoesNotKeepASharedHostFromOthers() {
        try (var fixture = fixture()) {
            for (var page = 0; page < 9; page++) {
                fixture.offer(A, "http://both.example/a" + page);
                fixture.offer(B, "http://both.example/b" + page);
            }
            for (var turn = 0; turn < 5; turn++) {
                assertThat(fixture.frontier.lease(9, Map.of(), fixture.now)).isEmpty();
                var leases = fixture.frontier.lease(9, Map.of(B, 9), fixture.now);
                assertThat(leases).hasSize(1).allMatch(lease -> lease.job().equals(B));
                fixture.done(leases.getFirst());
                fixture.advance(1000);
            }
            var lease = fixture.lease(); // It keeps a single turn.
            assertThat(lease.job()).isEqualTo(A);
        }
    }

    @Test
    default void aJobIsExhaustedWhenNothingOfItWaitsOrIsOut() {
        try (var fixture = fixture()) {
            assertThat(fixture.frontier.isExhausted(A)).isTrue();
            fixture.offer(A, "http://a.example/1");
            assertThat(fixture.frontier.isExhausted(A)).isFalse();
            assertThat(fixture.frontier.isExhausted(B)).isTrue();
            var lease = fixture.lease();
            assertThat(fixture.frontier.isExhausted(A)).isFalse();
            fixture.done(lease);
            assertThat(fixture.frontier.isExhausted(A)).isTrue();
        }
    }

    @Test
    default void jobsThatWantTheSameHostShareItByWeightAndItsDelayHolds() {
        try (var fixture = fixture()) {
            for (var page = 0; page < 100; page++) {
                fixture.offer(A, "http://h.example/a" + page);
                fixture.offer(B, "http://h.example/b" + page);
            }
            fixture.frontier.setWeight(B, 2);
            var turnsOfB = 0;
            for (var turn = 0; turn < 60; turn++) {
                var lease = fixture.lease();
                fixture.expectNothing();
                turnsOfB += lease.job().equals(B) ? 1 : 0;
                fixture.done(lease);
                fixture.advance(Duration.ofMillis(999));
                fixture.expectNothing();
                fixture.advance(Duration.ofMillis(1));
            }
            assertThat(turnsOfB).isCloseTo(40, within(1));
        }
    }

    @Test
    default void aHostThatSeveralJobsWantIsTreatedAsTheStrictestAsks() {
        try (var fixture = fixture()) {
            var seconds = Duration.ofSeconds(1);
            fixture.frontier.setPoliteness(A, polite(seconds.multipliedBy(3), 2), fixture.now);
            fixture.frontier.setPoliteness(B, polite(seconds.multipliedBy(2), 1), fixture.now);
            for (var page = 0; page < 3; page++) {
                fixture.offer(A, "http://both.example/a" + page);
                fixture.offer(B, "http://both.example/b" + page, "http://b.example/" + page);
            }
            var leases = fixture.frontier.lease(9, fixture.now);
            assertThat(leases).hasSize(2); // One at a time, though A would have two.
            leases.forEach(fixture::done);
            fixture.advance(1999);
            fixture.expectNothing();
            fixture.advance(1);
            assertThat(fixture.leased()).containsExactly("http://b.example/1");
            fixture.advance(999);
            fixture.expectNothing();
            fixture.advance(1);
            assertThat(fixture.leased()).hasSize(1).allMatch(url -> url.contains("//both."));
        }
    }

    private static Politeness polite(Duration delay, int perHost) {
        return new Politeness(delay, Duration.ZERO, Duration.ZERO, perHost, Duration.ofMinutes(9));
    }

    @Test
    default void addressesAreTreatedAsTheStrictestJobAsksWhoeverWantsThem() throws Exception {
        try (var fixture = fixture()) {
            var politeness = polite(Duration.ZERO, 1);
            fixture.frontier.setPoliteness(A, politeness, fixture.now);
            fixture.frontier.setPoliteness(
                    B,
                    new Politeness(
                            Duration.ZERO,
                            Duration.ofMillis(700),
                            Duration.ZERO,
                            1,
                            Duration.ofMinutes(9)),
                    fixture.now);
            fixture.offer(A, "http://a.example/1", "http://b.example/1");
            var leases = fixture.frontier.lease(2, fixture.now);
            var address = InetAddress.getByName("192.0.2.1");
            var first = leases.getFirst();
            assertThat(fixture.frontier.passGates(first, first.url(), address, fixture.now))
                    .isEmpty();
            fixture.frontier.sent(first, fixture.now);
            var second = leases.getLast();
            assertThat(fixture.frontier.passGates(second, second.url(), address, fixture.now))
                    .contains(fixture.now.plusMillis(700));
        }
    }

    @Test
    default void aJobThatWasIdleDoesNotMakeUpForIt() {
        try (var fixture = fixture()) {
            for (var host = 0; host < 40; host++) {
                fixture.offer(A, "http://a" + host + ".example/");
            }
            assertThat(fixture.frontier.lease(20, fixture.now)).hasSize(20);
            for (var host = 0; host < 20; host++) {
                fixture.offer(B, "http://b" + host + ".example/");
            }
            var next = fixture.frontier.lease(20, fixture.now);
            assertThat(next.stream().filter(lease -> lease.job().equals(B)).count())
                    .isBetween(9L, 11L);
        }
    }

    @Test
    default void aDeletedJobLeavesNothingAndOthersAreUntouched() {
        try (var fixture = fixture()) {
            fixture.offer(A, "http://a.example/1", "http://both.example/a");
            fixture.offer(B, "http://both.example/b", "http://b.example/1");
            fixture.frontier.deleteJob(A, fixture.now);
            assertThat(fixture.frontier.ledger(A).accepted()).isZero();
            assertThat(fixture.frontier.explain(A, Fixture.url("http://a.example/1")))
                    .isEqualTo(new UrlState.NeverAccepted());
            assertThat(fixture.crawlAll())
                    .containsExactlyInAnyOrder("http://both.example/b", "http://b.example/1");
            assertThat(fixture.ledger().accepted()).isEqualTo(2);
        }
    }

    @Test
    default void aDeletedJobsLeasesEndWithTheirHostsDelayKept() {
        try (var fixture = fixture()) {
            fixture.offer(A, "http://h.example/a");
            var lease = fixture.lease();
            fixture.offer(B, "http://h.example/b");
            fixture.frontier.deleteJob(A, fixture.now);
            fixture.advance(999);
            fixture.expectNothing();
            fixture.advance(1);
            assertThat(fixture.lease().job()).isEqualTo(B);
            assertThat(
                            fixture.frontier.release(
                                    lease, new ReleaseReason.Stopping(fixture.now), fixture.now))
                    .isFalse();
        }
    }

    @Test
    default void aDeletedJobsUrlsMayBeOfferedAgain() {
        try (var fixture = fixture()) {
            fixture.offer(A, "http://a.example/1");
            fixture.frontier.deleteJob(A, fixture.now);
            fixture.offer(A, "http://a.example/1");
            assertThat(fixture.lease().url().text()).isEqualTo("http://a.example/1");
        }
    }

    @Test
    default void deferredLinksAreCountedUntilTheyAreTakenUp() {
        try (var fixture = fixture()) {
            fixture.offer(A, "http://a.example/1");
            var lease = fixture.lease();
            var settlement =
                    new Settlement(
                            lease,
                            new Outcome.Done(true, 1),
                            fixture.healthy(),
                            0,
                            List.of(Fixture.link("http://a.example/2")),
                            Map.of());
            var commitBatch =
                    new CommitBatch(
                            List.of(settlement.withDeferredLinks().withCapture(7)), List.of());
            assertThat(fixture.frontier.settle(commitBatch, fixture.now)).isZero();
            assertThat(fixture.frontier.deferredLinks(A)).isEqualTo(new DeferredLinks(1, 0));
            assertThat(fixture.frontier.ledger(A).accepted()).isEqualTo(1);
            fixture.frontier.offerDeferred(
                    A,
                    7,
                    List.of(Fixture.link("http://a.example/2")),
                    Map.of(Refusal.SCOPE, 3),
                    fixture.now);
            assertThat(fixture.frontier.deferredLinks(A)).isEqualTo(new DeferredLinks(0, 7));
            assertThat(fixture.frontier.ledger(A).refused()).isEqualTo(3);
            fixture.advance(1000);
            assertThat(fixture.lease().parent()).isEqualTo(CaptureRef.ofLine(7));
        }
    }

    @Test
    default void noMoreUrlsOfAHostAreTakenThanTheLimit() {
        try (var fixture = fixture()) {
            fixture.frontier.setIntakeLimits(
                    A, new IntakeLimits(2, Long.MAX_VALUE, Integer.MAX_VALUE));
            fixture.offer(A, "http://a.example/1", "http://a.example/2", "http://a.example/3");
            fixture.offer(A, "http://a.example/1", "http://b.example/1");
            fixture.offer(B, "http://a.example/1", "http://a.example/2", "http://a.example/3");
            assertThat(fixture.frontier.ledger(A).accepted()).isEqualTo(3);
            assertThat(fixture.frontier.ledger(A).refused()).isEqualTo(1);
            assertThat(fixture.frontier.ledger(B).accepted()).isEqualTo(3);
            assertThat(fixture.frontier.stats().refusedByReason())
                    .containsEntry(Refusal.HOST_LIMIT, 1L);
        }
    }

    @Test
    default void noMoreUrlsOfADomainAreTakenThanTheLimitHoweverManyHostsItHas() {
        try (var fixture = fixture()) {
            fixture.offer(A, "http://x.site.co.uk/0");
            fixture.frontier.setIntakeLimits(
                    A, new IntakeLimits(Integer.MAX_VALUE, 3, Integer.MAX_VALUE));
            fixture.offer(
                    A, "http://a.site.co.uk/", "http://b.site.co.uk/", "http://c.site.co.uk/");
            fixture.offer(A, "http://other.co.uk/");
            assertThat(fixture.frontier.ledger(A).accepted()).isEqualTo(4);
            assertThat(fixture.frontier.stats().refusedByReason())
                    .containsEntry(Refusal.DOMAIN_LIMIT, 1L);
        }
    }

    @Test
    default void noMoreHostsAreTakenThanTheLimit() {
        try (var fixture = fixture()) {
            fixture.frontier.setIntakeLimits(
                    A, new IntakeLimits(Integer.MAX_VALUE, Long.MAX_VALUE, 2));
            fixture.offer(A, "http://a.example/", "http://b.example/", "http://c.example/");
            fixture.offer(A, "http://a.example/2");
            assertThat(fixture.frontier.ledger(A).accepted()).isEqualTo(3);
            assertThat(fixture.frontier.stats().refusedByReason())
                    .containsEntry(Refusal.HOSTS_LIMIT, 1L);
            assertThat(fixture.leased()).doesNotContain("http://c.example/");
        }
    }

    private static IntakeLimits matching(String part, long max) {
        return new IntakeLimits(
                Integer.MAX_VALUE,
                Long.MAX_VALUE,
                Integer.MAX_VALUE,
                List.of(new IntakeLimits.MatchLimit(part, url -> url.text().contains(part), max)));
    }

    @Test
    default void noMoreMatchingUrlsAreTakenThanTheLimit() {
        try (var fixture = fixture()) {
            fixture.frontier.setIntakeLimits(A, matching(".png", 2));
            fixture.offer(
                    A, "http://a.example/1.png", "http://a.example/", "http://b.example/1.png");
            fixture.offer(A, "http://c.example/1.png", "http://c.example/");
            fixture.offer(B, "http://a.example/1.png", "http://b.example/1.png");
            fixture.offer(B, "http://c.example/1.png");
            assertThat(fixture.frontier.ledger(A).accepted()).isEqualTo(4);
            assertThat(fixture.frontier.ledger(B).accepted()).isEqualTo(3);
            assertThat(fixture.frontier.stats().refusedByReason())
                    .containsEntry(Refusal.MATCH_LIMIT, 1L);
        }
    }

    @Test
    default void aMatchingUrlThatIsOfferedAgainCountsOnce() {
        try (var fixture = fixture()) {
            fixture.frontier.setIntakeLimits(A, matching(".png", 2));
            fixture.offer(A, "http://a.example/1.png", "http://a.example/1.png");
            fixture.offer(A, "http://a.example/1.png");
            fixture.offer(A, "http://a.example/2.png", "http://a.example/3.png");
            assertThat(fixture.frontier.ledger(A).accepted()).isEqualTo(2);
            assertThat(fixture.frontier.ledger(A).refused()).isEqualTo(1);
            assertThat(fixture.frontier.ledger(A).duplicate()).isEqualTo(2);
        }
    }

    @Test
    default void aUrlThatAnotherLimitRefusesDoesNotCountAsMatching() {
        try (var fixture = fixture()) {
            fixture.frontier.setIntakeLimits(
                    A,
                    new IntakeLimits(
                            1, Long.MAX_VALUE, Integer.MAX_VALUE, matching(".png", 2).matching()));
            fixture.frontier.exclude(
                    A, new HostSet(List.of(HostPattern.of("x.example"))), fixture.now);
            fixture.offer(A, "http://a.example/1.png");
            fixture.offer(A, "http://a.example/2.png", "http://a.example/3.png");
            fixture.offer(A, "http://a.example/2.png", "http://x.example/1.png");
            fixture.offer(A, "http://b.example/1.png");
            fixture.offer(A, "http://c.example/1.png");
            assertThat(fixture.frontier.ledger(A).accepted()).isEqualTo(2);
            assertThat(fixture.frontier.stats().refusedByReason())
                    .containsEntry(Refusal.HOST_LIMIT, 3L)
                    .containsEntry(Refusal.MATCH_LIMIT, 1L);
        }
    }

    @Test
    default void aHigherMaximumContinuesTheCountOfMatchingUrls() {
        try (var fixture = fixture()) {
            fixture.frontier.setIntakeLimits(A, matching(".png", 1));
            fixture.offer(A, "http://a.example/1.png", "http://a.example/2.png");
            fixture.frontier.setIntakeLimits(A, matching(".png", 2));
            fixture.offer(A, "http://a.example/2.png", "http://a.example/3.png");
            assertThat(fixture.frontier.ledger(A).accepted()).isEqualTo(2);
        }
    }
}
