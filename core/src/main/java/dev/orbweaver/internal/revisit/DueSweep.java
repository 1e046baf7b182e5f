package dev.orbweaver.internal.revisit;

import static dev.orbweaver.internal.revisit.ScheduleTime.DAY_SECONDS;
import static dev.orbweaver.internal.revisit.ScheduleTime.NEVER;
import static dev.orbweaver.internal.revisit.ScheduleTime.REQUESTED;

import dev.orbweaver.internal.revisit.RevisitSettings.Auto;
import dev.orbweaver.internal.revisit.RevisitStore.Field;

/**
 * Computes due times again when λ has moved by 5 %, and after two weeks.
 *
 * <p>A pass over all pages takes at least {@link #PASS_SECONDS}, so its cost per visit is small
 * however λ moves. Pages that it has not reached yet lose little: a search compares the values of
 * visits with the λ of its time. How far a pass is, is stored, so an opening continues it.
 */
final class DueSweep {

    /** The time of a pass over all pages, while λ moves little. */
    static final int PASS_SECONDS = 7 * DAY_SECONDS;

    private static final double LAMBDA_MOVED = 0.05;

    /** A pass is twice as fast, so that the next one begins sooner. */
    private static final double LAMBDA_FAR = 0.2;

    private static final int EVERY = 14 * DAY_SECONDS;

    /** At most, per call, which is some milliseconds. */
    private static final int PAGES_MAX = 1 << 15;

    private final RevisitStore store;
    private final VisitTimes times;
    private final RevisitRules rules;
    private final VisitBudget budget;
    private final DueQueue queue;
    private final boolean isNeeded;
    private int last;

    /** Pages to compute, of time that has passed, less than one. */
    private double due;

    DueSweep(
            RevisitStore store,
            VisitTimes times,
            RevisitRules rules,
            VisitBudget budget,
            DueQueue queue,
            RevisitSettings settings,
            int now) {
        this.store = store;
        this.times = times;
        this.rules = rules;
        this.budget = budget;
        this.queue = queue;
        this.isNeeded = settings.mode() instanceof Auto;
        this.last = now;
    }

    /** Computes as many due times as the time since the last call allows. */
    void run(int now) {
        var passed = Math.max(0, now - last);
        last = now;
        if (!isNeeded || !isRunning(now)) {
            return;
        }
        var pages = (double) passed * store.count() / PASS_SECONDS;
        due = Math.min(PAGES_MAX, due + (moved() > LAMBDA_FAR ? 2 * pages : pages));
        var begin = store.get(Field.SWEEP_PAGE);
        var end = Math.min(store.count(), begin + (long) due);
        due -= (int) due;
        for (var page = begin; page < end; page++) {
            compute((int) page);
        }
        store.put(Field.SWEEP_PAGE, end);
    }

    private boolean isRunning(int now) {
        if (store.get(Field.SWEEP_BEGUN) == 0) {
            begin(now);
        }
        if (store.get(Field.SWEEP_PAGE) < store.count()) {
            return true;
        }
        if (moved() <= LAMBDA_MOVED && now - store.get(Field.SWEEP_BEGUN) < EVERY) {
            return false;
        }
        begin(now);
        return true;
    }

    /** Returns by how much the logarithm of λ has moved since the pass began. */
    private double moved() {
        return Math.abs(Math.log(budget.lambda() / store.fraction(Field.SWEPT_LAMBDA)));
    }

    private void begin(int now) {
        store.put(Field.SWEEP_PAGE, 0);
        store.put(Field.SWEEP_BEGUN, now);
        store.put(Field.SWEPT_LAMBDA, budget.lambda());
    }

    private void compute(int page) {
        var before = store.due(page);
        if (before == REQUESTED || before < 0 || before == NEVER) {
            return;
        }
        var row = store.row(page);
        if (row.state() == PageState.PRESENT) {
            var next = rules.dueAt(row, times.model(row));
            if (next != before) {
                store.setDue(page, next);
                queue.add(page, next);
            }
        }
    }
}
