package dev.orbweaver.internal.revisit;

import static dev.orbweaver.internal.revisit.ScheduleTime.DAY;
import static dev.orbweaver.internal.revisit.ScheduleTime.DAY_SECONDS;
import static dev.orbweaver.internal.revisit.ScheduleTime.REQUESTED;
import static dev.orbweaver.internal.revisit.ScheduleTime.seconds;

import dev.orbweaver.internal.revisit.ChangeEstimate.Exposure;
import dev.orbweaver.internal.revisit.ChangeModel.ExpectedChanges;

import java.io.IOException;

/** What visits and signals change in the state of a page. */
final class VisitUpdates {

    /** Last-Modified of a page that was just generated says nothing. */
    private static final int AGE_MIN = 3_600;

    private static final int AGE_MAX = 365 * DAY_SECONDS;

    /** A change that is known to be this small a part of the interval old counts as that old. */
    private static final double AGE_SHARE_MIN = 0.02;

    /** Two visits that find a page missing are this far apart, almost a day, before it is gone. */
    private static final int CONFIRMED_AFTER = 23 * 3_600;

    private final RevisitStore store;
    private final VisitTimes times;
    private final DueQueue queue;

    VisitUpdates(RevisitStore store, VisitTimes times, DueQueue queue) {
        this.store = store;
        this.times = times;
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
        switch (visit.result()) {
            case NEW, UNCHANGED, BOILERPLATE -> responded(page, row, visit, false);
            case CHANGED -> responded(page, row, visit, true);
            case GONE -> missing(page, row, visit);
            case NO_RESPONSE -> unreachable(page, row, visit);
        }
    }

    private void addPage(Observation visit) throws IOException {
        store.reserve();
        var time = seconds(visit.time());
        var state =
                switch (visit.result()) {
                    case GONE -> PageState.GONE;
                    case NO_RESPONSE -> PageState.UNREACHABLE;
                    case NEW, UNCHANGED, BOILERPLATE, CHANGED -> PageState.PRESENT;
                };
        var exposure =
                state == PageState.PRESENT && visit.changedAt().isPresent()
                        ? firstExposure(time - seconds(visit.changedAt().get()))
                        : new Exposure(0, 0);
        var row =
                new PageRow(
                        visit.first(),
                        visit.line(),
                        time,
                        exposure,
                        bucket(visit.patternHash(), 1),
                        bucket(visit.hostHash(), 2),
                        Importance.encode(visit.importance()),
                        state,
                        0,
                        0);
        var page = store.count();
        var due = times.nextDue(row, time);
        if (exposure.days() == 0) {
            store.update(page, due, fold(visit.urlHash()), row);
        } else {
            var pattern = store.sums(row.pattern()).plus(exposure, 0, 0, ExpectedChanges.NONE);
            var host = store.sums(row.host()).plus(exposure, 0, 0, ExpectedChanges.NONE);
            store.update(page, due, fold(visit.urlHash()), row, pattern, host);
        }
        queue.add(page, due);
    }

    /** At a first visit, only the age of the last change can be known. */
    private static Exposure firstExposure(int age) {
        if (age < AGE_MIN) {
            return new Exposure(0, 0);
        }
        return age < AGE_MAX ? new Exposure(age / DAY, 1) : new Exposure(AGE_MAX / DAY, 0);
    }

    private void responded(int page, PageRow row, Observation visit, boolean changed) {
        var time = Math.max(row.visited(), seconds(visit.time()));
        var days = (time - row.visited()) / DAY;
        var patternSums = store.sums(row.pattern());
        var hostSums = store.sums(row.host());
        var model = ChangeEstimate.model(row.exposure(), patternSums, hostSums);
        var expected = model.expected(days, row.signals(), changed);
        var exposure = new Exposure(days, expected.all());
        if (changed && visit.changedAt().isPresent()) {
            var age = (time - seconds(visit.changedAt().get())) / DAY;
            if (age >= 0 && age < days) {
                exposure = new Exposure(Math.max(age, AGE_SHARE_MIN * days), 1);
            }
        }
        var next =
                row.responded(
                        visit.line(),
                        time,
                        row.exposure().plus(exposure),
                        Importance.encode(visit.importance()));
        var pattern = patternSums.plus(exposure, days, row.signals(), expected);
        var host = hostSums.plus(exposure, days, row.signals(), expected);
        var due = times.dueAt(next, ChangeEstimate.model(next.exposure(), patternSums, hostSums));
        store.update(page, due, store.urlHash(page), next, pattern, host);
        queue.add(page, due);
    }

    private void missing(int page, PageRow row, Observation visit) {
        var time = seconds(visit.time());
        var next =
                switch (row.state()) {
                    case GONE -> row;
                    case MISSING ->
                            time - row.visited() < CONFIRMED_AFTER
                                    ? row
                                    : row.withState(PageState.GONE, time);
                    case PRESENT, UNREACHABLE -> row.withState(PageState.MISSING, time);
                };
        replace(page, next.withLast(visit.line()), time);
    }

    private void unreachable(int page, PageRow row, Observation visit) {
        replace(page, unreachable(row).withLast(visit.line()), seconds(visit.time()));
    }

    private static PageRow unreachable(PageRow row) {
        return row.state() == PageState.PRESENT
                ? row.withState(PageState.UNREACHABLE, row.visited())
                : row;
    }

    /** Ends the visit of a page that counts as queued, without a response. */
    void release(int page, int now) {
        replace(page, unreachable(store.row(page)), now);
    }

    private void replace(int page, PageRow next, int time) {
        var due = times.nextDue(next, time);
        store.update(page, due, store.urlHash(page), next);
        queue.add(page, due);
    }

    /** Counts a signal, unless it is not newer than the last visit and the last signal. */
    void apply(int page, Signal signal, int now) {
        var row = store.row(page);
        if (row.host() != bucket(signal.hostHash(), 2)) {
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
                        case PRESENT -> times.dueAt(next, times.model(next));
                        case GONE -> now; // It may exist again.
                        case MISSING, UNREACHABLE -> due;
                    };
        }
        store.update(page, due, store.urlHash(page), next);
        queue.add(page, due);
    }

    private static int bucket(long hash, long salt) {
        var mixed = (hash ^ (salt * 0x9E3779B97F4A7C15L)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 32)) * 0x94D049BB133111EBL;
        return (int) (mixed >>> 44);
    }

    static int fold(long hash) {
        return (int) (hash ^ (hash >>> 32));
    }
}
