package dev.orbweaver.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Who holds a URL, for how long, and what may become of it. */
public interface LeaseContract extends FrontierScenes {

    @Test
    default void tokensAreNeverGivenTwice() {
        try (var scene = scene()) {
            scene.offer("http://a.example/");
            var first = scene.lease();
            assertThat(scene.frontier.release(first, new Pause.Gate(scene.now), scene.now))
                    .isTrue();
            assertThat(scene.lease().token()).isGreaterThan(first.token());
        }
    }

    @Test
    default void aLeaseHoldsAtItsDeadlineAndNotAfterIt() {
        try (var scene = scene()) {
            scene.offer("http://a.example/");
            var lease = scene.lease();
            scene.now = lease.deadline();
            scene.expectNothing();
            assertThat(scene.ledger().leased()).isEqualTo(1);
            scene.later(1);
            scene.expectNothing(); // Lost now, so the host's delay begins now.
            assertThat(scene.ledger().leased()).isZero();
            scene.later(999);
            scene.expectNothing();
            scene.later(1);
            var again = scene.lease();
            assertThat(again.url()).isEqualTo(lease.url());
            assertThat(again.token()).isNotEqualTo(lease.token());
        }
    }

    @Test
    default void aLateSettleWithAnOldTokenChangesNothing() {
        try (var scene = scene()) {
            scene.offer("http://a.example/");
            var old = scene.lease();
            scene.now = old.deadline().plusMillis(1);
            scene.expectNothing();
            scene.later(1000);
            var current = scene.lease();
            var before = scene.frontier.stats();
            var settlement =
                    new Settlement(
                            old,
                            new Outcome.Done(true, 9),
                            scene.healthy(),
                            1,
                            List.of(Scene.link("http://a.example/found")),
                            Map.of(Refusal.SCOPE, 5));
            assertThat(scene.frontier.settle(new Batch(List.of(settlement), List.of()), scene.now))
                    .isEqualTo(1);
            assertThat(scene.frontier.stats()).isEqualTo(before);
            assertThat(scene.frontier.release(old, new Pause.Gate(scene.now), scene.now)).isFalse();
            assertThat(scene.frontier.extend(old, scene.now.plusSeconds(999))).isFalse();
            assertThat(scene.pass(old, "192.0.2.1")).isPresent();
            assertThat(scene.frontier.stats()).isEqualTo(before);
            scene.done(current);
        }
    }

    @Test
    default void aLateGuestIsNotLetIn() {
        try (var scene = scene()) {
            scene.offer("http://a.example/");
            var old = scene.lease();
            scene.done(old);
            var before = scene.frontier.stats();
            var robots = Scene.url("http://b.example/robots.txt");
            assertThat(scene.frontier.pass(old, robots, Scene.ip("192.0.2.1"), scene.now))
                    .isPresent();
            assertThat(scene.frontier.stats()).isEqualTo(before);
            scene.offer("http://b.example/");
            assertThat(scene.leases()).hasSize(1);
        }
    }

    @Test
    default void aLeaseSettlesOnceEvenWithinOneBatch() {
        try (var scene = scene()) {
            scene.offer("http://a.example/");
            var lease = scene.lease();
            var settlement = Settlement.of(lease, new Outcome.Done(true, 1), scene.healthy());
            var batch = new Batch(List.of(settlement, settlement), List.of());
            assertThat(scene.frontier.settle(batch, scene.now)).isEqualTo(1);
            assertThat(scene.ledger().done()).isEqualTo(1);
        }
    }

    @Test
    default void extensionPutsTheDeadlineOff() {
        try (var scene = scene()) {
            scene.offer("http://a.example/");
            var lease = scene.lease();
            var longer = lease.deadline().plusSeconds(600);
            assertThat(scene.frontier.extend(lease, longer)).isTrue();
            assertThat(scene.frontier.extend(lease, Scene.START)).isTrue(); // Never forward.
            assertThat(scene.explain("http://a.example/"))
                    .isEqualTo(new Explanation.Leased(longer, 0));
            scene.now = lease.deadline().plusSeconds(1);
            scene.expectNothing();
            assertThat(scene.ledger().leased()).isEqualTo(1);
            scene.now = longer.plusMillis(1);
            scene.expectNothing();
            assertThat(scene.ledger().leased()).isZero();
        }
    }

    @Test
    default void tenLostLeasesMakePoison() {
        try (var scene = scene()) {
            scene.offer("http://a.example/poison", "http://a.example/good");
            for (var i = 0; i < 10; i++) {
                var lease = scene.lease();
                assertThat(lease.url().text()).isEqualTo("http://a.example/poison");
                assertThat(lease.attempts()).isZero();
                scene.now = lease.deadline().plusMillis(1);
                scene.expectNothing();
                scene.later(1000);
            }
            assertThat(scene.leased()).containsExactly("http://a.example/good");
            assertThat(scene.frontier.stats().deadByCause())
                    .isEqualTo(Map.of(FailureCause.POISON, 1L));
        }
    }

    @Test
    default void aReleasedUrlIsFirstAgain() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2");
            var why = new Pause.RobotsFetched(scene.now);
            assertThat(scene.frontier.release(scene.lease(), why, scene.now)).isTrue();
            scene.expectNothing(); // robots.txt was a request like any other.
            assertThat(scene.crawlAll())
                    .containsExactly("http://a.example/1", "http://a.example/2");
        }
    }

    @Test
    default void aLeaseGivenBackByAStoppingCrawlKeepsTheDelay() {
        try (var scene = scene()) {
            scene.offer("http://a.example/");
            var lease = scene.lease();
            scene.later(200);
            assertThat(scene.frontier.release(lease, new Pause.Stopping(scene.now), scene.now))
                    .isTrue();
            scene.later(999);
            scene.expectNothing();
            scene.later(1);
            assertThat(scene.leases()).hasSize(1);
        }
    }

    @Test
    default void aFailingPageDelaysItselfAndNotItsHost() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2", "http://a.example/3");
            scene.failed(scene.lease(), Duration.ofSeconds(5));
            scene.later(1000);
            var second = scene.lease();
            assertThat(second.url().text()).isEqualTo("http://a.example/2");
            scene.done(second);
            scene.later(4000);
            // The retry is due, but others of its band were there before it.
            var third = scene.lease();
            assertThat(third.url().text()).isEqualTo("http://a.example/3");
            scene.done(third);
            scene.later(1000);
            var retry = scene.lease();
            assertThat(retry.url().text()).isEqualTo("http://a.example/1");
            assertThat(retry.attempts()).isEqualTo(1);
            scene.failed(retry, Duration.ofSeconds(30));
            scene.later(29_999);
            scene.expectNothing();
            scene.later(1);
            assertThat(scene.lease().attempts()).isEqualTo(2);
        }
    }

    @Test
    default void aHostWhoseUrlsAllLieAheadWaitsForTheEarliest() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2");
            scene.failed(scene.lease(), Duration.ofSeconds(90));
            scene.later(1000);
            scene.failed(scene.lease(), Duration.ofSeconds(20));
            assertThat(scene.frontier.outlook(scene.now).nextDue())
                    .contains(scene.now.plusSeconds(20));
            scene.later(19_999);
            scene.expectNothing();
            scene.later(1);
            assertThat(scene.leased()).containsExactly("http://a.example/2");
        }
    }

    @Test
    default void aNewLinkIsNotHeldUpByARetryThatLiesAhead() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1");
            scene.failed(scene.lease(), Duration.ofHours(1));
            scene.later(1000);
            scene.offer("http://a.example/2");
            assertThat(scene.leased()).containsExactly("http://a.example/2");
        }
    }

    @Test
    default void deadLettersAreCountedByCause() {
        try (var scene = scene()) {
            scene.offer("http://a.example/", "http://b.example/", "http://c.example/");
            var leases = scene.leases();
            scene.settle(leases.get(0), new Outcome.Dead(FailureCause.DNS), scene.failing());
            scene.settle(leases.get(1), new Outcome.Dead(FailureCause.DNS), scene.failing());
            scene.settle(leases.get(2), new Outcome.Dead(FailureCause.LIMIT), scene.healthy());
            assertThat(scene.frontier.stats().deadByCause())
                    .isEqualTo(Map.of(FailureCause.DNS, 2L, FailureCause.LIMIT, 1L));
            assertThat(scene.ledger().dead()).isEqualTo(3);
            assertThat(scene.frontier.outlook(scene.now).exhausted()).isTrue();
        }
    }

    @Test
    default void aWithdrawnUrlCostsNoDelay() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2", "http://a.example/3");
            scene.withdrawn(scene.lease());
            scene.withdrawn(scene.lease());
            assertThat(scene.leased()).containsExactly("http://a.example/3");
            assertThat(scene.ledger().withdrawn()).isEqualTo(2);
            assertThat(scene.ledger().refused()).isZero();
            assertThat(scene.frontier.stats().refusedByReason())
                    .isEqualTo(Map.of(Refusal.ROBOTS, 2L));
        }
    }

    @Test
    default void aRespelledUrlIsAskedForAgainInItsNewSpellingOnceAndFirst() {
        try (var scene = scene()) {
            scene.offer("http://a.example/%7Ex", "http://a.example/2");
            var target = Scene.url("http://a.example/~x");
            scene.settle(scene.lease(), new Outcome.Respelled(target), scene.healthy());
            scene.expectNothing();
            scene.later(1000);
            var again = scene.lease();
            assertThat(again.url()).isEqualTo(target);
            assertThat(again.respelled()).isTrue();
            assertThat(again.hops()).isEqualTo(1);
            scene.done(again);
            assertThat(scene.ledger().accepted()).isEqualTo(2);
            assertThat(scene.crawlAll()).containsExactly("http://a.example/2");
        }
    }

    @Test
    default void aUrlRespelledToAnotherHostNameGoesHomeToThatHost() {
        try (var scene = scene()) {
            scene.offer("http://a.example/");
            var lease = scene.lease();
            var target = new CrawlUrl("http://www.a.example/", "www.a.example", lease.url().key());
            scene.settle(lease, new Outcome.Respelled(target), scene.healthy());
            var again = scene.lease(); // The other host owes no delay.
            assertThat(again.url()).isEqualTo(target);
            scene.done(again);
            assertThat(scene.frontier.outlook(scene.now).exhausted()).isTrue();
        }
    }

    @Test
    default void anotherJobsUrlsSurviveTheFailureOfOne() {
        try (var scene = scene()) {
            scene.offer("http://a.example/");
            scene.offer(new JobId(2), "http://a.example/");
            scene.settle(scene.lease(), new Outcome.Dead(FailureCause.MALFORMED), scene.healthy());
            scene.later(1000);
            assertThat(scene.lease().job()).isEqualTo(new JobId(2));
        }
    }
}
