package dev.orbweaver.fleet.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierContract;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The contract for a fleet. Two of its tests set the clock back; a fleet's time is Redis's and
 * never goes back (FleetClockTest), and a worker that gets an older time than before uses the last
 * one. The tests here check that instead.
 */
interface FleetContract extends FrontierContract {

    /** A worker loads a few URLs of each job at a time, and shares turns among those. */
    @Override
    default double turnTolerance() {
        return 4.0;
    }

    private static void done(TestFrontier frontier, Lease lease, Instant now) {
        var settlement =
                Settlement.of(lease, new Outcome.Done(true, 1), new HostSignal.Healthy(now));
        assertThat(frontier.settle(new CommitBatch(List.of(settlement), List.of()), now)).isZero();
    }

    @Override
    @Test
    default void aClockSetBackByHoursStarvesNoHostAndFreesNone() {
        try (var frontier = open(PLAIN, Fixture.START)) {
            frontier.offer(
                    TestFrontier.JOB,
                    List.of(Fixture.link("http://a.example/1"), Fixture.link("http://a.example/2")),
                    Fixture.START);
            done(frontier, frontier.lease(9, Fixture.START).getFirst(), Fixture.START);
            var wrong = Fixture.START.minus(Duration.ofHours(5));
            assertThat(frontier.lease(9, wrong)).isEmpty();
            assertThat(frontier.lease(9, wrong.plusSeconds(60))).isEmpty();
            assertThat(frontier.lease(9, Fixture.START.plusMillis(999))).isEmpty();
            assertThat(frontier.lease(9, Fixture.START.plusMillis(1000))).hasSize(1);
        }
    }

    @Override
    @Test
    default void aClockThatJumpsBackAndForthByHoursMakesNoStorm() {
        try (var frontier = open(PLAIN, Fixture.START)) {
            frontier.offer(
                    TestFrontier.JOB,
                    IntStream.range(0, 100)
                            .mapToObj(i -> Fixture.link("http://h" + i % 5 + ".example/" + i))
                            .toList(),
                    Fixture.START);
            var now = Fixture.START;
            for (var step : List.of(5, -3, 7, -9, 1, -1, 2, -2)) {
                now = now.plus(Duration.ofHours(step));
                var visits = new HashMap<String, Integer>();
                for (var tick = 0; tick <= 100; tick++) {
                    for (var lease : frontier.lease(1000, now)) {
                        visits.merge(lease.url().host(), 1, Integer::sum);
                        done(frontier, lease, now);
                    }
                    now = now.plusMillis(100);
                }
                assertThat(visits.values()).allMatch(count -> count <= 11);
            }
        }
    }
}
