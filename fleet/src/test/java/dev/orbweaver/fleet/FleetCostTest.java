package dev.orbweaver.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What workers cost Redis, and how they share hosts; with real workers, servers and Redis. Each
 * test has its own and mostly waits, so they run side by side.
 */
@Slow
@Execution(ExecutionMode.CONCURRENT)
class FleetCostTest {

    private static final Duration DELAY = Duration.ofMillis(200);

    /** Workers count time in milliseconds. */
    private static final Duration ALLOWANCE = Duration.ofMillis(5);

    @TempDir Path directory;
    private FleetCost cost;

    @BeforeEach
    void start() throws IOException {
        cost = new FleetCost(directory);
    }

    @AfterEach
    void stop() throws IOException {
        cost.close();
    }

    @Test
    void anIdleWorkerSendsAtMostFiveCommandsASecond() throws Exception {
        assertThat(cost.idle(2, Duration.ofSeconds(6))).isBetween(0.5, 5.0);
        assertThat(cost.idleInAJob(Duration.ofSeconds(6))).isBetween(0.5, 5.0);
    }

    @Test
    void twoWorkersNeedFewRoundTripsForASmallPoliteCrawl() throws Exception {
        var crawl = cost.polite(2, 8, 21, Duration.ofMillis(500));
        assertThat(crawl.pages()).isEqualTo(168);
        assertThat(crawl.roundTripsPerPage()).isLessThan(ROUND_TRIPS_MAX);
        assertThat(crawl.shortestGap()).isGreaterThan(Duration.ofMillis(500).minus(ALLOWANCE));
    }

    /** Before: 7.6 with a delay of a second. */
    private static final double ROUND_TRIPS_MAX = 2;

    @Test
    void twoAndFourWorkersShareHostsEvenly() throws Exception {
        for (var workers : new int[] {2, 4}) {
            var balance = cost.balance(workers, 0, 8, DELAY, Duration.ofSeconds(6));
            assertThat(balance.maxToMean()).as(balance.toString()).isLessThan(1.3);
            assertThat(balance.shortestGap()).isGreaterThan(DELAY.minus(ALLOWANCE));
        }
    }

    @Test
    void aWorkerThatJoinsLaterGetsItsShareAndTheDelaysAreKept() throws Exception {
        var balance = cost.balance(2, 1, 8, DELAY, Duration.ofSeconds(6));
        assertThat(balance.maxToMean()).as(balance.toString()).isLessThan(1.3);
        assertThat(balance.shortestGap()).isGreaterThan(DELAY.minus(ALLOWANCE));
    }
}
