package dev.orbweaver.internal.revisit;

import static dev.orbweaver.internal.revisit.ScheduleTime.REQUESTED;

import dev.orbweaver.internal.revisit.RevisitRules.Rates;
import dev.orbweaver.internal.revisit.RevisitSettings.Auto;

import java.time.Duration;
import java.util.Optional;

/** What the rules need of the store to compare pages: their rates, and which are requested. */
final class VisitTimes {

    /** How many pages are read for an average of all. */
    static final int SAMPLE = 1 << 14;

    private final RevisitStore store;
    private final RevisitSettings settings;
    private final VisitBudget budget;
    private final RevisitRules rules;

    VisitTimes(
            RevisitStore store, RevisitSettings settings, VisitBudget budget, RevisitRules rules) {
        this.store = store;
        this.settings = settings;
        this.budget = budget;
        this.rules = rules;
    }

    /** Returns what was observed on the pages of a page's URL pattern and host. */
    Rates rates(PageRow row) {
        return new Rates(store.sums(row.pattern()), store.sums(row.host()));
    }

    ChangeModel model(PageRow row) {
        return RevisitRules.model(row, rates(row));
    }

    /** Returns whether pages that are not due may be visited while budget is left. */
    boolean hasEarlyVisits() {
        return budget.isLimited()
                && settings.mode() instanceof Auto
                && budget.lambda() > VisitBudget.LAMBDA_MIN;
    }

    Optional<Duration> sourceInterval(PageRow row, ChangeModel model) {
        return rules.explainSource(row, model);
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
        return rules.rank(row, model(row), due, now);
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
            sum +=
                    Math.log(
                            RevisitRules.importance(row)
                                    * RevisitPolicy.value(model, model.rate() * interval));
            pages++;
        }
        return Math.exp(sum / pages);
    }
}
