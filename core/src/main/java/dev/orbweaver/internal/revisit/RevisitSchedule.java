package dev.orbweaver.internal.revisit;

import static dev.orbweaver.internal.revisit.ScheduleTime.DAY_SECONDS;
import static dev.orbweaver.internal.revisit.ScheduleTime.NEVER;
import static dev.orbweaver.internal.revisit.ScheduleTime.REQUESTED;
import static dev.orbweaver.internal.revisit.ScheduleTime.instant;
import static dev.orbweaver.internal.revisit.ScheduleTime.seconds;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.revisit.RevisitStore.Field;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * When each page of a crawl is visited again: state of all pages on disk, budget, and λ.
 *
 * <p><b>Input.</b> A follower of the page log passes every visit to {@link #observe}, in order, and
 * stores how far it is with {@link #position(long)}. A visit that was applied before changes
 * nothing, so after a kill the follower repeats what it is not sure of. {@link #signals} takes what
 * sitemaps, feeds and pushes say, {@link #request} the visits that a user wants.
 *
 * <p><b>Output.</b> {@link #due} returns the pages to visit now. To queue them in a frontier, call
 * {@link #offering} before the frontier stores its batch and {@link #offered} after; {@link
 * #recover} after an opening decides by the frontier's last batch. A page that is queued is not due
 * until its visit is observed.
 *
 * <p><b>Budget and λ</b> ({@link VisitBudget}). With each token of the budget the most valuable
 * page is visited, whether its due time is a little ahead or past, as GREEDY-NCIS does; so the
 * budget is spent exactly. Due times are computed with the λ of their time, and again when λ has
 * moved ({@link DueSweep}). Without a budget λ is {@link VisitBudget#LAMBDA_MIN}; with one it does
 * not fall below, and budget that no page is worth is not spent.
 *
 * <p>Methods may be called by several threads; each locks the schedule.
 */
public final class RevisitSchedule implements AutoCloseable {

    /** Pages that are due first, in memory. */
    private static final int QUEUE = 1 << 16;

    private static final int QUEUED_BIT = 1 << 30;

    private final RevisitStore store;
    private final RevisitSettings settings;
    private final DueQueue queue = new DueQueue(QUEUE);
    private final VisitBudget budget;
    private final VisitTimes times;
    private final VisitUpdates updates;
    private final DueSearch search;
    private final DueSweep sweep;
    private final QueuedPages queued = new QueuedPages();

    private RevisitSchedule(RevisitStore store, RevisitSettings settings, int now) {
        this.store = store;
        this.settings = settings;
        this.budget = new VisitBudget(store, settings);
        var rules = new RevisitRules(settings, budget::lambda, budget::sourceDays);
        this.times = new VisitTimes(store, settings, budget, rules);
        this.updates = new VisitUpdates(store, times, rules, queue, queued);
        this.search = new DueSearch(store, times, queue, queued);
        this.sweep = new DueSweep(store, times, rules, budget, queue, settings, now);
    }

    /** Opens the schedule in a directory, or begins one with the page log's position 0. */
    public static RevisitSchedule open(
            Disk disk, Path directory, RevisitSettings settings, Instant now) throws IOException {
        var store = RevisitStore.open(disk, directory);
        var schedule = new RevisitSchedule(store, settings, seconds(now));
        schedule.queued.count(store);
        return schedule;
    }

    /** Returns whether a directory has a schedule; a crawl that is being opened may have none. */
    public static boolean exists(Disk disk, Path directory) {
        return disk.exists(directory.resolve(RevisitStore.PAGES));
    }

    /**
     * Opens the schedule of a crawl that may be running, to look at it. Nothing may be changed
     * through it.
     *
     * @throws DamagedScheduleException if the files are damaged
     */
    public static RevisitSchedule read(
            Disk disk, Path directory, RevisitSettings settings, Instant now) throws IOException {
        return new RevisitSchedule(RevisitStore.read(disk, directory), settings, seconds(now));
    }

    /** Returns how far the page log has been applied, as the follower stored it. */
    public synchronized long position() {
        return store.get(Field.POSITION);
    }

    public synchronized void position(long position) {
        store.put(Field.POSITION, position);
    }

    public synchronized long pages() {
        return store.count();
    }

    /** Returns the value from which pages are visited, in fresh days times importance. */
    public synchronized double lambda() {
        return budget.lambda();
    }

    /** Replaces λ, for a fleet whose workers share it. */
    public synchronized void lambda(double lambda) {
        budget.lambda(lambda);
    }

    /** Returns the number of the last batch for which pages were marked. */
    public synchronized long batch() {
        return store.get(Field.BATCH);
    }

    /** Applies a visit. A visit that was applied before changes nothing. */
    public synchronized void observe(Observation visit) throws IOException {
        updates.observe(visit);
    }

    /**
     * Applies signals. A signal that is not newer than the page's last visit and last signal
     * changes nothing; so a sitemap can be read again and again.
     */
    public synchronized void signals(Iterable<Signal> signals, Instant now) {
        var byHash = new SignalTable(signals);
        if (byHash.isEmpty()) {
            return;
        }
        for (var page = 0; page < store.count(); page++) {
            var hash = store.urlHash(page);
            if (byHash.mayContain(hash)) {
                var row = page;
                byHash.forEach(hash, signal -> updates.apply(row, signal, seconds(now)));
            }
        }
    }

    /**
     * Makes a page due at once, before all others and beside the budget, unless it is queued or was
     * visited since a line.
     *
     * @param first line of its first visit
     * @param last line of the visit after which the user wants another one
     * @return whether the schedule has the page; if not, it must be queued without it
     */
    public synchronized boolean request(long first, long last) {
        var page = store.find(first);
        if (page < 0) {
            return false;
        }
        if (store.due(page) >= 0 && store.row(page).last() <= last) {
            store.forgetRecord();
            store.setDue(page, REQUESTED);
            queue.add(page, REQUESTED);
        }
        return true;
    }

    /**
     * Returns pages to visit now, the most valuable first: at most {@code max}, and no more than
     * the budget has room for. Nothing is marked; without {@link #offering} the same pages are
     * returned again.
     */
    public List<Due> due(Instant now, int max) {
        return due(now, max, Integer.MAX_VALUE);
    }

    /**
     * Returns pages to visit now, as {@link #due(Instant, int)} does.
     *
     * @param perHost no host has more pages in the frontier, with those that are returned
     */
    public synchronized List<Due> due(Instant now, int max, int perHost) {
        var time = seconds(now);
        budget.accrue(time, times);
        sweep.run(time);
        return max <= 0 ? List.of() : search.find(time, max, budget.room(max), perHost);
    }

    /** Returns how many pages wait in the frontier. */
    public synchronized int queued() {
        return queued.count();
    }

    /**
     * Marks pages that are about to be queued by a batch of the frontier, and spends their budget.
     *
     * @param batch number of the batch, higher than those before
     */
    public synchronized void offering(List<Due> pages, long batch, Instant now) {
        if (batch <= store.get(Field.BATCH)) {
            throw new IllegalArgumentException(
                    "batch %d after %d".formatted(batch, store.get(Field.BATCH)));
        }
        var time = seconds(now);
        store.forgetRecord();
        store.put(Field.BATCH, batch);
        for (var each : pages) {
            if (store.due(each.page()) >= 0) {
                queued.add(store.row(each.page()).host());
            }
            store.setDue(each.page(), offeringMark(time));
        }
        budget.spend(pages, time);
    }

    private static int offeringMark(int time) {
        return Integer.MIN_VALUE | (time >>> 1);
    }

    private static boolean isOffering(int due) {
        return due < 0 && (due & QUEUED_BIT) == 0;
    }

    /** Marks the pages of a batch as queued, after the frontier has stored it. */
    public synchronized void offered(List<Due> pages) {
        for (var each : pages) {
            var due = store.due(each.page());
            if (isOffering(due)) {
                store.setDue(each.page(), due | QUEUED_BIT);
            }
        }
    }

    /**
     * Decides about pages that were being queued when the process ended. Those that the frontier
     * does not have are due at once; their budget is spent. Pages that were dropped become due
     * again, because the crawl may have been opened with another scope.
     *
     * @param committedBatch the last batch that the frontier has stored
     * @return number of these pages
     */
    public synchronized int recover(long committedBatch) {
        var stored = store.get(Field.BATCH) <= committedBatch;
        var found = 0;
        for (var page = 0; page < store.count(); page++) {
            var due = store.due(page);
            if (isOffering(due)) {
                found++;
                if (!stored) {
                    queued.remove(store.row(page).host());
                }
                store.setDue(page, stored ? due | QUEUED_BIT : REQUESTED);
                queue.add(page, store.due(page));
            } else if (due == NEVER && store.row(page).state() != PageState.GONE) {
                updates.restore(page);
            }
        }
        return found;
    }

    /**
     * Ends the visit of a page without a response, if it is queued.
     *
     * @param first line of its first visit
     */
    public synchronized void release(long first, Instant now) {
        var page = store.find(first);
        if (page >= 0 && store.due(page) < 0) {
            updates.release(page, seconds(now));
        }
    }

    /**
     * Ends the visits of all pages that count as queued, without a response. The caller knows that
     * the frontier has none of them: the visits of a host that was given up are not in the log.
     */
    public synchronized void releaseQueued(Instant now) {
        for (var page = 0; page < store.count(); page++) {
            if (store.due(page) < 0) {
                updates.release(page, seconds(now));
            }
        }
    }

    /** Ends the visits of a page that the crawl must not request, until the next opening. */
    public synchronized void drop(Due page) {
        store.setDue(page.page(), NEVER);
    }

    /** Explains the schedule of a page by the line of its first visit. */
    public synchronized Optional<RevisitExplanation> explain(long first, Instant now) {
        var page = store.find(first);
        if (page < 0 || !store.isValid(page)) {
            return Optional.empty();
        }
        var row = store.row(page);
        var model = times.model(row);
        var due = store.due(page);
        return Optional.of(
                new RevisitExplanation(
                        row.state(),
                        instant(row.visited()),
                        RevisitRules.importance(row),
                        model.rate(),
                        model.recall(),
                        model.precision(),
                        row.signals(),
                        Math.exp(-RevisitRules.staleness(row, model, seconds(now))),
                        RevisitRules.value(row, model, seconds(now)),
                        budget.lambda(),
                        due < 0,
                        times.sourceInterval(row, model),
                        dueTime(due, now)));
    }

    private static Optional<Instant> dueTime(int due, Instant now) {
        if (due < 0 || due == NEVER) {
            return Optional.empty();
        }
        return Optional.of(due == REQUESTED ? now : instant(due));
    }

    public synchronized RevisitStatistics statistics(Instant now) {
        var time = seconds(now);
        var queued = 0;
        var due = 0;
        var overdue = 0;
        var gone = 0;
        for (var page = 0; page < store.count(); page++) {
            var at = store.due(page);
            if (at < 0) {
                queued++;
            } else if (at == NEVER) {
                gone += store.isValid(page) && store.row(page).state() == PageState.GONE ? 1 : 0;
            } else if (at <= time) {
                due++;
                overdue += at != REQUESTED && at < time - DAY_SECONDS ? 1 : 0;
            }
        }
        var fresh = freshness(time);
        return new RevisitStatistics(
                store.count(),
                queued,
                due,
                overdue,
                gone,
                fresh[0],
                fresh[1],
                budget.lambda(),
                budget.usedOn(time),
                settings.visitsPerDay());
    }

    private double[] freshness(int now) {
        var pages = 0;
        var fresh = 0.0;
        var weights = 0.0;
        var weighted = 0.0;
        var step = Math.max(1, store.count() / VisitTimes.SAMPLE);
        for (var page = 0; page < store.count(); page += step) {
            if (!store.isValid(page)) {
                continue; // The crawl that runs is writing it, or its schedule is damaged.
            }
            var row = store.row(page);
            if (row.state() != PageState.GONE) {
                var probability = Math.exp(-RevisitRules.staleness(row, times.model(row), now));
                var importance = RevisitRules.importance(row);
                pages++;
                fresh += probability;
                weights += importance;
                weighted += importance * probability;
            }
        }
        return new double[] {pages == 0 ? 1 : fresh / pages, pages == 0 ? 1 : weighted / weights};
    }

    /** Returns the bytes of the schedule's files. */
    public synchronized long bytes() {
        return store.size();
    }

    /** Syncs the files to the disk. */
    public synchronized void force() {
        store.force();
    }

    @Override
    public synchronized void close() {
        store.close();
    }
}
