package dev.orbweaver.internal.revisit;

import static dev.orbweaver.internal.revisit.ScheduleTime.DAY_SECONDS;

import dev.orbweaver.internal.revisit.RevisitSettings.Auto;
import dev.orbweaver.internal.revisit.RevisitStore.Field;

import java.time.Duration;
import java.util.List;

/**
 * The budget of visits, and λ.
 *
 * <p>A token bucket spends the budget evenly. λ, the value from which a page is due, follows the
 * values of the visits that are made: it is moved so that two fifths of them are below it, because
 * signals raise the values of some pages far above.
 */
final class VisitBudget {

    /**
     * A visit must buy 2.4 hours of freshness of a page of importance 1: a page that changes once a
     * day is visited every 13 hours, one that changes once a year every 8 days.
     */
    static final double LAMBDA_MIN = 0.1;

    /** Without a budget, a source that changes every day is visited every day. */
    static final double SOURCE_DAYS = 1;

    /**
     * What the budget of this time accrues to, at most, while nothing is due or no page is
     * requested.
     */
    static final Duration TOKENS_TIME = Duration.ofHours(2);

    /**
     * The share of the budget that visits of sources may take which their freshness is not worth.
     */
    private static final double SOURCES_SHARE = 0.1;

    private static final double HOUR_AS_DAYS = 1.0 / 24;

    private final RevisitStore store;
    private final RevisitSettings settings;

    VisitBudget(RevisitStore store, RevisitSettings settings) {
        this.store = store;
        this.settings = settings;
    }

    boolean isLimited() {
        return settings.visitsPerDay().isPresent();
    }

    double lambda() {
        var stored = store.fraction(Field.LAMBDA);
        return settings.visitsPerDay().isEmpty() || stored == 0 ? LAMBDA_MIN : stored;
    }

    void lambda(double lambda) {
        store.put(Field.LAMBDA, Math.max(LAMBDA_MIN, lambda));
    }

    /**
     * Returns the shortest interval of visits that are made only because a page is a source, in
     * days. With a budget, all sources together take at most {@link #SOURCES_SHARE} of it for such
     * visits.
     */
    double sourceDays() {
        return settings.visitsPerDay().isEmpty()
                ? SOURCE_DAYS
                : Math.max(
                        HOUR_AS_DAYS,
                        store.get(Field.SOURCES)
                                / (SOURCES_SHARE * settings.visitsPerDay().getAsDouble()));
    }

    /** Adds the tokens of the time since the last call. */
    void accrue(int now, VisitTimes times) {
        if (settings.visitsPerDay().isEmpty()) {
            return;
        }
        var perDay = settings.visitsPerDay().getAsDouble();
        var before = (int) store.get(Field.TOKENS_AT);
        var tokens = before == 0 ? 1 : store.fraction(Field.TOKENS);
        var since = before == 0 ? now : before;
        store.put(Field.TOKENS, RevisitRules.accrued(tokens, since, now, perDay));
        store.put(Field.TOKENS_AT, now);
        if (store.fraction(Field.LAMBDA) == 0 && store.count() > 0) {
            lambda(times.firstLambda(perDay));
        }
    }

    /** Returns how many visits the budget has room for. */
    int room(int max) {
        return isLimited() ? (int) Math.clamp(store.fraction(Field.TOKENS), 0, (double) max) : max;
    }

    /** Counts visits as made, and moves λ. A visit that was requested costs no budget. */
    void spend(List<Due> pages, int now) {
        var today = now / DAY_SECONDS;
        if (store.get(Field.DAY) != today) {
            store.put(Field.DAY, today);
            store.put(Field.USED, 0);
        }
        var lambda = lambda();
        var chosen = 0;
        var below = 0;
        for (var page : pages) {
            chosen += page.isRequested() ? 0 : 1;
            below += page.value() < lambda ? 1 : 0;
        }
        store.put(Field.USED, store.get(Field.USED) + chosen);
        if (settings.visitsPerDay().isEmpty()) {
            return;
        }
        store.put(Field.TOKENS, Math.max(0, store.fraction(Field.TOKENS) - chosen));
        if (settings.mode() instanceof Auto) {
            var perDay = settings.visitsPerDay().getAsDouble();
            lambda(RevisitRules.followed(lambda, chosen, below, perDay));
        }
    }

    long usedOn(int now) {
        return store.get(Field.DAY) == now / DAY_SECONDS ? store.get(Field.USED) : 0;
    }
}
