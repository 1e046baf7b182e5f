package dev.orbweaver.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.AddressRange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.HostPattern;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Delays that follow how a host answers, and those that differ from host to host. */
interface PacingContract extends FrontierScenes {

    private static Politeness paced(int perHost) {
        return FrontierScenes.perHost(perHost).with(new Pacing(2, Duration.ofSeconds(30)));
    }

    /** How long after an answer the host's next turn comes. */
    private static long waits(Scene scene, HostSignal signal) {
        scene.settle(scene.lease(), new Outcome.Done(true, 1), signal);
        var due = scene.frontier.outlook(scene.now).nextDue().orElseThrow();
        var waits = Duration.between(scene.now, due).toMillis();
        scene.now = due;
        return waits;
    }

    private static void offerSome(Scene scene) {
        for (var i = 0; i < 40; i++) {
            scene.offer("http://a.example/" + i);
        }
    }

    private static HostSignal after(Scene scene, long millis) {
        return new HostSignal.Healthy(scene.now, Duration.ofMillis(millis));
    }

    @Test
    default void aSlowHostIsAskedLessOftenAndAQuickOneNeverMoreThanTheDelayAllows() {
        try (var scene = scene(paced(1))) {
            offerSome(scene);
            assertThat(waits(scene, after(scene, 100))).isEqualTo(1000);
            assertThat(waits(scene, after(scene, 4000))).isBetween(1100L, 1300L);
            var slow = 0L;
            for (var i = 0; i < 20; i++) {
                slow = waits(scene, after(scene, 4000));
            }
            assertThat(slow).isBetween(7000L, 8000L);
            assertThat(waits(scene, after(scene, 600_000))).isEqualTo(30_000);
        }
    }

    @Test
    default void aHostThatRefusesIsAskedLessOftenAfterItsRest() {
        try (var scene = scene(paced(1))) {
            offerSome(scene);
            assertThat(waits(scene, after(scene, 100))).isEqualTo(1000);
            var until = scene.now.plusSeconds(60);
            assertThat(waits(scene, new HostSignal.Slow(scene.now, until))).isEqualTo(60_000);
            assertThat(waits(scene, after(scene, 100))).isEqualTo(1500);
        }
    }

    @Test
    default void aHostThatBreaksOffIsAskedLessOften() {
        try (var scene = scene(paced(1))) {
            offerSome(scene);
            assertThat(waits(scene, after(scene, 100))).isEqualTo(1000);
            assertThat(waits(scene, new HostSignal.Failing(scene.now))).isEqualTo(1500);
            assertThat(waits(scene, new HostSignal.Failing(scene.now))).isEqualTo(2250);
        }
    }

    @Test
    default void aVisitThatShowsNothingOfItsHostKeepsThePlainDelay() {
        try (var scene = scene(paced(1).withErrorBackoff(Duration.ofSeconds(2)))) {
            offerSome(scene);
            assertThat(waits(scene, new HostSignal.Unjudged(scene.now))).isEqualTo(1000);
            assertThat(waits(scene, after(scene, 100))).isEqualTo(1000);
            assertThat(waits(scene, new HostSignal.ServerError(scene.now))).isEqualTo(3000);
            assertThat(waits(scene, after(scene, 100))).as("no limit was found").isEqualTo(1000);
        }
    }

    @Test
    default void aHostThatRefusesIsGivenFewerRequestsAtOnce() {
        try (var scene = scene(paced(4))) {
            offerSome(scene);
            var leases = new ArrayList<Lease>();
            for (var i = 0; i < 4; i++) {
                leases.add(scene.lease());
                scene.later(Duration.ofSeconds(2));
            }
            scene.expectNothing();
            var slow = new HostSignal.Slow(scene.now, scene.now.plusSeconds(1));
            for (var lease : leases) {
                scene.settle(lease, new Outcome.Retry(scene.now, FailureCause.SERVER_ERROR), slow);
            }
            scene.later(Duration.ofSeconds(10));
            var _ = scene.lease();
            scene.later(Duration.ofSeconds(10));
            var _ = scene.lease();
            scene.later(Duration.ofSeconds(10));
            scene.expectNothing();
        }
    }

    @Test
    default void aHostFirstMetAsAGuestKeepsTheDelayOfThatVisit() {
        try (var scene = scene(FrontierScenes.perHost(2))) {
            scene.offer("http://a.example/");
            var guest = scene.lease();
            var robots = Scene.url("http://b.example/robots.txt");
            assertThat(scene.frontier.pass(guest, robots, Scene.ip("192.0.2.1"), scene.now))
                    .isEmpty();
            scene.frontier.sent(guest, scene.now);
            scene.offer("http://b.example/");
            scene.later(10);
            var own = scene.lease();
            assertThat(scene.pass(own, "192.0.2.1")).contains(scene.now.plusMillis(990));
        }
    }

    @Test
    default void someHostsHaveADelayAndALimitOfTheirOwn() {
        var exceptions =
                List.of(
                        new HostException(
                                HostPattern.of(".a.example"),
                                Optional.of(Duration.ofSeconds(7)),
                                Optional.empty()),
                        new HostException(
                                HostPattern.of("b.example"), Optional.empty(), Optional.of(2)));
        try (var scene = scene(PLAIN.with(exceptions, List.of()))) {
            scene.offer("http://x.a.example/1", "http://x.a.example/2");
            scene.done(scene.lease());
            scene.later(6999);
            scene.expectNothing();
            scene.later(1);
            assertThat(scene.leases()).hasSize(1);
            scene.offer("http://b.example/1", "http://b.example/2", "http://b.example/3");
            assertThat(scene.leases()).hasSize(1);
            scene.later(1000);
            assertThat(scene.leases()).hasSize(1);
            scene.later(1000);
            scene.expectNothing();
        }
    }

    @Test
    default void aGroupMayHaveOneRequestInFlight() {
        var group =
                new GateGroup(
                        new GateGroup.Members.Hosts(HostPattern.of("*.shop.example")),
                        Duration.ZERO,
                        1);
        try (var scene = scene(PLAIN.with(List.of(), List.of(group)))) {
            scene.offer("http://x.shop.example/", "http://y.shop.example/");
            var leases = scene.leases();
            assertThat(leases).hasSize(2);
            assertThat(scene.pass(leases.get(0), "198.51.100.1")).isEmpty();
            scene.later(Duration.ofSeconds(20));
            var closed = scene.pass(leases.get(1), "198.51.100.2");
            assertThat(closed).isPresent();
            assertThat(scene.frontier.release(leases.get(1), pause(closed.get()), scene.now))
                    .isTrue();
            scene.done(leases.get(0));
            scene.now = closed.get();
            assertThat(scene.pass(scene.lease(), "198.51.100.2")).isEmpty();
        }
    }

    private static Pause pause(Instant until) {
        return new Pause.Gate(until);
    }

    @Test
    default void aLeaseThatIsLostGivesItsPlaceInTheGroupBack() {
        var group =
                new GateGroup(
                        new GateGroup.Members.Hosts(HostPattern.of("*.shop.example")),
                        Duration.ZERO,
                        1);
        try (var scene = scene(PLAIN.with(List.of(), List.of(group)))) {
            scene.offer("http://x.shop.example/");
            var lost = scene.lease();
            assertThat(scene.pass(lost, "198.51.100.1")).isEmpty();
            scene.now = lost.deadline().plusMillis(1);
            scene.expectNothing();
            scene.offer("http://y.shop.example/");
            assertThat(scene.pass(scene.lease(), "198.51.100.2")).isEmpty();
        }
    }

    @Test
    default void aGroupOfHostsOrAddressesCountsAsOne() {
        var groups =
                List.of(
                        new GateGroup(
                                new GateGroup.Members.Hosts(HostPattern.of("*.shop.example")),
                                Duration.ofSeconds(3)),
                        new GateGroup(
                                new GateGroup.Members.Addresses(AddressRange.of("192.0.2.0/28")),
                                Duration.ofSeconds(2)));
        try (var scene = scene(PLAIN.with(List.of(), groups))) {
            scene.offer(
                    "http://x.shop.example/",
                    "http://y.shop.example/",
                    "http://c.example/",
                    "http://d.example/",
                    "http://e.example/");
            var leases = scene.leases();
            assertThat(scene.pass(leases.get(0), "198.51.100.1")).isEmpty();
            assertThat(scene.pass(leases.get(1), "198.51.100.2"))
                    .contains(scene.now.plusSeconds(3));
            assertThat(scene.pass(leases.get(2), "192.0.2.1")).isEmpty();
            assertThat(scene.pass(leases.get(3), "192.0.2.15")).contains(scene.now.plusSeconds(2));
            assertThat(scene.pass(leases.get(4), "192.0.2.16")).isEmpty();
        }
    }
}
