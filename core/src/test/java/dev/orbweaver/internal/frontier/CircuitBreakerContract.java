package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.FailureCause;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** A host that fails repeatedly rests; finally all its URLs become dead letters. */
public interface CircuitBreakerContract extends FrontierFixtures {

    /** Offers enough URLs and makes ten visits fail. */
    private static void failTenTimes(Fixture fixture) {
        fixture.offer(
                IntStream.range(0, 40)
                        .mapToObj(i -> "http://a.example/" + i)
                        .toArray(String[]::new));
        for (var i = 0; i < 10; i++) {
            fixture.advance(1000);
            fixture.failed(fixture.lease(), Duration.ofMillis(1));
        }
    }

    /** Waits exactly as long as the host must rest, and makes the probe fail. */
    private static void failProbe(Fixture fixture, Duration rest) {
        fixture.advance(rest.minusMillis(1));
        fixture.expectNothing();
        fixture.advance(1);
        fixture.failed(fixture.lease(), Duration.ofMillis(1));
    }

    @Test
    default void tenFailedVisitsInARowRestTheHostLongerAndLonger() {
        try (var fixture = fixture()) {
            failTenTimes(fixture);
            assertThat(fixture.frontier.stats().hosts().resting()).isEqualTo(1);
            for (var seconds : List.of(60, 120, 240, 480, 960, 1920, 3600)) {
                failProbe(fixture, Duration.ofSeconds(seconds));
                assertThat(fixture.ledger().dead()).isZero();
            }
            failProbe(fixture, Duration.ofHours(1)); // The eighth.
            assertThat(fixture.ledger().dead()).isEqualTo(40);
            assertThat(fixture.frontier.stats().deadByCause())
                    .isEqualTo(Map.of(FailureCause.HOST_DOWN, 40L));
            assertThat(fixture.frontier.nextWork(fixture.now).isExhausted()).isTrue();
        }
    }

    /**
     * Ends a visit now, waits until the host may be requested again, and returns the milliseconds.
     */
    private static long pauseAfter(Fixture fixture, HostSignal signal) {
        var ended = fixture.now;
        fixture.settle(fixture.lease(), new Outcome.Done(false, 1), signal);
        var due = fixture.frontier.nextWork(fixture.now).nextDue().orElseThrow();
        fixture.now = due.minusMillis(1);
        fixture.expectNothing();
        fixture.now = due;
        return Duration.between(ended, due).toMillis();
    }

    @Test
    default void serverErrorsInARowAddADoublingBackoffToAFixedDelayAndThenRestTheHost() {
        try (var fixture = fixture(PLAIN.withErrorBackoff(Duration.ofSeconds(2)))) {
            fixture.offer(
                    IntStream.range(0, 40)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            for (var seconds : List.of(3, 5, 9, 17, 31, 31, 31, 31, 31)) {
                assertThat(pauseAfter(fixture, new HostSignal.ServerError(fixture.now)))
                        .isEqualTo(seconds * 1000L);
            }
            assertThat(pauseAfter(fixture, new HostSignal.ServerError(fixture.now)))
                    .isEqualTo(60_000);
            assertThat(pauseAfter(fixture, new HostSignal.ServerError(fixture.now)))
                    .isEqualTo(120_000);
        }
    }

    @Test
    default void everyKindOfFailureBacksOffAndOneGoodResponseResets() {
        try (var fixture = fixture(PLAIN.withErrorBackoff(Duration.ofSeconds(2)))) {
            fixture.offer(
                    IntStream.range(0, 9)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            assertThat(pauseAfter(fixture, new HostSignal.ServerError(fixture.now)))
                    .isEqualTo(3000);
            assertThat(pauseAfter(fixture, new HostSignal.Failing(fixture.now))).isEqualTo(5000);
            var refused =
                    new HostSignal.RateLimited(
                            fixture.now,
                            fixture.now,
                            false,
                            Optional.of(new HostSignal.ServerError(fixture.now)));
            assertThat(pauseAfter(fixture, refused)).isEqualTo(9000);
            assertThat(pauseAfter(fixture, fixture.healthy())).isEqualTo(1000);
            assertThat(pauseAfter(fixture, new HostSignal.ServerError(fixture.now)))
                    .isEqualTo(3000);
        }
    }

    @Test
    default void pagesThatFailAgainAndAgainDoNotOpenTheBreakerButCountAsProbes() {
        try (var fixture = fixture(PLAIN.withErrorBackoff(Duration.ofSeconds(2)))) {
            fixture.offer(
                    IntStream.range(0, 60)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            assertThat(pauseAfter(fixture, new HostSignal.ServerError(fixture.now)))
                    .isEqualTo(3000);
            for (var i = 0; i < 20; i++) {
                var again = new HostSignal.ServerError(fixture.now, true);
                assertThat(pauseAfter(fixture, again)).as("the back-off stays").isEqualTo(3000);
            }
            for (var i = 0; i < 9; i++) {
                var _ = pauseAfter(fixture, new HostSignal.ServerError(fixture.now));
            }
            var probe = new HostSignal.ServerError(fixture.now, true);
            assertThat(pauseAfter(fixture, probe)).isEqualTo(120_000);
        }
    }

    @Test
    default void failuresThatWereUnderWayTogetherBackOffOnce() {
        var politeness = FrontierFixtures.perHost(4).withErrorBackoff(Duration.ofSeconds(2));
        try (var fixture = fixture(politeness)) {
            fixture.offer(
                    IntStream.range(0, 40)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            var leases = new ArrayList<Lease>();
            for (var i = 0; i < 4; i++) {
                leases.add(fixture.lease());
                fixture.advance(1000);
            }
            for (var lease : leases) {
                var signal = new HostSignal.ServerError(fixture.now);
                fixture.settle(lease, new Outcome.Done(false, 1), signal);
            }
            fixture.advance(1999);
            fixture.expectNothing();
            fixture.advance(1);
            assertThat(fixture.leases()).hasSize(1);
        }
    }

    @Test
    default void nineFailuresAndAnAnswerBeginAnew() {
        try (var fixture = fixture()) {
            fixture.offer(
                    IntStream.range(0, 40)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            for (var i = 0; i < 30; i++) {
                fixture.advance(1000);
                var lease = fixture.lease();
                if (i % 10 == 9) {
                    fixture.done(lease);
                } else {
                    fixture.failed(lease, Duration.ofMillis(1));
                }
            }
            assertThat(fixture.frontier.stats().hosts().resting()).isZero();
        }
    }

    @Test
    default void aHealthyProbeEndsTheRestAndForgetsTheFailures() {
        try (var fixture = fixture()) {
            failTenTimes(fixture);
            failProbe(fixture, Duration.ofSeconds(60));
            fixture.advance(Duration.ofMinutes(2));
            fixture.done(fixture.lease());
            for (var i = 0; i < 9; i++) {
                fixture.advance(1000);
                fixture.failed(fixture.lease(), Duration.ofMillis(1));
            }
            fixture.advance(1000);
            fixture.failed(fixture.lease(), Duration.ofMillis(1));
            failProbe(fixture, Duration.ofSeconds(60)); // The first rest again, not the third.
        }
    }

    @Test
    default void aLostLeaseOrAStopIsNoAnswer() {
        try (var fixture = fixture()) {
            failTenTimes(fixture);
            fixture.advance(Duration.ofSeconds(60));
            var probe = fixture.lease();
            fixture.now = probe.deadline().plusMillis(1);
            fixture.expectNothing();
            fixture.advance(1000);
            var next = fixture.lease();
            assertThat(
                            fixture.frontier.release(
                                    next, new ReleaseReason.Stopping(fixture.now), fixture.now))
                    .isTrue();
            fixture.advance(1000);
            fixture.failed(fixture.lease(), Duration.ofMillis(1));
            failProbe(fixture, Duration.ofMinutes(2)); // As after a first failed probe.
        }
    }

    @Test
    default void aHostOnProbationIsProbedOnceAtATime() {
        var politeness =
                new Politeness(
                        Duration.ZERO, Duration.ZERO, Duration.ZERO, 5, Duration.ofMinutes(10));
        try (var fixture = fixture(politeness)) {
            fixture.offer(
                    IntStream.range(0, 40)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            fixture.leases().forEach(lease -> fixture.failed(lease, Duration.ofMillis(1)));
            fixture.advance(10);
            fixture.leases().forEach(lease -> fixture.failed(lease, Duration.ofMillis(1)));
            fixture.expectNothing();
            fixture.advance(Duration.ofSeconds(60));
            assertThat(fixture.leases()).hasSize(1);
        }
    }

    @Test
    default void visitsThatFailTogetherAreNoProbes() {
        var politeness =
                new Politeness(
                        Duration.ZERO, Duration.ZERO, Duration.ZERO, 30, Duration.ofMinutes(10));
        try (var fixture = fixture(politeness)) {
            fixture.offer(
                    IntStream.range(0, 40)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            var leases = fixture.leases();
            assertThat(leases).hasSize(30);
            leases.forEach(lease -> fixture.failed(lease, Duration.ofMillis(1)));
            assertThat(fixture.ledger().dead()).isZero();
            failProbe(fixture, Duration.ofSeconds(60));
            failProbe(fixture, Duration.ofMinutes(2));
        }
    }

    @Test
    default void otherHostsGoOnWhileOneRests() {
        try (var fixture = fixture()) {
            failTenTimes(fixture);
            fixture.offer("http://b.example/1", "http://b.example/2");
            fixture.done(fixture.lease());
            fixture.advance(1000);
            assertThat(fixture.leased()).containsExactly("http://b.example/2");
        }
    }

    @Test
    default void aHostGivenUpIsAskedAgainForANewLinkButStaysOnProbation() {
        try (var fixture = fixture()) {
            failTenTimes(fixture);
            for (var seconds : List.of(60, 120, 240, 480, 960, 1920, 3600, 3600)) {
                failProbe(fixture, Duration.ofSeconds(seconds));
            }
            for (var i = 0; i < 70; i++) {
                fixture.offer("http://a.example/new" + i);
                failProbe(fixture, Duration.ofHours(1));
                assertThat(fixture.ledger().queued()).isZero();
            }
        }
    }
}
