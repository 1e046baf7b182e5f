package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.traps.TrapSettings;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Traps of every kind beside honest sites, in virtual time. */
@Slow
class TrapSimulationTest {

    private static final int HOSTS = 61;
    private static final int PAGES = 3_000;

    @ParameterizedTest
    @CsvSource({"1, false", "2, true", "3, true"})
    void honestPagesAreFetchedAndTrapsCostLittle(long seed, boolean wily) throws Exception {
        var trapStats = TrapSimulation.crawl(seed, HOSTS, PAGES, wily);
        System.out.println("TrapZooTest: " + trapStats);
        assertThat(trapStats.gotShare()).as("%s", trapStats).isGreaterThanOrEqualTo(0.95);
        assertThat(trapStats.wastedShare()).as("%s", trapStats).isLessThanOrEqualTo(0.10);
        assertThat(trapStats.slowest()).as("%s", trapStats).isLessThanOrEqualTo(2);
        assertThat(trapStats.slowestTrapped()).as("%s", trapStats).isLessThanOrEqualTo(2);
    }

    @Test
    void withoutAGuardTheZooHasNoEnd() throws Exception {
        var trapStats = TrapSimulation.crawl(1, 13, 100, false, TrapSettings.OFF, 1_000);
        assertThat(trapStats.wastedShare()).as("%s", trapStats).isGreaterThan(0.5);
    }
}
