package dev.orbweaver.internal.frontier;

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

/** Delays that follow a host's response times, and delays that differ between hosts. */
interface AdaptiveDelayContract extends FrontierFixtures {

    private static Politeness paced(int perHost) {
        return FrontierFixtures.perHost(perHost)
                .with(new AdaptiveDelaySettings(2, Duration.ofSeconds(30)));
    }

    /** Returns how long after a response the host's next turn comes. */
    private static long waits(Fixture fixture, HostSignal signal) {
        fixture.settle(fixture.lease(), new Outcome.Done(true, 1), signal);
        var due = fixture.frontier.nextWork(fixture.now).nextDue().orElseThrow();
        var waits = Duration.between(fixture.now, due).toMillis();
        fixture.now = due;
        return waits;
    }

    private static void offerSome(Fixture fixture) {
        for (var i = 0; i < 40; i++) {
            fixture.offer("http://a.example/" + i);
        }
    }

    private static HostSignal after(Fixture fixture, long millis) {
        return new HostSignal.Healthy(fixture.now, Duration.ofMillis(millis));
    }

    @Test
    default void aSlowHostIsAskedLessOftenAndAQuickOneNeverMoreThanTheDelayAllows() {
        try (var fixture = fixture(paced(1))) {
            offerSome(fixture);
            assertThat(waits(fixture, after(fixture, 100))).isEqualTo(1000);
            assertThat(waits(fixture, after(fixture, 4000))).isBetween(1100L, 1300L);
            var slow = 0L;
            for (var i = 0; i < 20; i++) {
                slow = waits(fixture, after(fixture, 4000));
            }
            assertThat(slow).isBetween(7000L, 8000L);
            assertThat(waits(fixture, after(fixture, 600_000))).isEqualTo(30_000);
        }
    }

    @Test
    default void aHostThatRefusesIsAskedLessOftenAfterItsRest() {
        try (var fixture = fixture(paced(1))) {
            offerSome(fixture);
            assertThat(waits(fixture, after(fixture, 100))).isEqualTo(1000);
            var until = fixture.now.plusSeconds(60);
            assertThat(waits(fixture, new HostSignal.RateLimited(fixture.now, until)))
                    .isEqualTo(60_000);
            assertThat(waits(fixture, after(fixture, 100))).isEqualTo(1500);
        }
    }

    @Test
    default void aHostThatBreaksOffIsAskedLessOften() {
        try (var fixture = fixture(paced(1))) {
            offerSome(fixture);
            assertThat(waits(fixture, after(fixture, 100))).isEqualTo(1000);
            assertThat(waits(fixture, new HostSignal.Failing(fixture.now))).isEqualTo(1500);
            assertThat(waits(fixture, new HostSignal.Failing(fixture.now))).isEqualTo(2250);
        }
    }

    @Test
    default void aVisitThatShowsNothingOfItsHostKeepsThePlainDelay() {
        try (var fixture = fixture(paced(1).withErrorBackoff(Duration.ofSeconds(2)))) {
            offerSome(fixture);
            assertThat(waits(fixture, new HostSignal.Inconclusive(fixture.now))).isEqualTo(1000);
            assertThat(waits(fixture, after(fixture, 100))).isEqualTo(1000);
            assertThat(waits(fixture, new HostSignal.ServerError(fixture.now))).isEqualTo(3000);
            assertThat(waits(fixture, after(fixture, 100)))
                    .as("no limit was found")
                    .isEqualTo(1000);
        }
    }

    @Test
    default void aHostThatRefusesIsGivenFewerRequestsAtOnce() {
        try (var fixture = fixture(paced(4))) {
            offerSome(fixture);
            var leases = new ArrayList<Lease>();
            for (var i = 0; i < 4; i++) {
                leases.add(fixture.lease());
                fixture.advance(Duration.ofSeconds(2));
            }
            fixture.expectNothing();
            var rateLimited = new HostSignal.RateLimited(fixture.now, fixture.now.plusSeconds(1));
            for (var lease : leases) {
                fixture.settle(
                        lease,
                        new Outcome.Retry(fixture.now, FailureCause.SERVER_ERROR),
                        rateLimited);
            }
            fixture.advance(Duration.ofSeconds(10));
            var _ = fixture.lease();
            fixture.advance(Duration.ofSeconds(10));
            var _ = fixture.lease();
            fixture.advance(Duration.ofSeconds(10));
            fixture.expectNothing();
        }
    }

    @Test
    default void aHostFirstMetAsAGuestKeepsTheDelayOfThatVisit() {
        try (var fixture = fixture(FrontierFixtures.perHost(2))) {
            fixture.offer("http://a.example/");
            var guest = fixture.lease();
            var robots = Fixture.url("http://b.example/robots.txt");
            assertThat(
                            fixture.frontier.passGates(
                                    guest, robots, Fixture.ip("192.0.2.1"), fixture.now))
                    .isEmpty();
            fixture.frontier.sent(guest, fixture.now);
            fixture.offer("http://b.example/");
            fixture.advance(10);
            var own = fixture.lease();
            assertThat(fixture.pass(own, "192.0.2.1")).contains(fixture.now.plusMillis(990));
        }
    }

    @Test
    default void someHostsHaveADelayAndALimitOfTheirOwn() {
        var exceptions =
                List.of(
                        new HostOverride(
                                HostPattern.of(".a.example"),
                                Optional.of(Duration.ofSeconds(7)),
                                Optional.empty()),
                        new HostOverride(
                                HostPattern.of("b.example"), Optional.empty(), Optional.of(2)));
        try (var fixture = fixture(PLAIN.with(exceptions, List.of()))) {
            fixture.offer("http://x.a.example/1", "http://x.a.example/2");
            fixture.done(fixture.lease());
            fixture.advance(6999);
            fixture.expectNothing();
            fixture.advance(1);
            assertThat(fixture.leases()).hasSize(1);
            fixture.offer("http://b.example/1", "http://b.example/2", "http://b.example/3");
            assertThat(fixture.leases()).hasSize(1);
            fixture.advance(1000);
            assertThat(fixture.leases()).hasSize(1);
            fixture.advance(1000);
            fixture.expectNothing();
        }
    }

    @Test
    default void aGroupMayHaveOneRequestInFlight() {
        var group =
                new RateGroup(
                        new RateGroup.Members.Hosts(HostPattern.of("*.shop.example")),
                        Duration.ZERO,
                        1);
        try (var fixture = fixture(PLAIN.with(List.of(), List.of(group)))) {
            fixture.offer("http://x.shop.example/", "http://y.shop.example/");
            var leases = fixture.leases();
            assertThat(leases).hasSize(2);
            assertThat(fixture.pass(leases.get(0), "198.51.100.1")).isEmpty();
            fixture.advance(Duration.ofSeconds(20));
            var closed = fixture.pass(leases.get(1), "198.51.100.2");
            assertThat(closed).isPresent();
            assertThat(fixture.frontier.release(leases.get(1), pause(closed.get()), fixture.now))
                    .isTrue();
            fixture.done(leases.get(0));
            fixture.now = closed.get();
            assertThat(fixture.pass(fixture.lease(), "198.51.100.2")).isEmpty();
        }
    }

    private static ReleaseReason pause(Instant until) {
        return new ReleaseReason.GateClosed(until);
    }

    @Test
    default void aLeaseThatIsLostGivesItsPlaceInTheGroupBack() {
        var group =
                new RateGroup(
                        new RateGroup.Members.Hosts(HostPattern.of("*.shop.example")),
                        Duration.ZERO,
                        1);
        try (var fixture = fixture(PLAIN.with(List.of(), List.of(group)))) {
            fixture.offer("http://x.shop.example/");
            var lost = fixture.lease();
            assertThat(fixture.pass(lost, "198.51.100.1")).isEmpty();
            fixture.now = lost.deadline().plusMillis(1);
            fixture.expectNothing();
            fixture.offer("http://y.shop.example/");
            assertThat(fixture.pass(fixture.lease(), "198.51.100.2")).isEmpty();
        }
    }

    @Test
    default void aGroupOfHostsOrAddressesCountsAsOne() {
        var groups =
                List.of(
                        new RateGroup(
                                new RateGroup.Members.Hosts(HostPattern.of("*.shop.example")),
                                Duration.ofSeconds(3)),
                        new RateGroup(
                                new RateGroup.Members.Addresses(AddressRange.of("192.0.2.0/28")),
                                Duration.ofSeconds(2)));
        try (var fixture = fixture(PLAIN.with(List.of(), groups))) {
            fixture.offer(
                    "http://x.shop.example/",
                    "http://y.shop.example/",
                    "http://c.example/",
                    "http://d.example/",
                    "http://e.example/");
            var leases = fixture.leases();
            assertThat(fixture.pass(leases.get(0), "198.51.100.1")).isEmpty();
            assertThat(fixture.pass(leases.get(1), "198.51.100.2"))
                    .contains(fixture.now.plusSeconds(3));
            assertThat(fixture.pass(leases.get(2), "192.0.2.1")).isEmpty();
            assertThat(fixture.pass(leases.get(3), "192.0.2.15"))
                    .contains(fixture.now.plusSeconds(2));
            assertThat(fixture.pass(leases.get(4), "192.0.2.16")).isEmpty();
        }
    }
}
