package dev.orbweaver.internal.revisit;

import static dev.orbweaver.internal.revisit.ScheduleTime.REQUESTED;
import static dev.orbweaver.internal.revisit.ScheduleTime.seconds;

import dev.orbweaver.internal.revisit.RevisitRules.Rates;
import dev.orbweaver.internal.revisit.RevisitRules.Update;

import java.io.IOException;

/** Stores what visits and signals change in the state of a page. */
final class VisitUpdates {

    private final RevisitStore store;
    private final VisitTimes times;
    private final RevisitRules rules;
    private final DueQueue queue;

    VisitUpdates(RevisitStore store, VisitTimes times, RevisitRules rules, DueQueue queue) {
        this.store = store;
        this.times = times;
        this.rules = rules;
        this.queue = queue;
    }

    /** Applies a visit. A visit that was applied before changes nothing. */
    void observe(Observation visit) throws IOException {
        if (visit.first() > store.lastFirst()) {
            addPage(visit);
            return;
        }
        var page = store.find(visit.first());
        if (page < 0) {
            return; // A page that was compacted away, or a visit that began before the schedule.
        }
        var row = store.row(page);
        if (visit.line() <= row.last()) {
            return;
        }
        apply(page, store.urlHash(page), rules.again(row, visit, times.rates(row)));
    }

    private void addPage(Observation visit) throws IOException {
        store.reserve();
        var rates =
                new Rates(
                        store.sums(RevisitRules.patternBucket(visit.patternHash())),
                        store.sums(RevisitRules.hostBucket(visit.hostHash())));
        apply(store.count(), fold(visit.urlHash()), rules.first(visit, rates));
    }

    private void apply(int page, int urlHash, Update update) {
        if (update.rates().isPresent()) {
            var rates = update.rates().get();
            store.update(page, update.due(), urlHash, update.row(), rates.pattern(), rates.host());
        } else {
            store.update(page, update.due(), urlHash, update.row());
        }
        queue.add(page, update.due());
    }

    /** Ends the visit of a page that counts as queued, without a response. */
    void release(int page, int now) {
        var next = RevisitRules.unreachable(store.row(page));
        var due = rules.nextDue(next, now, times.rates(next));
        store.update(page, due, store.urlHash(page), next);
        queue.add(page, due);
    }

    /** Counts a signal, unless it is not newer than the last visit and the last signal. */
    void apply(int page, Signal signal, int now) {
        var row = store.row(page);
        if (row.host() != RevisitRules.hostBucket(signal.hostHash())) {
            return;
        }
        var since = Math.min(now, seconds(signal.time())) - row.visited();
        var signalled = Math.min(PageRow.SIGNALLED_MAX, since / PageRow.SIGNAL_UNIT + 1);
        if (since <= 0 || signalled <= row.signalled()) {
            return;
        }
        var next = row.signalled(Math.min(PageRow.SIGNALS_MAX, row.signals() + 1), signalled);
        var due = store.due(page);
        if (due >= 0 && due != REQUESTED) {
            due =
                    switch (row.state()) {
                        case PRESENT -> rules.dueAt(next, times.model(next));
                        case GONE -> now; // It may exist again.
                        case MISSING, UNREACHABLE -> due;
                    };
        }
        store.update(page, due, store.urlHash(page), next);
        queue.add(page, due);
    }

    static int fold(long hash) {
        return (int) (hash ^ (hash >>> 32));
    }
}
