package dev.orbweaver.internal.revisit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.orbweaver.internal.revisit.ChangeEstimate.Exposure;
import dev.orbweaver.internal.revisit.ChangeEstimate.Sums;

import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

/** What is learned of rates of changes and signals, against known Poisson processes. */
class ChangeRateTest {

    private final SplittableRandom random = new SplittableRandom(7);

    @Test
    void theRateIsLearnedFromVisitsThatOnlyShowWhetherAPageChanged() {
        for (var rate : new double[] {0.01, 0.1, 0.5}) {
            assertThat(learned(rate, 4, 0, 0).rate() / rate).isCloseTo(1, within(0.12));
        }
    }

    @Test
    void countingChangedVisitsWouldUnderestimate() {
        // Half a change per day, visited every four days: 86 % of the visits show a change.
        assertThat(learned(0.5, 4, 0, 0).rate()).isGreaterThan(0.86 / 4 * 2);
    }

    @Test
    void precisionAndRecallOfSignalsAreLearned() {
        var model = learned(0.1, 10, 0.8, 0.02);
        assertThat(model.recall()).isCloseTo(0.8, within(0.08));
        assertThat(model.precision()).isCloseTo(0.8, within(0.08));
    }

    @Test
    void signalsThatSayNothingAreFoundOut() {
        assertThat(learned(0.05, 15, 0, 1).hasUsefulSignals()).isFalse();
        assertThat(learned(0.05, 15, 0, 0.05).precision()).isLessThan(0.3);
    }

    @Test
    void theAgeOfTheLastChangeIsEnoughForFastPages() {
        // Ten changes a day, visited every 30 days: only the age shows the rate.
        var sums = new Exposure(0, 0);
        for (var visit = 0; visit < 25; visit++) {
            sums = sums.plus(new Exposure(exponential(10), 1));
        }
        assertThat(ChangeEstimate.model(sums, Sums.NONE, Sums.NONE).rate()).isBetween(0.2, 20.0);
        assertThat(sums.changes() / sums.days()).isCloseTo(10, within(5.0));
    }

    @Test
    void aNewPageHasTheRateOfItsPattern() {
        var pattern = new Sums(1_000, 500, 1_000, 0, 0, 500);
        var host = new Sums(10_000, 10, 10_000, 0, 0, 10);
        assertThat(ChangeEstimate.model(new Exposure(0, 0), pattern, host).rate())
                .isCloseTo(0.34, within(0.2));
        assertThat(ChangeEstimate.model(new Exposure(0, 0), Sums.NONE, host).rate())
                .isLessThan(0.002);
    }

    @Test
    void aPageThatBeginsToChangeIsLearnedInAFewVisits() {
        var page = new Exposure(1_400, 0);
        var before = ChangeEstimate.model(page, Sums.NONE, Sums.NONE);
        for (var visit = 0; visit < 10; visit++) {
            var model = ChangeEstimate.model(page, Sums.NONE, Sums.NONE);
            page = page.plus(new Exposure(20, model.expected(20, 0, true).all()));
        }
        assertThat(ChangeEstimate.model(page, Sums.NONE, Sums.NONE).rate())
                .isGreaterThan(4 * before.rate());
    }

    /** Visits 100 pages of one pattern 60 times each, at random intervals around a mean. */
    private ChangeModel learned(double rate, double days, double recall, double falseSignals) {
        var pattern = Sums.NONE;
        var host = Sums.NONE;
        for (var visit = 0; visit < 6_000; visit++) {
            var interval = days * (0.5 + random.nextDouble());
            var changes = poisson(rate * interval);
            var signals = poisson(falseSignals * interval);
            for (var change = 0; change < changes; change++) {
                signals += random.nextDouble() < recall ? 1 : 0;
            }
            var model = ChangeEstimate.model(new Exposure(0, 0), pattern, host);
            var expected = model.expected(interval, signals, changes > 0);
            var exposure = new Exposure(interval, expected.all());
            pattern = pattern.plus(exposure, interval, signals, expected);
            host = host.plus(exposure, interval, signals, expected);
        }
        return ChangeEstimate.model(new Exposure(0, 0), pattern, host);
    }

    private int poisson(double mean) {
        var count = -1;
        for (var left = mean; left >= 0; left -= exponential(1)) {
            count++;
        }
        return count;
    }

    private double exponential(double rate) {
        return -Math.log(1 - random.nextDouble()) / rate;
    }
}
