package dev.orbweaver.internal.revisit;

import static dev.orbweaver.internal.revisit.ScheduleTime.REQUESTED;
import static dev.orbweaver.internal.revisit.ScheduleTime.seconds;

import dev.orbweaver.internal.revisit.Observation.Role;
import dev.orbweaver.internal.revisit.RevisitRules.Rates;
import dev.orbweaver.internal.revisit.RevisitRules.Update;
import dev.orbweaver.internal.revisit.RevisitStore.Field;

import java.io.IOException;

/** Stores what visits and signals change in the state of a page. */
final class VisitUpdates {

    /** The seeds of a long list are ordinary pages: it is a list of the pages that are wanted. */
    private static final int SEEDS_MAX = 1_000;

    private final RevisitStore store;
    private final VisitTimes times;
    private final RevisitRules rules;
    private final DueQueue queue;
    private final QueuedPages queued;

    VisitUpdates(
            RevisitStore store,
            VisitTimes times,
            RevisitRules rules,
            DueQueue queue,
            QueuedPages queued) {
        this.store = store;
        this.times = times;
        this.rules = rules;
        this.queue = queue;
        this.queued = queued;
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
        var update = rules.again(row, visit, times.rates(row));
        countSources((update.row().isSource() ? 1 : 0) - (row.isSource() ? 1 : 0));
        unqueue(page, row);
        apply(page, store.urlHash(page), update);
    }

    private void countSources(int more) {
        if (more != 0) {
            store.put(Field.SOURCES, Math.max(0, store.get(Field.SOURCES) + more));
        }
    }

    private void unqueue(int page, PageRow row) {
        if (store.due(page) < 0) {
            queued.remove(row.host());
        }
    }

    private void addPage(Observation visit) throws IOException {
        store.reserve();
        var first =
                visit.role() == Role.SEED && store.get(Field.SOURCES) >= SEEDS_MAX
                        ? visit.withRole(Role.PAGE)
                        : visit;
        var rates =
                new Rates(
                        store.sums(RevisitRules.patternBucket(visit.patternHash())),
                        store.sums(RevisitRules.hostBucket(visit.hostHash())));
        var update = rules.first(first, rates);
        countSources(update.row().isSource() ? 1 : 0);
        apply(store.count(), fold(visit.urlHash()), update);
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

    /** Makes a page that was dropped due again. */
    void restore(int page) {
        var row = store.row(page);
        store.setDue(page, rules.nextDue(row, row.visited(), times.rates(row)));
        queue.add(page, store.due(page));
    }

    /** Ends the visit of a page that counts as queued, without a response. */
    void release(int page, int now) {
        var row = store.row(page);
        unqueue(page, row);
        var next = RevisitRules.unreachable(row);
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
