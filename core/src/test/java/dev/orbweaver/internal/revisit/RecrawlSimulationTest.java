package dev.orbweaver.internal.revisit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.orbweaver.internal.revisit.RecrawlSimulation.Day;
import dev.orbweaver.internal.revisit.RecrawlSimulation.Rule;
import dev.orbweaver.internal.revisit.RecrawlSimulation.Scheduled;
import dev.orbweaver.internal.revisit.RecrawlSimulation.Uniform;
import dev.orbweaver.internal.revisit.SimulatedPages.Weights;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The schedule over months of virtual time; {@code bench/run recrawl} is the long form. */
@Slow
class RecrawlSimulationTest {

    private static final int PAGES = 4_000;
    private static final int BURN_IN = 60;
    private static final int DAYS = 130;
    private static final double INTERVAL = 30;
    private static final double BUDGET = PAGES / INTERVAL;

    @TempDir Path directory;

    private static SimulatedPages pages(Weights weights, double honest, double lying) {
        return new SimulatedPages(5, PAGES, weights, honest, lying);
    }

    private static List<Day> measured(SimulatedPages pages, Rule rule) throws IOException {
        return new RecrawlSimulation(pages, rule).run(DAYS).subList(BURN_IN, DAYS);
    }

    private double scheduled(SimulatedPages pages) throws IOException {
        try (var rule = new Scheduled(pages, directory, BUDGET)) {
            return RecrawlSimulation.freshness(measured(pages, rule));
        }
    }

    @Test
    void theSimulationAgreesWithTheoryWhereTheoryIsExact() throws IOException {
        var pages = pages(Weights.EQUAL, 0, 0);
        var theory = pages.uniform(INTERVAL);
        assertThat(RecrawlSimulation.freshness(measured(pages, new Uniform(pages, BUDGET))))
                .isCloseTo(theory, within(0.01));
    }

    @Test
    void mostOfTheGapBetweenUniformAndOptimumIsClosed() throws IOException {
        var pages = pages(Weights.ZIPF, 0, 0);
        var uniform = pages.uniform(INTERVAL);
        var optimum = pages.optimum(INTERVAL, false);
        assertThat((scheduled(pages) - uniform) / (optimum - uniform)).isGreaterThan(0.8);
    }

    @Test
    void mostOfWhatSignalsAreWorthIsUsed() throws IOException {
        var pages = pages(Weights.ZIPF, 0.5, 0.2);
        var uniform = pages.uniform(INTERVAL);
        var optimum = pages.optimum(INTERVAL, true);
        assertThat((scheduled(pages) - uniform) / (optimum - uniform)).isGreaterThan(0.8);
    }

    @Test
    void equalPagesAreNoStalerThanWithEqualIntervals() throws IOException {
        var pages = pages(Weights.EQUAL, 0, 0);
        var uniform = pages.uniform(INTERVAL);
        assertThat(scheduled(pages)).isGreaterThan(uniform - 0.01);
    }

    @Test
    void theBudgetIsSpentEveryDayAndEvenly() throws IOException {
        var pages = pages(Weights.ZIPF, 0.5, 0.2);
        try (var rule = new Scheduled(pages, directory, BUDGET)) {
            for (var day : measured(pages, rule)) {
                assertThat((double) day.visits()).isCloseTo(BUDGET, within(1.0));
                assertThat(day.visitsPerHour()).isLessThanOrEqualTo((int) (BUDGET / 24) + 2);
            }
            assertThat(rule.schedule().statistics(rule.now()).weightedFreshness())
                    .isBetween(0.55, 0.85);
        }
    }
}
