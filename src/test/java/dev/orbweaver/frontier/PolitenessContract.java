package dev.orbweaver.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.FailureCause;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.stream.IntStream;

/** No host, domain or address is asked sooner than its delay allows. */
public interface PolitenessContract extends FrontierScenes {

    @Test
    default void aHostHasOneLeaseAtATime() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2", "http://b.example/");
            assertThat(scene.leased()).containsExactly("http://a.example/1", "http://b.example/");
            scene.later(Duration.ofMinutes(5));
            scene.expectNothing();
        }
    }

    @Test
    default void theDelayRunsFromTheEndOfTheAnswer() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2");
            var lease = scene.lease();
            scene.later(5000);
            var ended = scene.now;
            scene.later(300); // The answer is settled a little after it has ended.
            scene.settle(lease, new Outcome.Done(true, 1), new HostSignal.Healthy(ended));
            scene.now = ended.plusMillis(999);
            scene.expectNothing();
            scene.now = ended.plusMillis(1000);
            assertThat(scene.leased()).containsExactly("http://a.example/2");
        }
    }

    @Test
    default void aFractionOfAMillisecondIsNeverCutFromADelay() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2");
            var lease = scene.lease();
            scene.now = scene.now.plusNanos(1);
            scene.done(lease);
            scene.now = Scene.START.plusMillis(1000);
            scene.expectNothing();
            scene.now = Scene.START.plusMillis(1001);
            assertThat(scene.leases()).hasSize(1);
        }
    }

    @Test
    default void startToStartOneDelayLiesBetweenTwoRequestsHoweverLateTheFirstWentOut() {
        try (var scene = scene(FrontierScenes.perHost(2))) {
            scene.offer("http://a.example/1", "http://a.example/2");
            var first = scene.lease();
            scene.later(5); // Connecting takes its time.
            assertThat(scene.pass(first, "192.0.2.1")).isEmpty();
            scene.later(995);
            var second = scene.lease();
            var opens = scene.pass(second, "192.0.2.1").orElseThrow();
            assertThat(opens).isEqualTo(Scene.START.plusMillis(1005));
            assertThat(scene.frontier.release(second, new Pause.Gate(opens), scene.now)).isTrue();
            scene.later(4);
            scene.expectNothing();
            scene.later(1);
            assertThat(scene.pass(scene.lease(), "192.0.2.1")).isEmpty();
        }
    }

    @Test
    default void aNewLinkNeverPullsACoolingHostForward() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1");
            scene.done(scene.lease());
            scene.later(10);
            scene.offer("http://a.example/2");
            scene.expectNothing();
            scene.later(989);
            scene.offer("http://a.example/3");
            scene.expectNothing();
            scene.later(1);
            assertThat(scene.leased()).containsExactly("http://a.example/2");
        }
    }

    @Test
    default void readyHostsAreServedFirstInFirstOut() {
        try (var scene = scene()) {
            for (var i = 0; i < 20; i++) {
                scene.offer("http://h" + i + ".example/1", "http://h" + i + ".example/2");
            }
            var order = new ArrayList<String>();
            for (var round = 0; round < 20; round++) {
                var lease = scene.frontier.lease(1, scene.now).getFirst();
                order.add(lease.url().host());
                scene.later(1);
                scene.done(lease);
            }
            scene.later(1000);
            scene.leases().forEach(lease -> order.add(lease.url().host()));
            var expected = IntStream.range(0, 20).mapToObj(i -> "h" + i + ".example").toList();
            assertThat(order.subList(0, 20)).isEqualTo(expected);
            assertThat(order.subList(20, 40)).isEqualTo(expected);
        }
    }

    @Test
    default void perHostAllowsSoManyLeasesAndNotOneMore() {
        try (var scene =
                scene(
                        new Politeness(
                                Duration.ZERO,
                                Duration.ZERO,
                                Duration.ZERO,
                                3,
                                Duration.ofMinutes(10)))) {
            scene.offer(
                    "http://a.example/1",
                    "http://a.example/2",
                    "http://a.example/3",
                    "http://a.example/4");
            var leases = scene.leases();
            assertThat(leases).hasSize(3);
            scene.done(leases.get(1));
            assertThat(scene.leased()).containsExactly("http://a.example/4");
        }
    }

    @Test
    default void withSeveralAtOnceTheDelayRunsFromStartToStart() {
        try (var scene = scene(FrontierScenes.perHost(2))) {
            scene.offer("http://a.example/1", "http://a.example/2", "http://a.example/3");
            var first = scene.lease();
            scene.later(400); // Looking up the address took a while.
            assertThat(scene.pass(first, "192.0.2.1")).isEmpty();
            scene.later(600);
            var second = scene.lease();
            assertThat(scene.pass(second, "192.0.2.1")).contains(Scene.START.plusMillis(1400));
            scene.later(400);
            assertThat(scene.pass(second, "192.0.2.1")).isEmpty();
            scene.later(Duration.ofSeconds(9));
            scene.expectNothing();
            scene.done(first);
            assertThat(scene.leases()).hasSize(1); // The end of an answer starts no delay here.
        }
    }

    @Test
    default void aHostInTheLineThatMustRestLeavesTheLine() {
        try (var scene = scene(FrontierScenes.perHost(3))) {
            scene.offer("http://a.example/1", "http://a.example/2", "http://a.example/3");
            var first = scene.lease();
            scene.later(1000);
            assertThat(scene.frontier.outlook(scene.now).ready()).isTrue();
            var until = scene.now.plusSeconds(60);
            scene.settle(first, new Outcome.Done(false, 1), new HostSignal.Slow(scene.now, until));
            scene.expectNothing();
            assertThat(scene.frontier.outlook(scene.now).ready()).isFalse();
            scene.now = until;
            assertThat(scene.leases()).hasSize(1);
        }
    }

    @Test
    default void anAddressIsAskedOncePerDelayWhateverTheHost() {
        try (var scene = scene(FrontierScenes.gates(Duration.ofMillis(100), Duration.ZERO))) {
            scene.offer("http://a.example/", "http://b.example/", "http://c.example/");
            var leases = scene.leases();
            assertThat(scene.pass(leases.get(0), "192.0.2.1")).isEmpty();
            assertThat(scene.pass(leases.get(1), "192.0.2.1")).contains(scene.now.plusMillis(100));
            assertThat(scene.pass(leases.get(2), "192.0.2.2")).isEmpty();
            scene.later(99);
            assertThat(scene.pass(leases.get(1), "192.0.2.1")).isPresent();
            scene.later(1);
            assertThat(scene.pass(leases.get(1), "192.0.2.1")).isEmpty();
        }
    }

    @Test
    default void anIpv6NetworkOf64BitsIsOneAddress() {
        try (var scene = scene(FrontierScenes.gates(Duration.ofMillis(100), Duration.ZERO))) {
            scene.offer("http://a.example/", "http://b.example/", "http://c.example/");
            var leases = scene.leases();
            assertThat(scene.pass(leases.get(0), "2001:db8:1:2::1")).isEmpty();
            assertThat(scene.pass(leases.get(1), "2001:db8:1:2:ffff::9")).isPresent();
            assertThat(scene.pass(leases.get(2), "2001:db8:1:3::1")).isEmpty();
        }
    }

    @Test
    default void aRegistrableDomainHasAGateOfItsOwn() {
        try (var scene = scene(FrontierScenes.gates(Duration.ZERO, Duration.ofSeconds(2)))) {
            scene.offer("http://a.site.co.uk/", "http://b.site.co.uk/", "http://a.other.co.uk/");
            var leases = scene.leases();
            assertThat(scene.pass(leases.get(0), "192.0.2.1")).isEmpty();
            assertThat(scene.pass(leases.get(1), "192.0.2.2")).contains(scene.now.plusSeconds(2));
            assertThat(scene.pass(leases.get(2), "192.0.2.3")).isEmpty();
        }
    }

    @Test
    default void gatesAreTakenAllOrNone() {
        var politeness = FrontierScenes.gates(Duration.ofMillis(100), Duration.ofSeconds(2));
        try (var scene = scene(politeness)) {
            scene.offer("http://a.site.com/", "http://b.site.com/", "http://c.other.com/");
            var leases = scene.leases();
            assertThat(scene.pass(leases.get(0), "192.0.2.1")).isEmpty();
            // The domain is closed, so the address must stay open.
            assertThat(scene.pass(leases.get(1), "192.0.2.2")).isPresent();
            assertThat(scene.pass(leases.get(2), "192.0.2.2")).isEmpty();
        }
    }

    @Test
    default void aClosedGateMakesOnlyItsHostWaitAndIsAPlainDelay() {
        try (var scene = scene(FrontierScenes.gates(Duration.ofMillis(100), Duration.ZERO))) {
            scene.offer("http://a.example/1", "http://a.example/2", "http://b.example/");
            var until = scene.now.plusMillis(70);
            var first = scene.leases().getFirst();
            assertThat(scene.frontier.release(first, new Pause.Gate(until), scene.now)).isTrue();
            scene.expectNothing();
            assertThat(scene.frontier.outlook(scene.now).delayed()).isEqualTo(1);
            scene.now = until;
            assertThat(scene.leased()).containsExactly("http://a.example/1");
        }
    }

    @Test
    default void robotsMayAskForADelayHoweverLong() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2");
            var lease = scene.lease();
            scene.frontier.slowDown("a.example", Duration.ofHours(30));
            scene.done(lease);
            scene.later(Duration.ofHours(30).minusMillis(1));
            scene.expectNothing();
            assertThat(scene.frontier.outlook(scene.now).delayed()).isEqualTo(1);
            scene.later(1);
            assertThat(scene.leases()).hasSize(1);
        }
    }

    @Test
    default void robotsCannotMakeADelayShorterThanOurs() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2");
            scene.frontier.slowDown("a.example", Duration.ofMillis(10));
            scene.done(scene.lease());
            scene.later(999);
            scene.expectNothing();
        }
    }

    @Test
    default void aDelayThatComesLateHoldsForAHostThatWaitsAndForOneInTheLine() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2");
            scene.offer("http://b.example/1", "http://b.example/2");
            scene.leases().forEach(scene::done);
            scene.frontier.slowDown("a.example", Duration.ofSeconds(10));
            scene.later(1000);
            assertThat(scene.frontier.outlook(scene.now).ready()).isTrue();
            scene.frontier.slowDown("b.example", Duration.ofSeconds(10));
            scene.expectNothing();
            scene.later(9000);
            assertThat(scene.leases()).hasSize(2);
        }
    }

    @Test
    default void anAbsurdDelayOverflowsNothing() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2");
            scene.frontier.slowDown("a.example", Duration.ofSeconds(Long.MAX_VALUE));
            scene.done(scene.lease());
            scene.later(Duration.ofDays(3650));
            scene.expectNothing();
        }
    }

    @Test
    default void aHostThatAsksForQuietGetsIt() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2");
            var until = scene.now.plusSeconds(120);
            scene.settle(
                    scene.lease(),
                    new Outcome.Retry(until, FailureCause.SERVER_ERROR),
                    new HostSignal.Slow(scene.now, until));
            scene.later(Duration.ofMillis(119_999));
            scene.expectNothing();
            scene.later(1);
            assertThat(scene.leased()).containsExactly("http://a.example/2");
        }
    }

    @Test
    default void aDelayThatComesWhenSeveralLeasesAreOutHoldsForEachOfThem() {
        try (var scene = scene(FrontierScenes.perHost(2))) {
            scene.offer("http://a.example/1", "http://a.example/2");
            var first = scene.lease();
            scene.later(1000);
            var second = scene.lease();
            scene.frontier.slowDown("a.example", Duration.ofSeconds(5));
            assertThat(scene.pass(second, "192.0.2.1")).isPresent();
            scene.done(first);
            assertThat(scene.pass(second, "192.0.2.1")).contains(scene.now.plusSeconds(5));
            scene.later(5000);
            assertThat(scene.pass(second, "192.0.2.1")).isEmpty();
        }
    }

    @Test
    default void aUrlWhoseRobotsAreUnreachableWaitsAndOtherOriginsOfItsHostGoOn() {
        try (var scene = scene()) {
            scene.offer("http://a.example:8080/1", "http://a.example/2");
            var until = scene.now.plusSeconds(300);
            var why = new Pause.RobotsUnreachable(scene.now, until);
            assertThat(scene.frontier.release(scene.lease(), why, scene.now)).isTrue();
            scene.later(1000);
            var other = scene.lease();
            assertThat(other.url().text()).isEqualTo("http://a.example/2");
            scene.done(other);
            scene.now = until.minusMillis(1);
            scene.expectNothing();
            assertThat(scene.frontier.outlook(scene.now).delayed()).isZero();
            assertThat(scene.frontier.stats().hosts().resting()).isEqualTo(1);
            scene.now = until;
            assertThat(scene.leased()).containsExactly("http://a.example:8080/1");
        }
    }

    @Test
    default void aHostVisitedOnAnothersBehalfIsBusyAndThenKeepsItsDelay() {
        try (var scene = scene()) {
            scene.offer("http://a.example/");
            var lease = scene.lease();
            scene.offer("http://b.example/");
            var robots = Scene.url("http://b.example/robots.txt");
            assertThat(scene.frontier.pass(lease, robots, Scene.ip("192.0.2.1"), scene.now))
                    .isEmpty();
            scene.expectNothing();
            assertThat(scene.frontier.stats().hosts().busy()).isEqualTo(2);
            scene.later(500);
            var why = new Pause.RobotsFetched(scene.now);
            assertThat(scene.frontier.release(lease, why, scene.now)).isTrue();
            scene.later(999);
            scene.expectNothing();
            scene.later(1);
            assertThat(scene.leases()).hasSize(2);
        }
    }

    @Test
    default void aGuestWaitsForAHostThatIsBusyCoolingOrResting() {
        try (var scene = scene()) {
            scene.offer("http://a.example/", "http://b.example/1", "http://b.example/2");
            var leases = scene.leases();
            var robots = Scene.url("http://b.example/robots.txt");
            var address = Scene.ip("192.0.2.1");
            var mine = leases.get(0);
            assertThat(scene.frontier.pass(mine, robots, address, scene.now))
                    .hasValueSatisfying(again -> assertThat(again).isAfter(scene.now));
            scene.done(leases.get(1));
            assertThat(scene.frontier.pass(mine, robots, address, scene.now))
                    .contains(scene.now.plusMillis(1000));
            scene.later(1000);
            scene.settle(
                    scene.lease(),
                    new Outcome.Done(false, 0),
                    new HostSignal.Slow(scene.now, scene.now.plusSeconds(77)));
            assertThat(scene.frontier.pass(mine, robots, address, scene.now))
                    .contains(scene.now.plusSeconds(77));
        }
    }

    @Test
    default void aGuestThatGoesOnToAThirdHostLeavesTheSecondWithItsDelay() {
        try (var scene = scene()) {
            scene.offer("http://a.example/");
            var lease = scene.lease();
            var address = Scene.ip("192.0.2.1");
            for (var host : new String[] {"b", "c"}) {
                scene.offer("http://" + host + ".example/");
                var robots = Scene.url("http://" + host + ".example/robots.txt");
                assertThat(scene.frontier.pass(lease, robots, address, scene.now)).isEmpty();
                scene.expectNothing();
                scene.later(10);
            }
            scene.later(989);
            scene.expectNothing();
            scene.later(1);
            assertThat(scene.leased()).containsExactly("http://b.example/");
            scene.done(lease);
            scene.later(1000);
            assertThat(scene.leased()).containsExactly("http://c.example/");
        }
    }
}
