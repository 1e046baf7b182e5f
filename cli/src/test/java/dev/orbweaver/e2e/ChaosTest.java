package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.time.Duration;
import java.util.Random;

/**
 * A real crawler process that is killed, stopped, starved of disk, failed by it, slowed down and
 * lied to about the time. The long form is {@code bench/run soak}.
 */
@Slow
@Execution(ExecutionMode.CONCURRENT) // Both wait for delays and restarts most of the time.
class ChaosTest {

    @Test
    void aCrawlThroughEveryFaultEndsWithEveryPageOnce() throws Exception {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        System.out.println("ChaosTest: replay with -Dorbweaver.seed=" + seed);
        var counts = new ChaosCounts();
        var lives = FaultyRun.sampler(new Random(seed));
        var complaints = Soak.round(Soak.somePages(seed), Duration.ofMillis(400), lives, counts);
        System.out.println("ChaosTest: seed " + seed + " " + counts);
        assertThat(complaints).as("-Dorbweaver.seed=%d", seed).isEmpty();
        assertThat(counts.of("lives")).as("seed %d", seed).isGreaterThan(lives.size());
        for (var fault :
                lives.stream().flatMap(faultyRun -> faultyRun.faults().stream()).toList()) {
            assertThat(counts.of(fault.counter()))
                    .as("%s, seed %d", fault.counter(), seed)
                    .isPositive();
        }
    }

    /** A restart takes a second or two, so that a delay of three which it forgot would show. */
    @Test
    void aRestartWithTheClockSetBackFreesNoHostEarlyAndStarvesNone() throws Exception {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        System.out.println("ChaosTest: replay with -Dorbweaver.seed=" + seed);
        var counts = new ChaosCounts();
        var lives = FaultyRun.shortRuns(new Random(seed), 3);
        var complaints = Soak.round(Soak.fewPages(seed), Duration.ofSeconds(3), lives, counts);
        System.out.println("ChaosTest: seed " + seed + " " + counts);
        assertThat(complaints).as("-Dorbweaver.seed=%d", seed).isEmpty();
        assertThat(counts.of("kills")).as("seed %d", seed).isEqualTo(lives.size());
        assertThat(counts.of("early")).as("seed %d", seed).isZero();
    }
}
