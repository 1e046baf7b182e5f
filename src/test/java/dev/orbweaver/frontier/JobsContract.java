package dev.orbweaver.frontier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Several jobs over one frontier: what they share, and what each has of its own. */
public interface JobsContract extends FrontierScenes {

    /** A job. */
    JobId A = new JobId(1);

    /** Another. */
    JobId B = new JobId(2);

    @Test
    default void aJobsLedgerIsItsOwnAndAllTogetherAreTheLedger() {
        try (var scene = scene()) {
            scene.offer(A, "http://a.example/1", "http://a.example/2", "http://a.example/1");
            scene.offer(B, "http://a.example/1");
            scene.done(scene.lease());
            var a = scene.frontier.ledger(A);
            var b = scene.frontier.ledger(B);
            assertThat(a.accepted()).isEqualTo(2);
            assertThat(a.duplicate()).isEqualTo(1);
            assertThat(b.accepted()).isEqualTo(1);
            assertThat(a.done() + b.done()).isEqualTo(1);
            assertThat(a.balances() && b.balances()).isTrue();
            assertThat(scene.frontier.ledger().accepted()).isEqualTo(3);
            assertThat(scene.frontier.ledger()).isEqualTo(scene.frontier.stats().ledger());
        }
    }

    @Test
    default void turnsComeOutAsTheWeightsWhenAllHaveWork() {
        try (var scene = scene()) {
            for (var host = 0; host < 50; host++) {
                for (var page = 0; page < 20; page++) {
                    scene.offer(A, "http://a" + host + ".example/" + page);
                    scene.offer(B, "http://b" + host + ".example/" + page);
                }
            }
            scene.frontier.weigh(A, 3);
            var turns = new HashMap<JobId, Integer>();
            for (var round = 0; round < 100; round++) {
                for (var lease : scene.frontier.lease(4, scene.now)) {
                    turns.merge(lease.job(), 1, Integer::sum);
                    scene.done(lease);
                }
                scene.later(Duration.ofMillis(200));
            }
            assertThat(turns.get(A)).isEqualTo(300);
            assertThat(turns.get(B)).isEqualTo(100);
        }
    }

    @Test
    default void noJobGetsMoreLeasesThanItWants() {
        try (var scene = scene()) {
            for (var host = 0; host < 10; host++) {
                scene.offer(A, "http://a" + host + ".example/");
                scene.offer(B, "http://b" + host + ".example/", "http://a" + host + ".example/b");
            }
            var leases = scene.frontier.lease(12, Map.of(A, 2, B, 30), scene.now);
            assertThat(leases).hasSize(12);
            assertThat(leases.stream().filter(lease -> lease.job().equals(A))).hasSize(2);
            assertThat(scene.frontier.lease(12, Map.of(), scene.now)).isEmpty();
            var rest = scene.frontier.lease(99, Map.of(A, 99), scene.now);
            assertThat(rest).isNotEmpty().allMatch(lease -> lease.job().equals(A));
        }
    }

    @Test
    default void aJobsFiguresAreItsOwn() {
        try (var scene = scene()) {
            scene.frontier.limit(A, new IntakeLimits(1, Long.MAX_VALUE, Integer.MAX_VALUE));
            scene.offer(A, "http://a.example/1", "http://a.example/2");
            scene.offer(B, "http://b.example/1");
            var a = scene.frontier.stats(A);
            assertThat(a.ledger()).isEqualTo(scene.frontier.ledger(A));
            assertThat(a.refusedByReason()).containsExactly(Map.entry(Refusal.HOST_LIMIT, 1L));
            assertThat(scene.frontier.stats(B).refusedByReason()).isEmpty();
            assertThat(a.hosts()).isEqualTo(scene.frontier.stats().hosts());
        }
    }

    @Test
    default void aJobIsExhaustedWhenNothingOfItWaitsOrIsOut() {
        try (var scene = scene()) {
            assertThat(scene.frontier.exhausted(A)).isTrue();
            scene.offer(A, "http://a.example/1");
            assertThat(scene.frontier.exhausted(A)).isFalse();
            assertThat(scene.frontier.exhausted(B)).isTrue();
            var lease = scene.lease();
            assertThat(scene.frontier.exhausted(A)).isFalse();
            scene.done(lease);
            assertThat(scene.frontier.exhausted(A)).isTrue();
        }
    }

    @Test
    default void jobsThatWantTheSameHostShareItByWeightAndItsDelayHolds() {
        try (var scene = scene()) {
            for (var page = 0; page < 100; page++) {
                scene.offer(A, "http://h.example/a" + page);
                scene.offer(B, "http://h.example/b" + page);
            }
            scene.frontier.weigh(B, 2);
            var turnsOfB = 0;
            for (var turn = 0; turn < 60; turn++) {
                var lease = scene.lease();
                scene.expectNothing();
                turnsOfB += lease.job().equals(B) ? 1 : 0;
                scene.done(lease);
                scene.later(Duration.ofMillis(999));
                scene.expectNothing();
                scene.later(Duration.ofMillis(1));
            }
            assertThat(turnsOfB).isCloseTo(40, within(1));
        }
    }

    @Test
    default void aHostThatSeveralJobsWantIsTreatedAsTheStrictestAsks() {
        try (var scene = scene()) {
            var seconds = Duration.ofSeconds(1);
            scene.frontier.keepTo(A, polite(seconds.multipliedBy(3), 2), scene.now);
            scene.frontier.keepTo(B, polite(seconds.multipliedBy(2), 1), scene.now);
            for (var page = 0; page < 3; page++) {
                scene.offer(A, "http://both.example/a" + page);
                scene.offer(B, "http://both.example/b" + page, "http://b.example/" + page);
            }
            var leases = scene.frontier.lease(9, scene.now);
            assertThat(leases).hasSize(2); // One at a time, though A would have two.
            leases.forEach(scene::done);
            scene.later(1999);
            scene.expectNothing();
            scene.later(1);
            assertThat(scene.leased()).containsExactly("http://b.example/1");
            scene.later(999);
            scene.expectNothing();
            scene.later(1);
            assertThat(scene.leased()).hasSize(1).allMatch(url -> url.contains("//both."));
        }
    }

    private static Politeness polite(Duration delay, int perHost) {
        return new Politeness(delay, Duration.ZERO, Duration.ZERO, perHost, Duration.ofMinutes(9));
    }

    @Test
    default void addressesAreTreatedAsTheStrictestJobAsksWhoeverWantsThem() throws Exception {
        try (var scene = scene()) {
            var politeness = polite(Duration.ZERO, 1);
            scene.frontier.keepTo(A, politeness, scene.now);
            scene.frontier.keepTo(
                    B,
                    new Politeness(
                            Duration.ZERO,
                            Duration.ofMillis(700),
                            Duration.ZERO,
                            1,
                            Duration.ofMinutes(9)),
                    scene.now);
            scene.offer(A, "http://a.example/1", "http://b.example/1");
            var leases = scene.frontier.lease(2, scene.now);
            var address = InetAddress.getByName("192.0.2.1");
            var first = leases.getFirst();
            assertThat(scene.frontier.pass(first, first.url(), address, scene.now)).isEmpty();
            scene.frontier.sent(first, scene.now);
            var second = leases.getLast();
            assertThat(scene.frontier.pass(second, second.url(), address, scene.now))
                    .contains(scene.now.plusMillis(700));
        }
    }

    @Test
    default void aJobThatWasIdleDoesNotMakeUpForIt() {
        try (var scene = scene()) {
            for (var host = 0; host < 40; host++) {
                scene.offer(A, "http://a" + host + ".example/");
            }
            assertThat(scene.frontier.lease(20, scene.now)).hasSize(20);
            for (var host = 0; host < 20; host++) {
                scene.offer(B, "http://b" + host + ".example/");
            }
            var next = scene.frontier.lease(20, scene.now);
            assertThat(next.stream().filter(lease -> lease.job().equals(B)).count())
                    .isBetween(9L, 11L);
        }
    }

    @Test
    default void aDeletedJobLeavesNothingAndOthersAreUntouched() {
        try (var scene = scene()) {
            scene.offer(A, "http://a.example/1", "http://both.example/a");
            scene.offer(B, "http://both.example/b", "http://b.example/1");
            scene.frontier.deleteJob(A, scene.now);
            assertThat(scene.frontier.ledger(A).accepted()).isZero();
            assertThat(scene.frontier.explain(A, Scene.url("http://a.example/1")))
                    .isEqualTo(new Explanation.NeverAccepted());
            assertThat(scene.crawlAll())
                    .containsExactlyInAnyOrder("http://both.example/b", "http://b.example/1");
            assertThat(scene.ledger().accepted()).isEqualTo(2);
        }
    }

    @Test
    default void aDeletedJobsLeasesEndWithTheirHostsDelayKept() {
        try (var scene = scene()) {
            scene.offer(A, "http://h.example/a");
            var lease = scene.lease();
            scene.offer(B, "http://h.example/b");
            scene.frontier.deleteJob(A, scene.now);
            scene.later(999);
            scene.expectNothing();
            scene.later(1);
            assertThat(scene.lease().job()).isEqualTo(B);
            assertThat(scene.frontier.release(lease, new Pause.Stopping(scene.now), scene.now))
                    .isFalse();
        }
    }

    @Test
    default void aDeletedJobsUrlsMayBeOfferedAgain() {
        try (var scene = scene()) {
            scene.offer(A, "http://a.example/1");
            scene.frontier.deleteJob(A, scene.now);
            scene.offer(A, "http://a.example/1");
            assertThat(scene.lease().url().text()).isEqualTo("http://a.example/1");
        }
    }

    @Test
    default void deferredLinksAreCountedUntilTheyAreTakenUp() {
        try (var scene = scene()) {
            scene.offer(A, "http://a.example/1");
            var lease = scene.lease();
            var settlement =
                    new Settlement(
                            lease,
                            new Outcome.Done(true, 1),
                            scene.healthy(),
                            0,
                            List.of(Scene.link("http://a.example/2")),
                            Map.of());
            var batch = new Batch(List.of(settlement.deferringLinks().capturedAs(7)), List.of());
            assertThat(scene.frontier.settle(batch, scene.now)).isZero();
            assertThat(scene.frontier.deferred(A)).isEqualTo(new DeferredLinks(1, 0));
            assertThat(scene.frontier.ledger(A).accepted()).isEqualTo(1);
            scene.frontier.takeUp(
                    A,
                    7,
                    List.of(Scene.link("http://a.example/2")),
                    Map.of(Refusal.SCOPE, 3),
                    scene.now);
            assertThat(scene.frontier.deferred(A)).isEqualTo(new DeferredLinks(0, 7));
            assertThat(scene.frontier.ledger(A).refused()).isEqualTo(3);
            scene.later(1000);
            assertThat(scene.lease().parent()).isEqualTo(7);
        }
    }

    @Test
    default void noMoreUrlsOfAHostAreTakenThanTheLimit() {
        try (var scene = scene()) {
            scene.frontier.limit(A, new IntakeLimits(2, Long.MAX_VALUE, Integer.MAX_VALUE));
            scene.offer(A, "http://a.example/1", "http://a.example/2", "http://a.example/3");
            scene.offer(A, "http://a.example/1", "http://b.example/1");
            scene.offer(B, "http://a.example/1", "http://a.example/2", "http://a.example/3");
            assertThat(scene.frontier.ledger(A).accepted()).isEqualTo(3);
            assertThat(scene.frontier.ledger(A).refused()).isEqualTo(1);
            assertThat(scene.frontier.ledger(B).accepted()).isEqualTo(3);
            assertThat(scene.frontier.stats().refusedByReason())
                    .containsEntry(Refusal.HOST_LIMIT, 1L);
        }
    }

    @Test
    default void noMoreUrlsOfADomainAreTakenThanTheLimitHoweverManyHostsItHas() {
        try (var scene = scene()) {
            scene.offer(A, "http://x.site.co.uk/0");
            scene.frontier.limit(A, new IntakeLimits(Integer.MAX_VALUE, 3, Integer.MAX_VALUE));
            scene.offer(A, "http://a.site.co.uk/", "http://b.site.co.uk/", "http://c.site.co.uk/");
            scene.offer(A, "http://other.co.uk/");
            assertThat(scene.frontier.ledger(A).accepted()).isEqualTo(4);
            assertThat(scene.frontier.stats().refusedByReason())
                    .containsEntry(Refusal.DOMAIN_LIMIT, 1L);
        }
    }

    @Test
    default void noMoreHostsAreTakenThanTheLimit() {
        try (var scene = scene()) {
            scene.frontier.limit(A, new IntakeLimits(Integer.MAX_VALUE, Long.MAX_VALUE, 2));
            scene.offer(A, "http://a.example/", "http://b.example/", "http://c.example/");
            scene.offer(A, "http://a.example/2");
            assertThat(scene.frontier.ledger(A).accepted()).isEqualTo(3);
            assertThat(scene.frontier.stats().refusedByReason())
                    .containsEntry(Refusal.HOSTS_LIMIT, 1L);
            assertThat(scene.leased()).doesNotContain("http://c.example/");
        }
    }
}
