package dev.orbweaver.internal.revisit;

/**
 * The value of visiting a page, and from which staleness on a visit is worth its cost.
 *
 * <p><b>Problem.</b> A budget of visits is to be spent so that the sum of the pages' importance w
 * times the share of time in which the copy is fresh is as high as possible. Visiting each page as
 * often as it changes is worse than visiting all equally often (Cho and Garcia-Molina, Effective
 * page refresh policies for Web crawlers, 2003): visits to pages that change faster than they can
 * be visited buy nothing.
 *
 * <p><b>Policy.</b> At the optimum the last visit per day of every page buys the same, λ (Azar et
 * al., Tractable near-optimal policies for crawling, PNAS 2018; Kolobov et al., Staying up to date
 * with online content changes, 2019). Without signals the value of a visit at staleness x = Δτ is
 * (1 − (1 + x)e^−x)/Δ for each unit of importance: the fresh days that a visit at that interval
 * buys at the margin. A page is visited when w times its value reaches λ. The value never exceeds
 * 1/Δ, so a page of high rate and low importance may never be visited. Sources of new pages and of
 * signals are the exception ({@link RevisitRules#sourceInterval}).
 *
 * <p><b>Signals.</b> With change signals the interval is random: it ends when x = (1−r)Δτ + nβ
 * reaches a threshold X, where β = −ln(1 − p) for each of n signals. By the same argument the value
 * at the threshold is W(X) − e^−X·Ψ(X), with the expected interval Ψ and the expected fresh time W
 * in it (GREEDY-NCIS in Busa-Fekete et al., arXiv 2502.02430). Its derivative is e^−X·Ψ(X), so it
 * increases, and Newton's method finds the threshold for a λ. Using the formula without signals for
 * this x overestimates Ψ where most changes are signalled (ADR 25 has the difference).
 */
final class RevisitPolicy {

    /** At this staleness a copy is fresh with a probability of less than 10⁻⁹. */
    static final double STALENESS_MAX = 21;

    /**
     * Terms of the sums over signals. A signal weighs at least 0.28, so the first term left out
     * begins at x = 3.4, where a copy is almost surely stale.
     */
    private static final int TERMS = 12;

    /** The least of x/(1 − (1 + x)e^−x), where e^x = 1 + x + x². */
    private static final double INTERVAL_PER_VALUE = 3.351;

    private static final int STEPS_MAX = 60;
    private static final double PRECISE = 1e-6;

    private RevisitPolicy() {}

    /** Returns the value of a visit at a staleness, in fresh days per unit of importance. */
    static double value(ChangeModel model, double staleness) {
        if (staleness <= 0) {
            return 0;
        }
        return model.hasUsefulSignals()
                ? new SignalledValue(model, staleness).value
                : gain(staleness) / model.rate();
    }

    /**
     * Returns the shortest interval of pages that are visited at a value, at any rate of changes,
     * in days. A page that changes 0.54 times per value has it.
     *
     * @param value fresh days per unit of importance
     */
    static double shortestInterval(double value) {
        return INTERVAL_PER_VALUE * value;
    }

    /** Returns the expected days between visits of a page that is visited at a staleness. */
    static double expectedInterval(ChangeModel model, double staleness) {
        return model.hasUsefulSignals()
                ? new SignalledValue(model, staleness).interval
                : staleness / model.rate();
    }

    /** Returns the expected share of time in which such a page's copy is fresh. */
    static double expectedFreshness(ChangeModel model, double staleness) {
        if (!model.hasUsefulSignals()) {
            return -Math.expm1(-staleness) / staleness;
        }
        var at = new SignalledValue(model, staleness);
        return at.freshDays / at.interval;
    }

    /**
     * Returns the staleness at which a visit has a value; infinity if it never has.
     *
     * @param value fresh days per unit of importance
     */
    static double threshold(ChangeModel model, double value) {
        var share = value * model.rate();
        if (share >= gain(STALENESS_MAX)) {
            return Double.POSITIVE_INFINITY;
        }
        var plain = inverseGain(share);
        return model.hasUsefulSignals() ? signalledThreshold(model, value, plain) : plain;
    }

    private static double signalledThreshold(ChangeModel model, double value, double start) {
        var low = 0.0;
        var high = STALENESS_MAX;
        var x = start;
        for (var step = 0; step < STEPS_MAX; step++) {
            var at = new SignalledValue(model, x);
            var excess = at.value - value;
            if (Math.abs(excess) <= 1e-4 * value || high - low < PRECISE) {
                return x;
            }
            if (excess > 0) {
                high = x;
            } else {
                low = x;
            }
            var next = x - excess / (Math.exp(-x) * at.interval);
            x = next > low && next < high ? next : (low + high) / 2;
        }
        return x;
    }

    /**
     * 1 − (1 + x)e^−x, as a series where it would cancel out. {@code Math.exp} is an intrinsic of
     * the compiler and several times as fast as {@code Math.expm1}.
     */
    private static double gain(double x) {
        return x < 1e-3 ? x * x * (0.5 - x / 3) : 1 - (1 + x) * Math.exp(-x);
    }

    /**
     * Returns x where {@link #gain} is y. In closed form x = −1 − W₋₁((y − 1)/e) with Lambert's W;
     * three or four steps of Newton's method are as exact.
     */
    private static double inverseGain(double y) {
        var x = start(y);
        for (var step = 0; step < STEPS_MAX; step++) {
            var slope = x * Math.exp(-x);
            var next = x - (gain(x) - y) / slope;
            if (!(next > 0)) {
                next = x / 2;
            }
            if (Math.abs(next - x) <= PRECISE * x) {
                return next;
            }
            x = next;
        }
        return x;
    }

    private static double start(double y) {
        if (y < 0.6) {
            var root = Math.sqrt(2 * y);
            return Math.max(root + root * root / 3, Double.MIN_NORMAL);
        }
        var log = -Math.log(1 - y);
        return log + Math.log(1 + log + Math.log(1 + log));
    }

    /** Expected interval, expected fresh time and value at a threshold, where signals count. */
    private static final class SignalledValue {

        private final double interval;
        private final double freshDays;
        private final double value;

        SignalledValue(ChangeModel model, double threshold) {
            var silent = model.silentRate();
            var falseSignals = model.falseSignals();
            var signals = model.recall() * model.rate() + falseSignals;
            var weight = model.signalWeight();
            var intervals = 0.0;
            var fresh = 0.0;
            var factor = 1 / (signals + silent);
            for (var i = 0; i < TERMS && i * weight < threshold; i++) {
                // With i signals so far, the interval ends after this time at the latest.
                var days = (threshold - i * weight) / silent;
                intervals += moreThan(i, signals * days) / signals;
                fresh += factor * moreThan(i, (signals + silent) * days);
                factor *= falseSignals / (signals + silent);
            }
            interval = intervals;
            freshDays = fresh;
            value = fresh - Math.exp(-threshold) * intervals;
        }

        /** The probability that a Poisson number of this mean is more than i. */
        private static double moreThan(int i, double mean) {
            if (mean > 700) {
                return 1;
            }
            var term = Math.exp(-mean);
            var sum = term;
            for (var k = 1; k <= i; k++) {
                term *= mean / k;
                sum += term;
            }
            return 1 - sum;
        }
    }
}
