package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The life of a lease: who holds a URL, for how long, and how it ends. */
public interface LeaseContract extends FrontierFixtures {

    @Test
    default void tokensAreNeverGivenTwice() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/");
            var first = fixture.lease();
            assertThat(
                            fixture.frontier.release(
                                    first, new ReleaseReason.GateClosed(fixture.now), fixture.now))
                    .isTrue();
            assertThat(fixture.lease().token()).isGreaterThan(first.token());
        }
    }

    @Test
    default void aLeaseHoldsAtItsDeadlineAndNotAfterIt() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/");
            var lease = fixture.lease();
            fixture.now = lease.deadline();
            fixture.expectNothing();
            assertThat(fixture.ledger().leased()).isEqualTo(1);
            fixture.advance(1);
            fixture.expectNothing(); // Lost now, so the host's delay begins now.
            assertThat(fixture.ledger().leased()).isZero();
            fixture.advance(999);
            fixture.expectNothing();
            fixture.advance(1);
            var again = fixture.lease();
            assertThat(again.url()).isEqualTo(lease.url());
            assertThat(again.token()).isNotEqualTo(lease.token());
        }
    }

    @Test
    default void aLateSettleWithAnOldTokenChangesNothing() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/");
            var old = fixture.lease();
            fixture.now = old.deadline().plusMillis(1);
            fixture.expectNothing();
            fixture.advance(1000);
            var current = fixture.lease();
            var before = fixture.frontier.stats();
            var settlement =
                    new Settlement(
                            old,
                            new Outcome.Done(true, 9),
                            fixture.healthy(),
                            1,
                            List.of(Fixture.link("http://a.example/found")),
                            Map.of(Refusal.SCOPE, 5));
            assertThat(
                            fixture.frontier.settle(
                                    new CommitBatch(List.of(settlement), List.of()), fixture.now))
                    .isEqualTo(1);
            assertThat(fixture.frontier.stats()).isEqualTo(before);
            assertThat(
                            fixture.frontier.release(
                                    old, new ReleaseReason.GateClosed(fixture.now), fixture.now))
                    .isFalse();
            assertThat(fixture.frontier.extend(old, fixture.now.plusSeconds(999))).isFalse();
            assertThat(fixture.pass(old, "192.0.2.1")).isPresent();
            assertThat(fixture.frontier.stats()).isEqualTo(before);
            fixture.done(current);
        }
    }

    @Test
    default void aLateGuestIsNotLetIn() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/");
            var old = fixture.lease();
            fixture.done(old);
            var before = fixture.frontier.stats();
            var robots = Fixture.url("http://b.example/robots.txt");
            assertThat(
                            fixture.frontier.passGates(
                                    old, robots, Fixture.ip("192.0.2.1"), fixture.now))
                    .isPresent();
            assertThat(fixture.frontier.stats()).isEqualTo(before);
            fixture.offer("http://b.example/");
            assertThat(fixture.leases()).hasSize(1);
        }
    }

    @Test
    default void aLeaseSettlesOnceEvenWithinOneBatch() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/");
            var lease = fixture.lease();
            var settlement = Settlement.of(lease, new Outcome.Done(true, 1), fixture.healthy());
            var commitBatch = new CommitBatch(List.of(settlement, settlement), List.of());
            assertThat(fixture.frontier.settle(commitBatch, fixture.now)).isEqualTo(1);
            assertThat(fixture.ledger().done()).isEqualTo(1);
        }
    }

    @Test
    default void extensionPutsTheDeadlineOff() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/");
            var lease = fixture.lease();
            var longer = lease.deadline().plusSeconds(600);
            assertThat(fixture.frontier.extend(lease, longer)).isTrue();
            assertThat(fixture.frontier.extend(lease, Fixture.START)).isTrue(); // Never forward.
            assertThat(fixture.explain("http://a.example/"))
                    .isEqualTo(new UrlState.Leased(longer, 0));
            fixture.now = lease.deadline().plusSeconds(1);
            fixture.expectNothing();
            assertThat(fixture.ledger().leased()).isEqualTo(1);
            fixture.now = longer.plusMillis(1);
            fixture.expectNothing();
            assertThat(fixture.ledger().leased()).isZero();
        }
    }

    @Test
    default void tenLostLeasesMakePoison() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/poison", "http://a.example/good");
            for (var i = 0; i < 10; i++) {
                var lease = fixture.lease();
                assertThat(lease.url().text()).isEqualTo("http://a.example/poison");
                assertThat(lease.attempts()).isZero();
                fixture.now = lease.deadline().plusMillis(1);
                fixture.expectNothing();
                fixture.advance(1000);
            }
            assertThat(fixture.leased()).containsExactly("http://a.example/good");
            assertThat(fixture.frontier.stats().deadByCause())
                    .isEqualTo(Map.of(FailureCause.POISON, 1L));
        }
    }

    @Test
    default void aReleasedUrlIsFirstAgain() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2");
            var why = new ReleaseReason.RobotsFetched(fixture.now);
            assertThat(fixture.frontier.release(fixture.lease(), why, fixture.now)).isTrue();
            fixture.expectNothing(); // robots.txt was a request like any other.
            assertThat(fixture.crawlAll())
                    .containsExactly("http://a.example/1", "http://a.example/2");
        }
    }

    @Test
    default void aLeaseGivenBackByAStoppingCrawlKeepsTheDelay() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/");
            var lease = fixture.lease();
            fixture.advance(200);
            assertThat(
                            fixture.frontier.release(
                                    lease, new ReleaseReason.Stopping(fixture.now), fixture.now))
                    .isTrue();
            fixture.advance(999);
            fixture.expectNothing();
            fixture.advance(1);
            assertThat(fixture.leases()).hasSize(1);
        }
    }

    @Test
    default void aFailingPageDelaysItselfAndNotItsHost() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2", "http://a.example/3");
            fixture.failed(fixture.lease(), Duration.ofSeconds(5));
            fixture.advance(1000);
            var second = fixture.lease();
            assertThat(second.url().text()).isEqualTo("http://a.example/2");
            fixture.done(second);
            fixture.advance(4000);
            // The retry is due, but other URLs of its rank were queued before it.
            var third = fixture.lease();
            assertThat(third.url().text()).isEqualTo("http://a.example/3");
            fixture.done(third);
            fixture.advance(1000);
            var retry = fixture.lease();
            assertThat(retry.url().text()).isEqualTo("http://a.example/1");
            assertThat(retry.attempts()).isEqualTo(1);
            fixture.failed(retry, Duration.ofSeconds(30));
            fixture.advance(29_999);
            fixture.expectNothing();
            fixture.advance(1);
            assertThat(fixture.lease().attempts()).isEqualTo(2);
        }
    }

    @Test
    default void aHostWhoseUrlsAllLieAheadWaitsForTheEarliest() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2");
            fixture.failed(fixture.lease(), Duration.ofSeconds(90));
            fixture.advance(1000);
            fixture.failed(fixture.lease(), Duration.ofSeconds(20));
            assertThat(fixture.frontier.nextWork(fixture.now).nextDue())
                    .contains(fixture.now.plusSeconds(20));
            fixture.advance(19_999);
            fixture.expectNothing();
            fixture.advance(1);
            assertThat(fixture.leased()).containsExactly("http://a.example/2");
        }
    }

    @Test
    default void aNewLinkIsNotHeldUpByARetryThatLiesAhead() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1");
            fixture.failed(fixture.lease(), Duration.ofHours(1));
            fixture.advance(1000);
            fixture.offer("http://a.example/2");
            assertThat(fixture.leased()).containsExactly("http://a.example/2");
        }
    }

    @Test
    default void deadLettersAreCountedByCause() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/", "http://b.example/", "http://c.example/");
            var leases = fixture.leases();
            fixture.settle(leases.get(0), new Outcome.Dead(FailureCause.DNS), fixture.failing());
            fixture.settle(leases.get(1), new Outcome.Dead(FailureCause.DNS), fixture.failing());
            fixture.settle(leases.get(2), new Outcome.Dead(FailureCause.LIMIT), fixture.healthy());
            assertThat(fixture.frontier.stats().deadByCause())
                    .isEqualTo(Map.of(FailureCause.DNS, 2L, FailureCause.LIMIT, 1L));
            assertThat(fixture.ledger().dead()).isEqualTo(3);
            assertThat(fixture.frontier.nextWork(fixture.now).isExhausted()).isTrue();
        }
    }

    @Test
    default void aWithdrawnUrlCostsNoDelay() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2", "http://a.example/3");
            fixture.withdrawn(fixture.lease());
            fixture.withdrawn(fixture.lease());
            assertThat(fixture.leased()).containsExactly("http://a.example/3");
            assertThat(fixture.ledger().withdrawn()).isEqualTo(2);
            assertThat(fixture.ledger().refused()).isZero();
            assertThat(fixture.frontier.stats().refusedByReason())
                    .isEqualTo(Map.of(Refusal.ROBOTS, 2L));
        }
    }

    @Test
    default void aRespelledUrlIsAskedForAgainInItsNewSpellingOnceAndFirst() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/%7Ex", "http://a.example/2");
            var target = Fixture.url("http://a.example/~x");
            fixture.settle(
                    fixture.lease(), new Outcome.EquivalentRedirect(target), fixture.healthy());
            fixture.expectNothing();
            fixture.advance(1000);
            var again = fixture.lease();
            assertThat(again.url()).isEqualTo(target);
            assertThat(again.equivalentRedirect()).isTrue();
            assertThat(again.hops()).isEqualTo(1);
            fixture.done(again);
            assertThat(fixture.ledger().accepted()).isEqualTo(2);
            assertThat(fixture.crawlAll()).containsExactly("http://a.example/2");
        }
    }

    @Test
    default void aUrlRespelledToAnotherHostNameGoesHomeToThatHost() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/");
            var lease = fixture.lease();
            var target = new CrawlUrl("http://www.a.example/", "www.a.example", lease.url().key());
            fixture.settle(lease, new Outcome.EquivalentRedirect(target), fixture.healthy());
            var again = fixture.lease(); // The other host owes no delay.
            assertThat(again.url()).isEqualTo(target);
            fixture.done(again);
            assertThat(fixture.frontier.nextWork(fixture.now).isExhausted()).isTrue();
        }
    }

    @Test
    default void anotherJobsUrlsSurviveTheFailureOfOne() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/");
            fixture.offer(new JobId(2), "http://a.example/");
            fixture.settle(
                    fixture.lease(), new Outcome.Dead(FailureCause.MALFORMED), fixture.healthy());
            fixture.advance(1000);
            assertThat(fixture.lease().job()).isEqualTo(new JobId(2));
        }
    }
}
