package dev.orbweaver.internal.revisit;

import static dev.orbweaver.internal.revisit.ScheduleTime.DAY;
import static dev.orbweaver.internal.revisit.ScheduleTime.DAY_SECONDS;
import static dev.orbweaver.internal.revisit.ScheduleTime.NEVER;
import static dev.orbweaver.internal.revisit.ScheduleTime.REQUESTED;
import static dev.orbweaver.internal.revisit.ScheduleTime.after;

import dev.orbweaver.internal.revisit.RevisitSettings.Auto;
import dev.orbweaver.internal.revisit.RevisitSettings.Every;

/** When a page is due, and what a visit of it is worth, by its row, its rates and λ. */
final class VisitTimes {

    /** How many pages are read for an average of all. */
    static final int SAMPLE = 1 << 14;

    private static final double[] IMPORTANCE = importance();

    private final RevisitStore store;
    private final RevisitSettings settings;
    private final VisitBudget budget;

    VisitTimes(RevisitStore store, RevisitSettings settings, VisitBudget budget) {
        this.store = store;
        this.settings = settings;
        this.budget = budget;
    }

    private static double[] importance() {
        var table = new double[256];
        for (var code = 0; code < table.length; code++) {
            table[code] = Importance.decode((byte) code);
        }
        return table;
    }

    static double importance(PageRow row) {
        return IMPORTANCE[row.importance() & 0xFF];
    }

    ChangeModel model(PageRow row) {
        return ChangeEstimate.model(
                row.exposure(), store.sums(row.pattern()), store.sums(row.host()));
    }

    /** Returns when a page is due after a visit at a time. */
    int nextDue(PageRow row, int time) {
        return switch (row.state()) {
            case PRESENT -> dueAt(row, model(row));
            case MISSING -> after(row.visited(), DAY_SECONDS);
            case GONE -> NEVER;
            // The delay doubles about every second time, because the last response is the longer
            // ago.
            case UNREACHABLE ->
                    after(time, Math.max(DAY_SECONDS, (time - (long) row.visited()) / 2));
        };
    }

    int dueAt(PageRow row, ChangeModel model) {
        return switch (settings.mode()) {
            case Every(var interval) -> after(row.visited(), interval.toSeconds());
            case Auto() -> after(row.visited(), interval(row, model));
        };
    }

    private long interval(PageRow row, ChangeModel model) {
        var threshold = RevisitPolicy.threshold(model, budget.lambda() / importance(row));
        var days = (threshold - row.signals() * model.signalWeight()) / model.silentRate();
        if (row.signals() == PageRow.SIGNALS_MAX) {
            days = Math.min(days, threshold / model.rate()); // There may have been more.
        }
        return (long)
                Math.clamp(
                        days * DAY,
                        (double) settings.minInterval().toSeconds(),
                        (double) longestInterval(row));
    }

    /**
     * Returns the longest interval of a page: half of the maximum up to all of it, by its first
     * line, because pages that are never worth a visit were often visited together before.
     */
    private long longestInterval(PageRow row) {
        var most = settings.maxInterval().toSeconds();
        var share = ((row.first() * 0x9E3779B97F4A7C15L) >>> 33) / 0x1p31;
        return most - (long) (most * share / 2);
    }

    /** Returns what a visit now buys, in fresh days times importance. */
    double value(PageRow row, ChangeModel model, int now) {
        return importance(row) * RevisitPolicy.value(model, staleness(row, model, now));
    }

    double staleness(PageRow row, ChangeModel model, int now) {
        var days = Math.max(0, now - row.visited()) / DAY;
        var staleness = model.staleness(days, row.signals());
        return row.signals() == PageRow.SIGNALS_MAX
                ? Math.max(staleness, model.rate() * days)
                : staleness;
    }

    /** Returns whether pages that are not due may be visited while budget is left. */
    boolean hasEarlyVisits() {
        return budget.isLimited()
                && settings.mode() instanceof Auto
                && budget.lambda() > VisitBudget.LAMBDA_MIN;
    }

    boolean mayBeEarly(PageRow row, int now) {
        return hasEarlyVisits()
                && row.state() == PageState.PRESENT
                && now - row.visited() >= settings.minInterval().toSeconds();
    }

    /**
     * Returns the value of a visit; at least λ for pages that are due for another reason than their
     * value.
     */
    double rank(PageRow row, int due, int now) {
        if (due == REQUESTED) {
            return Due.REQUESTED;
        }
        return switch (settings.mode()) {
            case Every(var interval) ->
                    (now - (double) row.visited()) / Math.max(1, interval.toSeconds());
            case Auto() -> {
                var value = value(row, model(row), now);
                var other =
                        row.state() != PageState.PRESENT
                                || now - row.visited() >= longestInterval(row);
                yield due <= now && other ? Math.max(budget.lambda(), value) : value;
            }
        };
    }

    /** The mean value, in the logarithm, of visits that are as far apart for all pages. */
    double firstLambda(double perDay) {
        var interval = store.count() / perDay;
        var sum = 0.0;
        var step = Math.max(1, store.count() / SAMPLE);
        var pages = 0;
        for (var page = 0; page < store.count(); page += step) {
            var row = store.row(page);
            var model = model(row);
            sum += Math.log(importance(row) * RevisitPolicy.value(model, model.rate() * interval));
            pages++;
        }
        return Math.exp(sum / pages);
    }
}
