package dev.orbweaver.internal.revisit;

/**
 * How a page changes, and how much its change signals say: three rates per day.
 *
 * <p>Changes are a Poisson process of rate Δ. A signal (sitemap, feed, IndexNow) reports a change
 * with probability {@code recall}, and reports without a change are a Poisson process of rate
 * {@code falseSignals}. This is the model of Busa-Fekete et al. 2025 (arXiv 2502.02430). The rate
 * of false signals is a parameter rather than the precision, because a host that reports all of its
 * pages every day has the same rate of false signals for each, but a precision that differs by page
 * as the rates of changes do.
 *
 * @param rate changes per day, Δ
 * @param recall share of the changes that are signalled, r
 * @param falseSignals signals without a change per day, ν
 */
record ChangeModel(double rate, double recall, double falseSignals) {

    /** With a recall of 1 a page without a signal would never be visited. */
    private static final double RECALL_MAX = 0.95;

    /** A precision of 1 would make the value of a signal infinite. */
    private static final double PRECISION_MAX = 0.99;

    /**
     * Signals of a lower precision are ignored: they say little, and the sums of {@link
     * RevisitPolicy} would need many terms.
     */
    private static final double PRECISION_MIN = 0.25;

    ChangeModel {
        recall = Math.min(recall, RECALL_MAX);
        falseSignals = Math.max(falseSignals, recall * rate * (1 / PRECISION_MAX - 1));
    }

    static ChangeModel withoutSignals(double rate) {
        return new ChangeModel(rate, 0, 0);
    }

    /** Returns the share of the signals that report a change, p. */
    double precision() {
        var signalled = recall * rate;
        return signalled == 0 ? 0 : signalled / (signalled + falseSignals);
    }

    boolean hasUsefulSignals() {
        return precision() >= PRECISION_MIN;
    }

    /** Returns the rate of the changes that no useful signal reports, per day: (1 − r)Δ. */
    double silentRate() {
        return hasUsefulSignals() ? (1 - recall) * rate : rate;
    }

    /**
     * Returns by how much a signal lowers the logarithm of the probability that a copy is fresh.
     */
    double signalWeight() {
        return hasUsefulSignals() ? -Math.log(1 - precision()) : 0;
    }

    /** Returns the staleness x of a copy: it is fresh with probability e^−x. */
    double staleness(double days, int signals) {
        return silentRate() * days + signals * signalWeight();
    }

    /**
     * Returns how many changes an observation stands for: the expected numbers of changes that were
     * signalled and that were not, given the interval, its signals and whether the page had
     * changed.
     *
     * <p>Without a change, all signals were false. Otherwise, a priori, each signal was a change
     * with probability p, and others are a Poisson number; that at least one of all these happened
     * divides both expectations by its probability. This is the E step of an EM algorithm whose M
     * step is {@link ChangeEstimate}. Without signals it is Δτ/(1 − e^−Δτ).
     */
    ExpectedChanges expected(double days, int signals, boolean changed) {
        if (!changed) {
            return ExpectedChanges.NONE;
        }
        var precision = precision();
        var silent = (1 - recall) * rate * days;
        var someChange = -Math.expm1(signals * Math.log1p(-precision) - silent);
        if (someChange < 1e-9) {
            return new ExpectedChanges(0, 1);
        }
        return new ExpectedChanges(signals * precision / someChange, silent / someChange);
    }

    /** Expected numbers of changes in an interval. */
    record ExpectedChanges(double signalled, double silent) {

        static final ExpectedChanges NONE = new ExpectedChanges(0, 0);

        double all() {
            return signalled + silent;
        }
    }
}
