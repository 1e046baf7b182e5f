package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.FailureCause;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/** What a frontier reports about its next work, and that a wrong clock does no harm. */
public interface NextWorkContract extends FrontierFixtures {

    @Test
    default void anEmptyFrontierIsExhausted() {
        try (var fixture = fixture()) {
            assertThat(fixture.frontier.nextWork(fixture.now))
                    .isEqualTo(new NextWork(false, 0, 0, Optional.empty(), ""));
            assertThat(fixture.frontier.nextWork(fixture.now).isExhausted()).isTrue();
            fixture.expectNothing();
        }
    }

    @Test
    default void theOutlookFollowsAHostThroughItsLife() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2");
            assertThat(fixture.frontier.nextWork(fixture.now).ready()).isTrue();
            var lease = fixture.lease();
            assertThat(fixture.frontier.nextWork(fixture.now))
                    .isEqualTo(new NextWork(false, 1, 0, Optional.empty(), ""));
            fixture.done(lease);
            var due = fixture.now.plusMillis(1000);
            assertThat(fixture.frontier.nextWork(fixture.now))
                    .isEqualTo(new NextWork(false, 0, 1, Optional.of(due), "a.example"));
            fixture.now = due;
            assertThat(fixture.frontier.nextWork(fixture.now).ready()).isTrue();
            fixture.failed(fixture.lease(), Duration.ofSeconds(5));
            var retry = fixture.now.plusSeconds(5);
            assertThat(fixture.frontier.nextWork(fixture.now))
                    .isEqualTo(new NextWork(false, 0, 0, Optional.of(retry), "a.example"));
            fixture.now = retry;
            fixture.done(fixture.lease());
            assertThat(fixture.frontier.nextWork(fixture.now).isExhausted()).isTrue();
        }
    }

    @Test
    default void aHostCountsAsRestingOnlyWhenItsPlainDelayIsNotTheLastThingItWaitsFor() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1");
            fixture.frontier.setCrawlDelay("a.example", Duration.ofSeconds(100));
            fixture.failed(fixture.lease(), Duration.ofSeconds(5));
            // The retry is due long before robots.txt allows it: a regular delay.
            assertThat(fixture.frontier.nextWork(fixture.now).delayed()).isEqualTo(1);
            fixture.advance(Duration.ofSeconds(100));
            fixture.failed(fixture.lease(), Duration.ofSeconds(500));
            assertThat(fixture.frontier.nextWork(fixture.now).delayed()).isZero();
        }
    }

    @Test
    default void askingForTheOutlookChangesNothing() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2", "http://b.example/");
            fixture.leases().forEach(fixture::done);
            var before = fixture.frontier.nextWork(fixture.now);
            assertThat(fixture.frontier.nextWork(fixture.now)).isEqualTo(before);
            assertThat(fixture.frontier.nextWork(fixture.now.plusSeconds(9)).ready()).isTrue();
            assertThat(fixture.frontier.stats().ledger().queued()).isEqualTo(1);
        }
    }

    @Test
    default void everyStateOfAUrlIsExplained() {
        try (var fixture = fixture()) {
            var first = "http://a.example/1";
            var second = "http://a.example/2";
            assertThat(fixture.explain(first)).isEqualTo(new UrlState.NeverAccepted());
            fixture.offer(first, second);
            assertThat(fixture.explain(second))
                    .isInstanceOfSatisfying(
                            UrlState.Queued.class,
                            queued -> assertThat(queued.ahead()).isEqualTo(1));
            var lease = fixture.lease();
            assertThat(fixture.explain(first)).isEqualTo(new UrlState.Leased(lease.deadline(), 0));
            fixture.failed(lease, Duration.ofSeconds(5));
            assertThat(fixture.explain(first))
                    .isEqualTo(new UrlState.Queued(95, 1, fixture.now.plusSeconds(5), 1));
            assertThat(fixture.explain(second))
                    .isEqualTo(new UrlState.Queued(95, 0, fixture.now.plusSeconds(1), 0));
            fixture.advance(1000);
            fixture.done(fixture.lease());
            assertThat(fixture.explain(second)).isEqualTo(new UrlState.Settled());
            fixture.advance(5000);
            fixture.settle(fixture.lease(), new Outcome.Dead(FailureCause.TLS), fixture.failing());
            assertThat(fixture.explain(first)).isEqualTo(new UrlState.Dead(FailureCause.TLS, 1));
        }
    }

    @Test
    default void aHostThatAskedForQuietIsNamedWithItsTimeAndReason() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2", "http://b.example/1");
            var until = fixture.now.plus(Duration.ofDays(1));
            for (var lease : fixture.leases()) {
                var signal =
                        lease.url().host().startsWith("a")
                                ? new HostSignal.RateLimited(fixture.now, until)
                                : fixture.healthy();
                fixture.settle(lease, new Outcome.Done(false, 1), signal);
            }
            fixture.advance(Duration.ofHours(1));
            fixture.expectNothing();
            var nextWork = fixture.frontier.nextWork(fixture.now);
            assertThat(nextWork.restingHost()).isEqualTo("a.example");
            assertThat(nextWork.nextDue()).contains(until);
            var hosts = fixture.frontier.hosts(TestFrontier.JOB, 0, fixture.now);
            assertThat(hosts.blocked()).hasSize(1);
            var blocked = hosts.blocked().getFirst();
            assertThat(blocked.host()).isEqualTo("a.example");
            assertThat(blocked.due()).contains(until);
            assertThat(blocked.restReason()).contains("it sent Retry-After");
        }
    }

    @Test
    default void hostsAreCountedByWhatTheyDo() {
        try (var fixture = fixture()) {
            fixture.offer("http://idle.example/", "http://busy.example/");
            fixture.offer("http://wait.example/1", "http://wait.example/2", "http://rest.example/");
            for (var lease : fixture.leases()) {
                switch (lease.url().host()) {
                    case "busy.example" -> {}
                    case "rest.example" -> fixture.failed(lease, Duration.ofSeconds(9));
                    default -> fixture.done(lease);
                }
            }
            fixture.offer("http://ready.example/");
            assertThat(fixture.frontier.stats().hosts())
                    .isEqualTo(new FrontierStats.Hosts(1, 1, 1, 1, 1));
        }
    }

    @Test
    default void theLastMarkOfEachOutputFileIsKept() {
        try (var fixture = fixture()) {
            var first =
                    List.of(
                            new CommittedLength("a.warc.gz", 10, 7),
                            new CommittedLength("pages.log", 5, 7));
            assertThat(fixture.frontier.settle(new CommitBatch(List.of(), first), fixture.now))
                    .isZero();
            var second = List.of(new CommittedLength("a.warc.gz", 20, 7));
            assertThat(fixture.frontier.settle(new CommitBatch(List.of(), second), fixture.now))
                    .isZero();
            assertThat(fixture.frontier.committedLengths())
                    .containsExactlyInAnyOrder(
                            new CommittedLength("a.warc.gz", 20, 7),
                            new CommittedLength("pages.log", 5, 7));
        }
    }

    @Test
    default void aClockSetBackByHoursStarvesNoHostAndFreesNone() {
        try (var fixture = fixture(FrontierFixtures.gates(Duration.ofSeconds(3), Duration.ZERO))) {
            fixture.frontier.setCrawlDelay("a.example", Duration.ofSeconds(1));
            fixture.offer("http://a.example/1", "http://a.example/2", "http://b.example/");
            fixture.offer("http://c.example/", "http://d.example/");
            var leases = fixture.leases();
            assertThat(fixture.pass(leases.get(0), "192.0.2.1")).isEmpty();
            fixture.done(leases.get(0));
            fixture.failed(leases.get(1), Duration.ofSeconds(30));
            var held = leases.get(2);
            fixture.advance(Duration.ofHours(-5));
            fixture.expectNothing();
            fixture.advance(999);
            fixture.expectNothing();
            fixture.advance(1);
            assertThat(fixture.leased()).containsExactly("http://a.example/2");
            assertThat(fixture.pass(held, "192.0.2.1")).contains(fixture.now.plusSeconds(2));
            fixture.advance(Duration.ofSeconds(29));
            assertThat(fixture.leased()).containsExactly("http://b.example/");
            fixture.advance(PLAIN.leaseTime().minusSeconds(30));
            fixture.expectNothing();
            assertThat(fixture.ledger().leased()).isEqualTo(4);
            fixture.advance(1);
            // Two leases are from before the step; c has no delay and is leased at once.
            assertThat(fixture.leases()).hasSize(2);
        }
    }

    @Test
    default void aClockThatJumpsBackAndForthByHoursMakesNoStorm() {
        try (var fixture = fixture()) {
            for (var i = 0; i < 20; i++) {
                for (var host = 0; host < 5; host++) {
                    fixture.offer("http://h" + host + ".example/" + i);
                }
            }
            var steps = List.of(5, -3, 7, -9, 1, -1, 2, -2);
            var fetched = 0;
            for (var step : steps) {
                fixture.advance(Duration.ofHours(step));
                var visits = new HashMap<String, Integer>();
                // Ten seconds in steps of a tenth: each host may be requested ten or eleven times.
                for (var tick = 0; tick <= 100; tick++) {
                    for (var lease : fixture.leases()) {
                        visits.merge(lease.url().host(), 1, Integer::sum);
                        fixture.done(lease);
                        fetched++;
                    }
                    fixture.advance(100);
                }
                assertThat(visits.values()).allMatch(count -> count <= 11);
                if (fetched < 100) {
                    assertThat(visits.values()).hasSize(5).allMatch(count -> count >= 9);
                }
            }
            assertThat(fetched).isEqualTo(100);
        }
    }
}
