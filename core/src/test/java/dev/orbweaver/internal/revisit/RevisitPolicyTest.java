package dev.orbweaver.internal.revisit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

class RevisitPolicyTest {

    private static final double[] RATES = {0.001, 0.02, 0.3, 2, 40};

    @Test
    void thresholdInvertsTheValue() {
        for (var rate : RATES) {
            for (var share : new double[] {1e-8, 1e-4, 0.01, 0.3, 0.59, 0.61, 0.9, 0.999, 0.9999}) {
                var model = ChangeModel.withoutSignals(rate);
                var x = RevisitPolicy.threshold(model, share / rate);
                assertThat(RevisitPolicy.value(model, x) * rate / share)
                        .as("rate %s, share %s", rate, share)
                        .isCloseTo(1, within(1e-4));
            }
        }
    }

    @Test
    void thresholdInvertsTheValueWithSignals() {
        for (var rate : RATES) {
            for (var recall : new double[] {0.1, 0.5, 0.8, 0.95}) {
                for (var precision : new double[] {0.3, 0.8, 0.99}) {
                    var model = signalled(rate, recall, precision);
                    for (var share : new double[] {1e-4, 0.01, 0.3, 0.9}) {
                        var x = RevisitPolicy.threshold(model, share / rate);
                        assertThat(RevisitPolicy.value(model, x) * rate / share)
                                .as("%s, share %s", model, share)
                                .isCloseTo(1, within(2e-4));
                    }
                }
            }
        }
    }

    @Test
    void aPageThatChangesTooFastForItsImportanceIsNeverDue() {
        var model = ChangeModel.withoutSignals(2);
        assertThat(RevisitPolicy.threshold(model, 0.49)).isFinite();
        assertThat(RevisitPolicy.threshold(model, 0.5)).isInfinite();
    }

    @Test
    void noRateLeadsToAShorterIntervalThanTheShortest() {
        var shortest = Double.POSITIVE_INFINITY;
        for (var rate = 0.05; rate < 2; rate *= 1.01) {
            var model = ChangeModel.withoutSignals(rate);
            shortest = Math.min(shortest, RevisitPolicy.threshold(model, 0.5) / rate);
        }
        assertThat(shortest).isCloseTo(RevisitPolicy.shortestInterval(0.5), within(1e-3));
    }

    @Test
    void theValueIsWhatOneMoreVisitBuys() {
        // The derivative of the freshness with respect to the visits per day.
        var model = ChangeModel.withoutSignals(0.1);
        for (var x : new double[] {0.01, 0.5, 3}) {
            assertThat(RevisitPolicy.value(model, x)).isCloseTo(slope(model, x), within(1e-4));
        }
        var signalled = signalled(0.1, 0.6, 0.7);
        for (var x : new double[] {0.05, 0.5, 1.1, 2.0}) {
            assertThat(RevisitPolicy.value(signalled, x))
                    .isCloseTo(slope(signalled, x), within(1e-3));
        }
    }

    private static double slope(ChangeModel model, double x) {
        var d = 1e-5;
        var visits = 1 / RevisitPolicy.expectedInterval(model, x);
        var more = 1 / RevisitPolicy.expectedInterval(model, x - d);
        return (RevisitPolicy.expectedFreshness(model, x - d)
                        - RevisitPolicy.expectedFreshness(model, x))
                / (more - visits);
    }

    @Test
    void intervalAndFreshnessWithSignalsAreThoseOfASimulation() {
        var random = new SplittableRandom(1);
        var model = signalled(0.2, 0.7, 0.6);
        for (var x : new double[] {0.2, 1.0, 2.5}) {
            var run = simulate(model, x, random, 200_000);
            assertThat(RevisitPolicy.expectedInterval(model, x) / run[0])
                    .isCloseTo(1, within(0.01));
            assertThat(RevisitPolicy.expectedFreshness(model, x) / run[1])
                    .isCloseTo(1, within(0.01));
        }
    }

    /** Returns the mean interval, and the share of time in which the copy was fresh. */
    private static double[] simulate(
            ChangeModel model, double threshold, SplittableRandom random, int visits) {
        var all = 0.0;
        var fresh = 0.0;
        var events = model.rate() + model.falseSignals();
        for (var visit = 0; visit < visits; visit++) {
            var time = 0.0;
            var signals = 0;
            var changed = -1.0;
            while (true) {
                var end =
                        Math.max(
                                time,
                                (threshold - signals * model.signalWeight()) / model.silentRate());
                time -= Math.log(1 - random.nextDouble()) / events;
                if (time >= end) {
                    all += end;
                    fresh += changed < 0 ? end : changed;
                    break;
                }
                var kind = random.nextDouble() * events;
                if (kind < model.rate()) {
                    changed = changed < 0 ? time : changed;
                    signals += random.nextDouble() < model.recall() ? 1 : 0;
                } else {
                    signals++;
                }
                if (signals * model.signalWeight() + time * model.silentRate() >= threshold) {
                    all += time;
                    fresh += changed < 0 ? time : changed;
                    break;
                }
            }
        }
        return new double[] {all / visits, fresh / all};
    }

    @Test
    void signalsOfLowPrecisionChangeNothing() {
        var lying = new ChangeModel(0.05, 0.3, 1);
        var plain = ChangeModel.withoutSignals(0.05);
        assertThat(RevisitPolicy.value(lying, lying.staleness(10, 10)))
                .isEqualTo(RevisitPolicy.value(plain, plain.staleness(10, 0)));
    }

    private static ChangeModel signalled(double rate, double recall, double precision) {
        return new ChangeModel(rate, recall, recall * rate * (1 / precision - 1));
    }
}
