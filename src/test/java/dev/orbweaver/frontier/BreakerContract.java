package dev.orbweaver.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.FailureCause;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** A host that fails again and again is left alone, then given up with all its URLs. */
public interface BreakerContract extends FrontierScenes {

    /** Offers enough URLs and lets ten visits fail. */
    private static void failTenTimes(Scene scene) {
        scene.offer(
                IntStream.range(0, 40)
                        .mapToObj(i -> "http://a.example/" + i)
                        .toArray(String[]::new));
        for (var i = 0; i < 10; i++) {
            scene.later(1000);
            scene.failed(scene.lease(), Duration.ofMillis(1));
        }
    }

    /** Waits exactly as long as the host must rest, and fails there. */
    private static void failProbe(Scene scene, Duration rest) {
        scene.later(rest.minusMillis(1));
        scene.expectNothing();
        scene.later(1);
        scene.failed(scene.lease(), Duration.ofMillis(1));
    }

    @Test
    default void tenFailedVisitsInARowRestTheHostLongerAndLonger() {
        try (var scene = scene()) {
            failTenTimes(scene);
            assertThat(scene.frontier.stats().hosts().resting()).isEqualTo(1);
            for (var seconds : List.of(60, 120, 240, 480, 960, 1920, 3600)) {
                failProbe(scene, Duration.ofSeconds(seconds));
                assertThat(scene.ledger().dead()).isZero();
            }
            failProbe(scene, Duration.ofHours(1)); // The eighth.
            assertThat(scene.ledger().dead()).isEqualTo(40);
            assertThat(scene.frontier.stats().deadByCause())
                    .isEqualTo(Map.of(FailureCause.HOST_DOWN, 40L));
            assertThat(scene.frontier.outlook(scene.now).exhausted()).isTrue();
        }
    }

    /** Ends a visit now, and waits until the host may be asked again: so many milliseconds. */
    private static long pauseAfter(Scene scene, HostSignal signal) {
        var ended = scene.now;
        scene.settle(scene.lease(), new Outcome.Done(false, 1), signal);
        var due = scene.frontier.outlook(scene.now).nextDue().orElseThrow();
        scene.now = due.minusMillis(1);
        scene.expectNothing();
        scene.now = due;
        return Duration.between(ended, due).toMillis();
    }

    @Test
    default void serverErrorsInARowAddADoublingBackoffToAFixedDelayAndThenRestTheHost() {
        try (var scene = scene(PLAIN.withErrorBackoff(Duration.ofSeconds(2)))) {
            scene.offer(
                    IntStream.range(0, 40)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            for (var seconds : List.of(3, 5, 9, 17, 31, 31, 31, 31, 31)) {
                assertThat(pauseAfter(scene, new HostSignal.ServerError(scene.now)))
                        .isEqualTo(seconds * 1000L);
            }
            assertThat(pauseAfter(scene, new HostSignal.ServerError(scene.now))).isEqualTo(60_000);
            assertThat(pauseAfter(scene, new HostSignal.ServerError(scene.now))).isEqualTo(120_000);
        }
    }

    @Test
    default void everyKindOfFailureBacksOffAndOneGoodResponseResets() {
        try (var scene = scene(PLAIN.withErrorBackoff(Duration.ofSeconds(2)))) {
            scene.offer(
                    IntStream.range(0, 9)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            assertThat(pauseAfter(scene, new HostSignal.ServerError(scene.now))).isEqualTo(3000);
            assertThat(pauseAfter(scene, new HostSignal.Failing(scene.now))).isEqualTo(5000);
            var refused =
                    new HostSignal.Slow(
                            scene.now,
                            scene.now,
                            false,
                            Optional.of(new HostSignal.ServerError(scene.now)));
            assertThat(pauseAfter(scene, refused)).isEqualTo(9000);
            assertThat(pauseAfter(scene, scene.healthy())).isEqualTo(1000);
            assertThat(pauseAfter(scene, new HostSignal.ServerError(scene.now))).isEqualTo(3000);
        }
    }

    @Test
    default void pagesThatFailAgainAndAgainDoNotOpenTheBreakerButCountAsProbes() {
        try (var scene = scene(PLAIN.withErrorBackoff(Duration.ofSeconds(2)))) {
            scene.offer(
                    IntStream.range(0, 60)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            assertThat(pauseAfter(scene, new HostSignal.ServerError(scene.now))).isEqualTo(3000);
            for (var i = 0; i < 20; i++) {
                var again = new HostSignal.ServerError(scene.now, true);
                assertThat(pauseAfter(scene, again)).as("the back-off stays").isEqualTo(3000);
            }
            for (var i = 0; i < 9; i++) {
                var _ = pauseAfter(scene, new HostSignal.ServerError(scene.now));
            }
            var probe = new HostSignal.ServerError(scene.now, true);
            assertThat(pauseAfter(scene, probe)).isEqualTo(120_000);
        }
    }

    @Test
    default void failuresThatWereUnderWayTogetherBackOffOnce() {
        var politeness = FrontierScenes.perHost(4).withErrorBackoff(Duration.ofSeconds(2));
        try (var scene = scene(politeness)) {
            scene.offer(
                    IntStream.range(0, 40)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            var leases = new ArrayList<Lease>();
            for (var i = 0; i < 4; i++) {
                leases.add(scene.lease());
                scene.later(1000);
            }
            for (var lease : leases) {
                var signal = new HostSignal.ServerError(scene.now);
                scene.settle(lease, new Outcome.Done(false, 1), signal);
            }
            scene.later(1999);
            scene.expectNothing();
            scene.later(1);
            assertThat(scene.leases()).hasSize(1);
        }
    }

    @Test
    default void nineFailuresAndAnAnswerBeginAnew() {
        try (var scene = scene()) {
            scene.offer(
                    IntStream.range(0, 40)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            for (var i = 0; i < 30; i++) {
                scene.later(1000);
                var lease = scene.lease();
                if (i % 10 == 9) {
                    scene.done(lease);
                } else {
                    scene.failed(lease, Duration.ofMillis(1));
                }
            }
            assertThat(scene.frontier.stats().hosts().resting()).isZero();
        }
    }

    @Test
    default void aHealthyProbeEndsTheRestAndForgetsTheFailures() {
        try (var scene = scene()) {
            failTenTimes(scene);
            failProbe(scene, Duration.ofSeconds(60));
            scene.later(Duration.ofMinutes(2));
            scene.done(scene.lease());
            for (var i = 0; i < 9; i++) {
                scene.later(1000);
                scene.failed(scene.lease(), Duration.ofMillis(1));
            }
            scene.later(1000);
            scene.failed(scene.lease(), Duration.ofMillis(1));
            failProbe(scene, Duration.ofSeconds(60)); // The first rest again, not the third.
        }
    }

    @Test
    default void aLostLeaseOrAStopIsNoAnswer() {
        try (var scene = scene()) {
            failTenTimes(scene);
            scene.later(Duration.ofSeconds(60));
            var probe = scene.lease();
            scene.now = probe.deadline().plusMillis(1);
            scene.expectNothing();
            scene.later(1000);
            var next = scene.lease();
            assertThat(scene.frontier.release(next, new Pause.Stopping(scene.now), scene.now))
                    .isTrue();
            scene.later(1000);
            scene.failed(scene.lease(), Duration.ofMillis(1));
            failProbe(scene, Duration.ofMinutes(2)); // As after a first failed probe.
        }
    }

    @Test
    default void aHostOnProbationIsProbedOnceAtATime() {
        var politeness =
                new Politeness(
                        Duration.ZERO, Duration.ZERO, Duration.ZERO, 5, Duration.ofMinutes(10));
        try (var scene = scene(politeness)) {
            scene.offer(
                    IntStream.range(0, 40)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            scene.leases().forEach(lease -> scene.failed(lease, Duration.ofMillis(1)));
            scene.later(10);
            scene.leases().forEach(lease -> scene.failed(lease, Duration.ofMillis(1)));
            scene.expectNothing();
            scene.later(Duration.ofSeconds(60));
            assertThat(scene.leases()).hasSize(1);
        }
    }

    @Test
    default void visitsThatFailTogetherAreNoProbes() {
        var politeness =
                new Politeness(
                        Duration.ZERO, Duration.ZERO, Duration.ZERO, 30, Duration.ofMinutes(10));
        try (var scene = scene(politeness)) {
            scene.offer(
                    IntStream.range(0, 40)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            var leases = scene.leases();
            assertThat(leases).hasSize(30);
            leases.forEach(lease -> scene.failed(lease, Duration.ofMillis(1)));
            assertThat(scene.ledger().dead()).isZero();
            failProbe(scene, Duration.ofSeconds(60));
            failProbe(scene, Duration.ofMinutes(2));
        }
    }

    @Test
    default void otherHostsGoOnWhileOneRests() {
        try (var scene = scene()) {
            failTenTimes(scene);
            scene.offer("http://b.example/1", "http://b.example/2");
            scene.done(scene.lease());
            scene.later(1000);
            assertThat(scene.leased()).containsExactly("http://b.example/2");
        }
    }

    @Test
    default void aHostGivenUpIsAskedAgainForANewLinkButStaysOnProbation() {
        try (var scene = scene()) {
            failTenTimes(scene);
            for (var seconds : List.of(60, 120, 240, 480, 960, 1920, 3600, 3600)) {
                failProbe(scene, Duration.ofSeconds(seconds));
            }
            for (var i = 0; i < 70; i++) {
                scene.offer("http://a.example/new" + i);
                failProbe(scene, Duration.ofHours(1));
                assertThat(scene.ledger().queued()).isZero();
            }
        }
    }
}
