package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.HostPattern;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Arrays;

/** Hosts that are excluded on request, and included again. */
interface ExclusionContract extends FrontierFixtures {

    private static void exclude(Fixture fixture, String... patterns) {
        var hosts = new HostSet(Arrays.stream(patterns).map(HostPattern::of).toList());
        fixture.frontier.exclude(TestFrontier.JOB, hosts, fixture.now);
    }

    @Test
    default void whatWaitsOnAnExcludedHostIsWithdrawnAndNotHandedOut() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2", "http://b.example/");
            exclude(fixture, "a.example");
            assertThat(fixture.ledger().queued()).isEqualTo(1);
            assertThat(fixture.ledger().withdrawn()).isEqualTo(2);
            assertThat(fixture.frontier.stats().refusedByReason())
                    .containsEntry(Refusal.EXCLUDED, 2L);
            assertThat(fixture.crawlAll()).containsExactly("http://b.example/");
            assertThat(fixture.frontier.nextWork(fixture.now).isExhausted()).isTrue();
            assertThat(fixture.explain("http://a.example/2")).isEqualTo(new UrlState.Excluded(0));
        }
    }

    @Test
    default void aHostThatIsNoLongerExcludedGoesOnWhereItStood() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2");
            exclude(fixture, ".example");
            fixture.expectNothing();
            exclude(fixture);
            assertThat(fixture.ledger().queued()).isEqualTo(2);
            assertThat(fixture.ledger().withdrawn()).isZero();
            assertThat(fixture.frontier.stats().refusedByReason()).isEmpty();
            assertThat(fixture.crawlAll())
                    .containsExactly("http://a.example/1", "http://a.example/2");
        }
    }

    @Test
    default void newUrlsOfAnExcludedHostAreTurnedAway() {
        try (var fixture = fixture()) {
            exclude(fixture, "*.example");
            fixture.offer("http://a.example/1", "http://example/");
            assertThat(fixture.ledger().accepted()).isEqualTo(1);
            assertThat(fixture.ledger().refused()).isEqualTo(1);
            exclude(fixture);
            fixture.offer("http://a.example/1");
            assertThat(fixture.ledger().accepted()).isEqualTo(2);
        }
    }

    @Test
    default void aLeaseThatIsOutWhenItsHostIsExcludedMayEndInAnyWay() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://b.example/1", "http://c.example/1");
            var leases = fixture.leases();
            exclude(fixture, "a.example", "b.example", "c.example");
            assertThat(fixture.ledger().leased()).isEqualTo(3);
            fixture.done(leases.get(0));
            fixture.failed(leases.get(1), Duration.ofSeconds(5));
            assertThat(
                            fixture.frontier.release(
                                    leases.get(2),
                                    new ReleaseReason.Stopping(fixture.now),
                                    fixture.now))
                    .isTrue();
            assertThat(fixture.ledger().done()).isEqualTo(1);
            assertThat(fixture.ledger().withdrawn()).isEqualTo(2);
            fixture.advance(Duration.ofDays(1));
            fixture.expectNothing();
            exclude(fixture);
            assertThat(fixture.crawlAll())
                    .containsExactlyInAnyOrder("http://b.example/1", "http://c.example/1");
        }
    }

    @Test
    default void oneJobsExclusionIsNotAnothers() {
        try (var fixture = fixture()) {
            var other = new JobId(2);
            fixture.offer("http://a.example/1");
            fixture.offer(other, "http://a.example/2");
            exclude(fixture, "a.example");
            assertThat(fixture.crawlAll()).containsExactly("http://a.example/2");
            assertThat(fixture.frontier.ledger(other).withdrawn()).isZero();
        }
    }
}
