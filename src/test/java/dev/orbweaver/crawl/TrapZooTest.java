package dev.orbweaver.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Traps of every kind next to honest sites, in virtual time. */
@Slow
class TrapZooTest {

    private static final int HOSTS = 61;
    private static final int PAGES = 3_000;

    @ParameterizedTest
    @CsvSource({"1, false", "2, true", "3, true"})
    void honestPagesAreFetchedAndTrapsCostLittle(long seed, boolean wily) throws Exception {
        var figures = TrapZoo.crawl(seed, HOSTS, PAGES, wily);
        System.out.println("TrapZooTest: " + figures);
        assertThat(figures.gotShare()).as("%s", figures).isGreaterThanOrEqualTo(0.95);
        assertThat(figures.wastedShare()).as("%s", figures).isLessThanOrEqualTo(0.10);
        assertThat(figures.slowest()).as("%s", figures).isLessThanOrEqualTo(2);
        assertThat(figures.slowestTrapped()).as("%s", figures).isLessThanOrEqualTo(2);
    }

    @Test
    void withoutAGuardTheZooHasNoEnd() throws Exception {
        var figures = TrapZoo.crawl(1, 13, 100, false, TrapSettings.OFF, 1_000);
        assertThat(figures.wastedShare()).as("%s", figures).isGreaterThan(0.5);
    }
}
