package dev.orbweaver.internal.revisit;

/**
 * Estimates rates from sums of observations.
 *
 * <p>An estimate is (a + S)/(a/Δ₀ + T): changes S in T observed days, and a prior Δ₀ that counts as
 * much as {@code a} changes. This is the mean of a gamma distribution, the conjugate prior of a
 * Poisson rate. A visit only shows whether a page changed since the last one, not how often, so a
 * change adds the expected number ({@link ChangeModel#expected}). That is one EM step per
 * observation; its fixed point is the maximum likelihood estimate, of which Cho and Garcia-Molina
 * (Estimating frequency of change, 2003) show that counting changed visits alone is biased.
 *
 * <p>Where the time of the last change is known, nothing has to be guessed. Seen backwards from the
 * visit, the time to that change is exponential, so the observation is one change in that time; the
 * days before it are not observed ({@link Exposure}).
 *
 * <p>Priors are in three levels: page, URL pattern, host. Pages of a pattern change at similar
 * rates, so its prior is strong.
 */
final class ChangeEstimate {

    /**
     * A guess for the first page of the first host. It is high, because a visit after a short
     * interval shows that a rate is low, but one after a long interval does not show that it is
     * high.
     */
    static final double RATE_FIRST = 1.0 / 10;

    private static final double HOST_WEIGHT = 1;
    private static final double PATTERN_WEIGHT = 1;

    /** Rates that differ by a factor of about two within a pattern have this weight. */
    private static final double PAGE_WEIGHT = 2;

    private static final double RATE_MIN = 1e-4;
    private static final double RATE_MAX = 1e3;

    /** Without evidence, a signal is more likely to be false. */
    private static final double RECALL_FIRST = 0.3;

    private static final double RECALL_WEIGHT = 2;
    private static final double FALSE_SIGNALS_FIRST = 0.05;
    private static final double FALSE_SIGNALS_DAYS = 20;

    private ChangeEstimate() {}

    /** Sums of what was observed on the pages of a host or URL pattern. */
    record Sums(
            double days,
            double changes,
            double signalDays,
            double trueSignals,
            double falseSignals,
            double silentChanges) {

        static final Sums NONE = new Sums(0, 0, 0, 0, 0, 0);

        /**
         * Halves everything from this many changes or days on, so that a host that changes its
         * behaviour is learned again, and so that small additions are not lost to rounding.
         */
        private static final double CHANGES_MAX = 500;

        private static final double DAYS_MAX = 100_000;

        Sums plus(
                Exposure exposure,
                double signalDays,
                int signals,
                ChangeModel.ExpectedChanges expected) {
            var sums =
                    new Sums(
                            days + exposure.days(),
                            changes + exposure.changes(),
                            this.signalDays + signalDays,
                            trueSignals + expected.signalled(),
                            falseSignals + Math.max(0, signals - expected.signalled()),
                            silentChanges + expected.silent());
            return sums.changes > CHANGES_MAX
                            || sums.trueSignals + sums.falseSignals > CHANGES_MAX
                            || sums.days > DAYS_MAX
                    ? sums.half()
                    : sums;
        }

        Sums half() {
            return new Sums(
                    days / 2,
                    changes / 2,
                    signalDays / 2,
                    trueSignals / 2,
                    falseSignals / 2,
                    silentChanges / 2);
        }
    }

    /**
     * What one visit shows of the rate: a number of changes in a number of days.
     *
     * <p>Of a page, the sum of these is all that is stored.
     */
    record Exposure(double days, double changes) {

        /** Older observations of a page lose weight from here on. */
        private static final double CHANGES_MAX = 30;

        private static final double DAYS_MAX = 1_500;

        Exposure plus(Exposure other) {
            var sum = new Exposure(days + other.days, changes + other.changes);
            return sum.changes > CHANGES_MAX || sum.days > DAYS_MAX
                    ? new Exposure(sum.days / 2, sum.changes / 2)
                    : sum;
        }
    }

    /** Returns what is known of a page from its own sums and those of its pattern and host. */
    static ChangeModel model(Exposure page, Sums pattern, Sums host) {
        var hostRate = rate(host.days, host.changes, HOST_WEIGHT, RATE_FIRST);
        var patternRate = rate(pattern.days, pattern.changes, PATTERN_WEIGHT, hostRate);
        var pageRate = rate(page.days, page.changes, PAGE_WEIGHT, patternRate);
        return new ChangeModel(
                Math.clamp(pageRate, RATE_MIN, RATE_MAX),
                recall(pattern, recall(host, RECALL_FIRST)),
                falseSignals(pattern, falseSignals(host, FALSE_SIGNALS_FIRST)));
    }

    private static double rate(double days, double changes, double weight, double prior) {
        return (weight + changes) / (weight / prior + days);
    }

    private static double recall(Sums sums, double prior) {
        return (RECALL_WEIGHT * prior + sums.trueSignals)
                / (RECALL_WEIGHT + sums.trueSignals + sums.silentChanges);
    }

    private static double falseSignals(Sums sums, double prior) {
        return (FALSE_SIGNALS_DAYS * prior + sums.falseSignals)
                / (FALSE_SIGNALS_DAYS + sums.signalDays);
    }
}
