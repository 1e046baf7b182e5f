package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.FailureCause;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.stream.IntStream;

/** No host, domain or address is requested sooner than its delay allows. */
public interface PolitenessContract extends FrontierFixtures {

    @Test
    default void aHostHasOneLeaseAtATime() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2", "http://b.example/");
            assertThat(fixture.leased()).containsExactly("http://a.example/1", "http://b.example/");
            fixture.advance(Duration.ofMinutes(5));
            fixture.expectNothing();
        }
    }

    @Test
    default void theDelayRunsFromTheEndOfTheAnswer() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2");
            var lease = fixture.lease();
            fixture.advance(5000);
            var ended = fixture.now;
            fixture.advance(300); // The response is settled a little after its end.
            fixture.settle(lease, new Outcome.Done(true, 1), new HostSignal.Healthy(ended));
            fixture.now = ended.plusMillis(999);
            fixture.expectNothing();
            fixture.now = ended.plusMillis(1000);
            assertThat(fixture.leased()).containsExactly("http://a.example/2");
        }
    }

    @Test
    default void aFractionOfAMillisecondIsNeverCutFromADelay() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2");
            var lease = fixture.lease();
            fixture.now = fixture.now.plusNanos(1);
            fixture.done(lease);
            fixture.now = Fixture.START.plusMillis(1000);
            fixture.expectNothing();
            fixture.now = Fixture.START.plusMillis(1001);
            assertThat(fixture.leases()).hasSize(1);
        }
    }

    @Test
    default void startToStartOneDelayLiesBetweenTwoRequestsHoweverLateTheFirstWentOut() {
        try (var fixture = fixture(FrontierFixtures.perHost(2))) {
            fixture.offer("http://a.example/1", "http://a.example/2");
            var first = fixture.lease();
            fixture.advance(5); // Connecting takes time.
            assertThat(fixture.pass(first, "192.0.2.1")).isEmpty();
            fixture.advance(995);
            var second = fixture.lease();
            var opens = fixture.pass(second, "192.0.2.1").orElseThrow();
            assertThat(opens).isEqualTo(Fixture.START.plusMillis(1005));
            assertThat(
                            fixture.frontier.release(
                                    second, new ReleaseReason.GateClosed(opens), fixture.now))
                    .isTrue();
            fixture.advance(4);
            fixture.expectNothing();
            fixture.advance(1);
            assertThat(fixture.pass(fixture.lease(), "192.0.2.1")).isEmpty();
        }
    }

    @Test
    default void aNewLinkNeverPullsACoolingHostForward() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1");
            fixture.done(fixture.lease());
            fixture.advance(10);
            fixture.offer("http://a.example/2");
            fixture.expectNothing();
            fixture.advance(989);
            fixture.offer("http://a.example/3");
            fixture.expectNothing();
            fixture.advance(1);
            assertThat(fixture.leased()).containsExactly("http://a.example/2");
        }
    }

    @Test
    default void readyHostsAreServedFirstInFirstOut() {
        try (var fixture = fixture()) {
            for (var i = 0; i < 20; i++) {
                fixture.offer("http://h" + i + ".example/1", "http://h" + i + ".example/2");
            }
            var order = new ArrayList<String>();
            for (var round = 0; round < 20; round++) {
                var lease = fixture.frontier.lease(1, fixture.now).getFirst();
                order.add(lease.url().host());
                fixture.advance(1);
                fixture.done(lease);
            }
            fixture.advance(1000);
            fixture.leases().forEach(lease -> order.add(lease.url().host()));
            var expected = IntStream.range(0, 20).mapToObj(i -> "h" + i + ".example").toList();
            assertThat(order.subList(0, 20)).isEqualTo(expected);
            assertThat(order.subList(20, 40)).isEqualTo(expected);
        }
    }

    @Test
    default void perHostAllowsSoManyLeasesAndNotOneMore() {
        try (var fixture =
                fixture(
                        new Politeness(
                                Duration.ZERO,
                                Duration.ZERO,
                                Duration.ZERO,
                                3,
                                Duration.ofMinutes(10)))) {
            fixture.offer(
                    "http://a.example/1",
                    "http://a.example/2",
                    "http://a.example/3",
                    "http://a.example/4");
            var leases = fixture.leases();
            assertThat(leases).hasSize(3);
            fixture.done(leases.get(1));
            assertThat(fixture.leased()).containsExactly("http://a.example/4");
        }
    }

    @Test
    default void withSeveralAtOnceTheDelayRunsFromStartToStart() {
        try (var fixture = fixture(FrontierFixtures.perHost(2))) {
            fixture.offer("http://a.example/1", "http://a.example/2", "http://a.example/3");
            var first = fixture.lease();
            fixture.advance(400); // The DNS lookup took a while.
            assertThat(fixture.pass(first, "192.0.2.1")).isEmpty();
            fixture.advance(600);
            var second = fixture.lease();
            assertThat(fixture.pass(second, "192.0.2.1")).contains(Fixture.START.plusMillis(1400));
            fixture.advance(400);
            assertThat(fixture.pass(second, "192.0.2.1")).isEmpty();
            fixture.advance(Duration.ofSeconds(9));
            fixture.expectNothing();
            fixture.done(first);
            assertThat(fixture.leases()).hasSize(1); // The end of a response starts no delay here.
        }
    }

    @Test
    default void aHostInTheLineThatMustRestLeavesTheLine() {
        try (var fixture = fixture(FrontierFixtures.perHost(3))) {
            fixture.offer("http://a.example/1", "http://a.example/2", "http://a.example/3");
            var first = fixture.lease();
            fixture.advance(1000);
            assertThat(fixture.frontier.nextWork(fixture.now).ready()).isTrue();
            var until = fixture.now.plusSeconds(60);
            fixture.settle(
                    first,
                    new Outcome.Done(false, 1),
                    new HostSignal.RateLimited(fixture.now, until));
            fixture.expectNothing();
            assertThat(fixture.frontier.nextWork(fixture.now).ready()).isFalse();
            fixture.now = until;
            assertThat(fixture.leases()).hasSize(1);
        }
    }

    @Test
    default void anAddressIsAskedOncePerDelayWhateverTheHost() {
        try (var fixture = fixture(FrontierFixtures.gates(Duration.ofMillis(100), Duration.ZERO))) {
            fixture.offer("http://a.example/", "http://b.example/", "http://c.example/");
            var leases = fixture.leases();
            assertThat(fixture.pass(leases.get(0), "192.0.2.1")).isEmpty();
            assertThat(fixture.pass(leases.get(1), "192.0.2.1"))
                    .contains(fixture.now.plusMillis(100));
            assertThat(fixture.pass(leases.get(2), "192.0.2.2")).isEmpty();
            fixture.advance(99);
            assertThat(fixture.pass(leases.get(1), "192.0.2.1")).isPresent();
            fixture.advance(1);
            assertThat(fixture.pass(leases.get(1), "192.0.2.1")).isEmpty();
        }
    }

    @Test
    default void anIpv6NetworkOf64BitsIsOneAddress() {
        try (var fixture = fixture(FrontierFixtures.gates(Duration.ofMillis(100), Duration.ZERO))) {
            fixture.offer("http://a.example/", "http://b.example/", "http://c.example/");
            var leases = fixture.leases();
            assertThat(fixture.pass(leases.get(0), "2001:db8:1:2::1")).isEmpty();
            assertThat(fixture.pass(leases.get(1), "2001:db8:1:2:ffff::9")).isPresent();
            assertThat(fixture.pass(leases.get(2), "2001:db8:1:3::1")).isEmpty();
        }
    }

    @Test
    default void aRegistrableDomainHasAGateOfItsOwn() {
        try (var fixture = fixture(FrontierFixtures.gates(Duration.ZERO, Duration.ofSeconds(2)))) {
            fixture.offer("http://a.site.co.uk/", "http://b.site.co.uk/", "http://a.other.co.uk/");
            var leases = fixture.leases();
            assertThat(fixture.pass(leases.get(0), "192.0.2.1")).isEmpty();
            assertThat(fixture.pass(leases.get(1), "192.0.2.2"))
                    .contains(fixture.now.plusSeconds(2));
            assertThat(fixture.pass(leases.get(2), "192.0.2.3")).isEmpty();
        }
    }

    @Test
    default void gatesAreTakenAllOrNone() {
        var politeness = FrontierFixtures.gates(Duration.ofMillis(100), Duration.ofSeconds(2));
        try (var fixture = fixture(politeness)) {
            fixture.offer("http://a.site.com/", "http://b.site.com/", "http://c.other.com/");
            var leases = fixture.leases();
            assertThat(fixture.pass(leases.get(0), "192.0.2.1")).isEmpty();
            // The domain is closed, so the address must stay open.
            assertThat(fixture.pass(leases.get(1), "192.0.2.2")).isPresent();
            assertThat(fixture.pass(leases.get(2), "192.0.2.2")).isEmpty();
        }
    }

    @Test
    default void aClosedGateMakesOnlyItsHostWaitAndIsAPlainDelay() {
        try (var fixture = fixture(FrontierFixtures.gates(Duration.ofMillis(100), Duration.ZERO))) {
            fixture.offer("http://a.example/1", "http://a.example/2", "http://b.example/");
            var until = fixture.now.plusMillis(70);
            var first = fixture.leases().getFirst();
            assertThat(
                            fixture.frontier.release(
                                    first, new ReleaseReason.GateClosed(until), fixture.now))
                    .isTrue();
            fixture.expectNothing();
            assertThat(fixture.frontier.nextWork(fixture.now).delayed()).isEqualTo(1);
            fixture.now = until;
            assertThat(fixture.leased()).containsExactly("http://a.example/1");
        }
    }

    @Test
    default void robotsMayAskForADelayHoweverLong() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2");
            var lease = fixture.lease();
            fixture.frontier.setCrawlDelay("a.example", Duration.ofHours(30));
            fixture.done(lease);
            fixture.advance(Duration.ofHours(30).minusMillis(1));
            fixture.expectNothing();
            assertThat(fixture.frontier.nextWork(fixture.now).delayed()).isEqualTo(1);
            fixture.advance(1);
            assertThat(fixture.leases()).hasSize(1);
        }
    }

    @Test
    default void robotsCannotMakeADelayShorterThanOurs() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2");
            fixture.frontier.setCrawlDelay("a.example", Duration.ofMillis(10));
            fixture.done(fixture.lease());
            fixture.advance(999);
            fixture.expectNothing();
        }
    }

    @Test
    default void aDelayThatComesLateHoldsForAHostThatWaitsAndForOneInTheLine() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2");
            fixture.offer("http://b.example/1", "http://b.example/2");
            fixture.leases().forEach(fixture::done);
            fixture.frontier.setCrawlDelay("a.example", Duration.ofSeconds(10));
            fixture.advance(1000);
            assertThat(fixture.frontier.nextWork(fixture.now).ready()).isTrue();
            fixture.frontier.setCrawlDelay("b.example", Duration.ofSeconds(10));
            fixture.expectNothing();
            fixture.advance(9000);
            assertThat(fixture.leases()).hasSize(2);
        }
    }

    @Test
    default void anAbsurdDelayOverflowsNothing() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2");
            fixture.frontier.setCrawlDelay("a.example", Duration.ofSeconds(Long.MAX_VALUE));
            fixture.done(fixture.lease());
            fixture.advance(Duration.ofDays(3650));
            fixture.expectNothing();
        }
    }

    @Test
    default void aHostThatAsksForQuietGetsIt() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/2");
            var until = fixture.now.plusSeconds(120);
            fixture.settle(
                    fixture.lease(),
                    new Outcome.Retry(until, FailureCause.SERVER_ERROR),
                    new HostSignal.RateLimited(fixture.now, until));
            fixture.advance(Duration.ofMillis(119_999));
            fixture.expectNothing();
            fixture.advance(1);
            assertThat(fixture.leased()).containsExactly("http://a.example/2");
        }
    }

    @Test
    default void aDelayThatComesWhenSeveralLeasesAreOutHoldsForEachOfThem() {
        try (var fixture = fixture(FrontierFixtures.perHost(2))) {
            fixture.offer("http://a.example/1", "http://a.example/2");
            var first = fixture.lease();
            fixture.advance(1000);
            var second = fixture.lease();
            fixture.frontier.setCrawlDelay("a.example", Duration.ofSeconds(5));
            assertThat(fixture.pass(second, "192.0.2.1")).isPresent();
            fixture.done(first);
            assertThat(fixture.pass(second, "192.0.2.1")).contains(fixture.now.plusSeconds(5));
            fixture.advance(5000);
            assertThat(fixture.pass(second, "192.0.2.1")).isEmpty();
        }
    }

    @Test
    default void aUrlWhoseRobotsAreUnreachableWaitsAndOtherOriginsOfItsHostGoOn() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example:8080/1", "http://a.example/2");
            var until = fixture.now.plusSeconds(300);
            var why = new ReleaseReason.RobotsUnreachable(fixture.now, until);
            assertThat(fixture.frontier.release(fixture.lease(), why, fixture.now)).isTrue();
            fixture.advance(1000);
            var other = fixture.lease();
            assertThat(other.url().text()).isEqualTo("http://a.example/2");
            fixture.done(other);
            fixture.now = until.minusMillis(1);
            fixture.expectNothing();
            assertThat(fixture.frontier.nextWork(fixture.now).delayed()).isZero();
            assertThat(fixture.frontier.stats().hosts().resting()).isEqualTo(1);
            fixture.now = until;
            assertThat(fixture.leased()).containsExactly("http://a.example:8080/1");
        }
    }

    @Test
    default void aHostVisitedOnAnothersBehalfIsBusyAndThenKeepsItsDelay() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/");
            var lease = fixture.lease();
            fixture.offer("http://b.example/");
            var robots = Fixture.url("http://b.example/robots.txt");
            assertThat(
                            fixture.frontier.passGates(
                                    lease, robots, Fixture.ip("192.0.2.1"), fixture.now))
                    .isEmpty();
            fixture.expectNothing();
            assertThat(fixture.frontier.stats().hosts().busy()).isEqualTo(2);
            fixture.advance(500);
            var why = new ReleaseReason.RobotsFetched(fixture.now);
            assertThat(fixture.frontier.release(lease, why, fixture.now)).isTrue();
            fixture.advance(999);
            fixture.expectNothing();
            fixture.advance(1);
            assertThat(fixture.leases()).hasSize(2);
        }
    }

    @Test
    default void aGuestWaitsForAHostThatIsBusyCoolingOrResting() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/", "http://b.example/1", "http://b.example/2");
            var leases = fixture.leases();
            var robots = Fixture.url("http://b.example/robots.txt");
            var address = Fixture.ip("192.0.2.1");
            var mine = leases.get(0);
            assertThat(fixture.frontier.passGates(mine, robots, address, fixture.now))
                    .hasValueSatisfying(again -> assertThat(again).isAfter(fixture.now));
            fixture.done(leases.get(1));
            assertThat(fixture.frontier.passGates(mine, robots, address, fixture.now))
                    .contains(fixture.now.plusMillis(1000));
            fixture.advance(1000);
            fixture.settle(
                    fixture.lease(),
                    new Outcome.Done(false, 0),
                    new HostSignal.RateLimited(fixture.now, fixture.now.plusSeconds(77)));
            assertThat(fixture.frontier.passGates(mine, robots, address, fixture.now))
                    .contains(fixture.now.plusSeconds(77));
        }
    }

    @Test
    default void aGuestThatGoesOnToAThirdHostLeavesTheSecondWithItsDelay() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/");
            var lease = fixture.lease();
            var address = Fixture.ip("192.0.2.1");
            for (var host : new String[] {"b", "c"}) {
                fixture.offer("http://" + host + ".example/");
                var robots = Fixture.url("http://" + host + ".example/robots.txt");
                assertThat(fixture.frontier.passGates(lease, robots, address, fixture.now))
                        .isEmpty();
                fixture.expectNothing();
                fixture.advance(10);
            }
            fixture.advance(989);
            fixture.expectNothing();
            fixture.advance(1);
            assertThat(fixture.leased()).containsExactly("http://b.example/");
            fixture.done(lease);
            fixture.advance(1000);
            assertThat(fixture.leased()).containsExactly("http://c.example/");
        }
    }
}
