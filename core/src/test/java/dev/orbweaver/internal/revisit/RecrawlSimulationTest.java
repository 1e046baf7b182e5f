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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

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

    /**
     * Lists that change several times a day are stale again at once, as pages with these rates are;
     * a tenth of the budget is left for them.
     */
    @Test
    void listsThatChangeTooFastToBeFreshAreVisitedForATenthOfTheBudget() throws IOException {
        var pages = pages(Weights.EQUAL, 0, 0);
        var fast =
                IntStream.range(0, PAGES)
                        .filter(page -> pages.rate(page) > 2)
                        .boxed()
                        .limit(80)
                        .toList();
        var lists = Set.copyOf(fast.subList(0, 40));
        try (var rule = new Scheduled(pages, directory, BUDGET, lists)) {
            var visits = new HashMap<Integer, Integer>();
            var counting = new CountingRule(rule, visits);
            var _ = new RecrawlSimulation(pages, counting).run(BURN_IN);
            visits.clear();
            var _ = new RecrawlSimulation(pages, counting).run(DAYS - BURN_IN);
            var ofLists = lists.stream().mapToInt(page -> visits.getOrDefault(page, 0)).toArray();
            var interval = lists.size() / (0.1 * BUDGET);
            assertThat(Arrays.stream(ofLists).min().orElseThrow())
                    .isGreaterThan((int) (0.8 * (DAYS - BURN_IN) / interval));
            assertThat(Arrays.stream(ofLists).sum())
                    .isLessThan((int) (0.11 * BUDGET * (DAYS - BURN_IN)));
            assertThat(fast.subList(40, 80))
                    .allSatisfy(page -> assertThat(visits.getOrDefault(page, 0)).isLessThan(6));
        }
    }

    private record CountingRule(Rule rule, Map<Integer, Integer> visits) implements Rule {

        @Override
        public List<Integer> due(double days) throws IOException {
            return rule.due(days);
        }

        @Override
        public void visited(int page, double days, boolean changed) throws IOException {
            visits.merge(page, 1, Integer::sum);
            rule.visited(page, days, changed);
        }
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
