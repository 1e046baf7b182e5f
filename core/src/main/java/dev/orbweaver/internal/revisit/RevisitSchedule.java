package dev.orbweaver.internal.revisit;

import static dev.orbweaver.internal.revisit.RevisitStore.Field;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.revisit.ChangeEstimate.Exposure;
import dev.orbweaver.internal.revisit.ChangeModel.ExpectedChanges;
import dev.orbweaver.internal.revisit.RevisitSettings.Auto;
import dev.orbweaver.internal.revisit.RevisitSettings.Every;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * When each page of a crawl is visited again: state of all pages on disk, budget, and λ.
 *
 * <p><b>Input.</b> A follower of the page log passes every visit to {@link #observe}, in order, and
 * stores how far it is with {@link #position(long)}. A visit that was applied before changes
 * nothing, so after a kill the follower repeats what it is not sure of. {@link #signals} takes what
 * sitemaps, feeds and pushes say.
 *
 * <p><b>Output.</b> {@link #due} returns the pages to visit now. To queue them in a frontier, call
 * {@link #offering} before the frontier stores its batch and {@link #offered} after; {@link
 * #recover} after an opening decides by the frontier's last batch. A page that is queued is not due
 * until its visit is observed.
 *
 * <p><b>Budget and λ.</b> A token bucket spends the budget evenly, at most what accrues in {@link
 * #TOKENS_TIME} at once. With each token the most valuable page is visited, whether its due time is
 * a little ahead or past, as GREEDY-NCIS does; so the budget is spent exactly. λ, the value from
 * which a page is due, follows the values of the visits that are made: it is moved so that two
 * fifths of them are below it, because signals raise the values of some pages far above. Due times
 * are computed with the λ of their time. When λ has moved by 5 %, or after a week, they are
 * computed again, some thousand pages per call. Without a budget λ is {@link #LAMBDA_MIN}; with one
 * it does not fall below, and budget that no page is worth is not spent.
 *
 * <p>Methods may be called by several threads; each locks the schedule.
 */
public final class RevisitSchedule implements AutoCloseable {

    /** The due time of a page that is not visited again. */
    static final int NEVER = Integer.MAX_VALUE;

    /**
     * A visit must buy 2.4 hours of freshness of a page of importance 1: a page that changes once a
     * day is visited every 13 hours, one that changes once a year every 8 days.
     */
    static final double LAMBDA_MIN = 0.1;

    /**
     * What the budget of this time accrues to, at most, while nothing is due or no page is
     * requested.
     */
    static final Duration TOKENS_TIME = Duration.ofHours(2);

    private static final Instant EPOCH = Instant.parse("2020-01-01T00:00:00Z");
    private static final double DAY = 86_400;
    private static final int DAY_SECONDS = 86_400;

    /** How far the logarithm of λ would move in a day if all visits were below it. */
    private static final double LAMBDA_PER_DAY = 0.7;

    private static final double BELOW_LAMBDA = 0.4;
    private static final double LAMBDA_MOVED = 0.05;
    private static final int SWEEP_EVERY = 7 * DAY_SECONDS;
    private static final int SWEEP_PAGES = 1 << 14;
    private static final int QUEUE = 1 << 15;

    /** Last-Modified of a page that was just generated says nothing. */
    private static final int AGE_MIN = 3_600;

    private static final int AGE_MAX = 365 * DAY_SECONDS;

    /** A change that is known to be this small a part of the interval old counts as that old. */
    private static final double AGE_SHARE_MIN = 0.02;

    /** Two visits that find a page missing are this far apart, almost a day, before it is gone. */
    private static final int CONFIRMED_AFTER = 23 * 3_600;

    private static final int SAMPLE = 1 << 14;
    private static final int QUEUED_BIT = 1 << 30;
    private static final double[] IMPORTANCE = importance();

    private final RevisitStore store;
    private final RevisitSettings settings;
    private final DueQueue queue = new DueQueue(QUEUE);
    private double sweptLambda;
    private int sweptAt;
    private int cursor;

    private RevisitSchedule(RevisitStore store, RevisitSettings settings, int now) {
        this.store = store;
        this.settings = settings;
        this.sweptAt = now;
        this.cursor = settings.mode() instanceof Auto ? 0 : Integer.MAX_VALUE;
        this.sweptLambda = lambda();
    }

    /** Opens the schedule in a directory, or begins one with the page log's position 0. */
    public static RevisitSchedule open(
            Disk disk, Path directory, RevisitSettings settings, Instant now) throws IOException {
        return new RevisitSchedule(RevisitStore.open(disk, directory), settings, seconds(now));
    }

    /** Returns whether a directory has a schedule; a crawl that is being opened may have none. */
    public static boolean exists(Disk disk, Path directory) {
        return disk.exists(directory.resolve(RevisitStore.PAGES));
    }

    /**
     * Opens the schedule of a crawl that may be running, to look at it. Nothing may be changed
     * through it.
     */
    public static RevisitSchedule read(
            Disk disk, Path directory, RevisitSettings settings, Instant now) throws IOException {
        return new RevisitSchedule(RevisitStore.read(disk, directory), settings, seconds(now));
    }

    private static double[] importance() {
        var table = new double[256];
        for (var code = 0; code < table.length; code++) {
            table[code] = Importance.decode((byte) code);
        }
        return table;
    }

    private static double importance(PageRow row) {
        return IMPORTANCE[row.importance() & 0xFF];
    }

    private static int seconds(Instant time) {
        return (int) Math.clamp(time.getEpochSecond() - EPOCH.getEpochSecond(), 0L, NEVER - 1L);
    }

    private static Instant instant(int seconds) {
        return EPOCH.plusSeconds(seconds);
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
        var stored = store.fraction(Field.LAMBDA);
        return settings.visitsPerDay().isEmpty() || stored == 0 ? LAMBDA_MIN : stored;
    }

    /** Replaces λ, for a fleet whose workers share it. */
    public synchronized void lambda(double lambda) {
        store.put(Field.LAMBDA, Math.max(LAMBDA_MIN, lambda));
    }

    /** Returns the number of the last batch for which pages were marked. */
    public synchronized long batch() {
        return store.get(Field.BATCH);
    }

    /** Applies a visit. A visit that was applied before changes nothing. */
    public synchronized void observe(Observation visit) throws IOException {
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
        var due = nextDue(row, time);
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
        var model = model(row);
        var expected = model.expected(days, row.signals(), changed);
        var exposure = new Exposure(days, expected.all());
        if (changed && visit.changedAt().isPresent()) {
            var age = (time - seconds(visit.changedAt().get())) / DAY;
            if (age >= 0 && age < days) {
                exposure = new Exposure(Math.max(age, AGE_SHARE_MIN * days), 1);
            }
        }
        var next =
                new PageRow(
                        row.first(),
                        visit.line(),
                        time,
                        row.exposure().plus(exposure),
                        row.pattern(),
                        row.host(),
                        Importance.encode(visit.importance()),
                        PageState.PRESENT,
                        0,
                        0);
        var pattern = store.sums(row.pattern()).plus(exposure, days, row.signals(), expected);
        var host = store.sums(row.host()).plus(exposure, days, row.signals(), expected);
        var due = nextDue(next, time);
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
                                    : with(row, PageState.GONE, time);
                    case PRESENT, UNREACHABLE -> with(row, PageState.MISSING, time);
                };
        replace(page, next, visit.line(), nextDue(next, time));
    }

    private void unreachable(int page, PageRow row, Observation visit) {
        var time = seconds(visit.time());
        var next =
                row.state() == PageState.PRESENT
                        ? with(row, PageState.UNREACHABLE, row.visited())
                        : row;
        replace(page, next, visit.line(), nextDue(next, time));
    }

    private static PageRow with(PageRow row, PageState state, int visited) {
        return new PageRow(
                row.first(),
                row.last(),
                visited,
                row.exposure(),
                row.pattern(),
                row.host(),
                row.importance(),
                state,
                visited == row.visited() ? row.signals() : 0,
                visited == row.visited() ? row.signalled() : 0);
    }

    private void replace(int page, PageRow row, long line, int due) {
        var next =
                new PageRow(
                        row.first(),
                        line,
                        row.visited(),
                        row.exposure(),
                        row.pattern(),
                        row.host(),
                        row.importance(),
                        row.state(),
                        row.signals(),
                        row.signalled());
        store.update(page, due, store.urlHash(page), next);
        queue.add(page, due);
    }

    /** Returns when a page is due after a visit at a time. */
    private int nextDue(PageRow row, int time) {
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

    private ChangeModel model(PageRow row) {
        return ChangeEstimate.model(
                row.exposure(), store.sums(row.pattern()), store.sums(row.host()));
    }

    private int dueAt(PageRow row, ChangeModel model) {
        return switch (settings.mode()) {
            case Every(var interval) -> after(row.visited(), interval.toSeconds());
            case Auto() -> after(row.visited(), interval(row, model));
        };
    }

    private long interval(PageRow row, ChangeModel model) {
        var threshold = RevisitPolicy.threshold(model, lambda() / importance(row));
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

    private static int after(int time, long seconds) {
        return (int) Math.min(NEVER - 1L, time + seconds);
    }

    /** Returns what a visit now buys, in fresh days times importance. */
    private double value(PageRow row, ChangeModel model, int now) {
        return importance(row) * RevisitPolicy.value(model, staleness(row, model, now));
    }

    private static double staleness(PageRow row, ChangeModel model, int now) {
        var days = Math.max(0, now - row.visited()) / DAY;
        var staleness = model.staleness(days, row.signals());
        return row.signals() == PageRow.SIGNALS_MAX
                ? Math.max(staleness, model.rate() * days)
                : staleness;
    }

    private static int bucket(long hash, long salt) {
        var mixed = (hash ^ (salt * 0x9E3779B97F4A7C15L)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 32)) * 0x94D049BB133111EBL;
        return (int) (mixed >>> 44);
    }

    static int fold(long hash) {
        return (int) (hash ^ (hash >>> 32));
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
                byHash.forEach(hash, signal -> apply(row, signal, seconds(now)));
            }
        }
    }

    private void apply(int page, Signal signal, int now) {
        var row = store.row(page);
        if (row.host() != bucket(signal.hostHash(), 2)) {
            return;
        }
        var since = Math.min(now, seconds(signal.time())) - row.visited();
        var signalled = Math.min(PageRow.SIGNALLED_MAX, since / PageRow.SIGNAL_UNIT + 1);
        if (since <= 0 || signalled <= row.signalled()) {
            return;
        }
        var next =
                new PageRow(
                        row.first(),
                        row.last(),
                        row.visited(),
                        row.exposure(),
                        row.pattern(),
                        row.host(),
                        row.importance(),
                        row.state(),
                        Math.min(PageRow.SIGNALS_MAX, row.signals() + 1),
                        signalled);
        var due = store.due(page);
        if (due >= 0) {
            due =
                    switch (row.state()) {
                        case PRESENT -> dueAt(next, model(next));
                        case GONE -> now; // It may exist again.
                        case MISSING, UNREACHABLE -> due;
                    };
        }
        store.update(page, due, store.urlHash(page), next);
        queue.add(page, due);
    }

    /**
     * Returns pages to visit now, the most valuable first: at most {@code max}, and no more than
     * the budget has room for. Nothing is marked; without {@link #offering} the same pages are
     * returned again.
     */
    public synchronized List<Due> due(Instant now, int max) {
        var time = seconds(now);
        accrue(time);
        sweep(time);
        var budget = settings.visitsPerDay();
        var wanted = budget.isEmpty() ? max : (int) Math.min(max, store.fraction(Field.TOKENS));
        if (wanted <= 0) {
            return List.of();
        }
        var found = candidates(time, wanted, budget.isPresent());
        return found.stream()
                .sorted(
                        Comparator.comparingDouble(Due::value)
                                .reversed()
                                .thenComparingInt(Due::page))
                .limit(wanted)
                .toList();
    }

    /** Returns the pages that are due first, twice as many as wanted. */
    private List<Due> candidates(int now, int wanted, boolean early) {
        var found = new ArrayList<Due>();
        var polled = new ArrayList<Long>();
        var enough = 2L * wanted;
        var attempts = 2 * enough + 2L * QUEUE;
        var filled = false;
        var seen = new HashSet<Integer>();
        while (found.size() < enough && attempts-- > 0) {
            if (queue.isIncomplete()) {
                if (filled) {
                    break; // Another fill would return the same pages.
                }
                queue.fill(store);
                filled = true;
            }
            var entry = queue.poll();
            if (entry == DueQueue.NONE) {
                break;
            }
            var page = DueQueue.page(entry);
            var due = DueQueue.due(entry);
            if (store.due(page) != due || !seen.add(page)) {
                continue; // Its due time has changed, or it was added before.
            }
            var row = store.row(page);
            if (due > now && !mayBeEarly(row, early, now)) {
                polled.add(entry);
                if (!early) {
                    break;
                }
                continue;
            }
            polled.add(entry);
            found.add(new Due(page, row.first(), row.last(), rank(row, due, now), instant(due)));
        }
        polled.forEach(queue::restore);
        return found;
    }

    private boolean mayBeEarly(PageRow row, boolean early, int now) {
        return early
                && settings.mode() instanceof Auto
                && lambda() > LAMBDA_MIN
                && row.state() == PageState.PRESENT
                && now - row.visited() >= settings.minInterval().toSeconds();
    }

    /**
     * Returns the value of a visit; at least λ for pages that are due for another reason than their
     * value.
     */
    private double rank(PageRow row, int due, int now) {
        return switch (settings.mode()) {
            case Every(var interval) ->
                    (now - (double) row.visited()) / Math.max(1, interval.toSeconds());
            case Auto() -> {
                var value = value(row, model(row), now);
                var other =
                        row.state() != PageState.PRESENT
                                || now - row.visited() >= longestInterval(row);
                yield due <= now && other ? Math.max(lambda(), value) : value;
            }
        };
    }

    private void accrue(int now) {
        if (settings.visitsPerDay().isEmpty()) {
            return;
        }
        var perDay = settings.visitsPerDay().getAsDouble();
        var before = (int) store.get(Field.TOKENS_AT);
        var tokens = before == 0 ? 1 : store.fraction(Field.TOKENS);
        var most = Math.max(1, perDay * TOKENS_TIME.toSeconds() / DAY);
        var accrued = before == 0 ? 0 : Math.max(0, now - before) / DAY * perDay;
        store.put(Field.TOKENS, Math.min(most, tokens + accrued));
        store.put(Field.TOKENS_AT, now);
        if (store.fraction(Field.LAMBDA) == 0 && store.count() > 0) {
            lambda(firstLambda(perDay));
        }
    }

    /** The mean value, in the logarithm, of visits that are as far apart for all pages. */
    private double firstLambda(double perDay) {
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

    /** Computes some due times again, if λ has moved or time has passed. */
    private void sweep(int now) {
        if (cursor >= store.count()) {
            var moved = Math.abs(Math.log(lambda() / sweptLambda)) > LAMBDA_MOVED;
            if (!(settings.mode() instanceof Auto) || (!moved && now - sweptAt < SWEEP_EVERY)) {
                return;
            }
            cursor = 0;
            sweptAt = now;
            sweptLambda = lambda();
        }
        var end = (int) Math.min(store.count(), (long) cursor + SWEEP_PAGES);
        for (; cursor < end; cursor++) {
            computeDue(cursor);
        }
    }

    private void computeDue(int page) {
        var before = store.due(page);
        if (before < 0 || before == NEVER) {
            return;
        }
        var row = store.row(page);
        if (row.state() == PageState.PRESENT) {
            var due = dueAt(row, model(row));
            if (due != before) {
                store.setDue(page, due);
                queue.add(page, due);
            }
        }
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
            store.setDue(each.page(), offeringMark(time));
        }
        spend(pages, time);
    }

    private static int offeringMark(int time) {
        return Integer.MIN_VALUE | (time >>> 1);
    }

    private static boolean isOffering(int due) {
        return due < 0 && (due & QUEUED_BIT) == 0;
    }

    private void spend(List<Due> pages, int now) {
        var today = now / DAY_SECONDS;
        if (store.get(Field.DAY) != today) {
            store.put(Field.DAY, today);
            store.put(Field.USED, 0);
        }
        store.put(Field.USED, store.get(Field.USED) + pages.size());
        if (settings.visitsPerDay().isEmpty()) {
            return;
        }
        store.put(Field.TOKENS, store.fraction(Field.TOKENS) - pages.size());
        if (settings.mode() instanceof Auto) {
            follow(pages, settings.visitsPerDay().getAsDouble());
        }
    }

    /** Moves λ towards the value below which two fifths of the visits are. */
    private void follow(List<Due> pages, double perDay) {
        var lambda = lambda();
        var below = pages.stream().filter(each -> each.value() < lambda).count();
        var step = BELOW_LAMBDA * pages.size() - below;
        lambda(lambda * Math.exp(LAMBDA_PER_DAY * Math.clamp(step / perDay, -0.5, 0.5)));
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
     * Decides about pages that were being queued when the process ended.
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
                var row = store.row(page);
                store.setDue(page, stored ? due | QUEUED_BIT : nextDue(row, row.visited()));
                queue.add(page, store.due(page));
            }
        }
        return found;
    }

    /**
     * Ends the visits of all pages that count as queued, without a response. The caller knows that
     * the frontier has none of them: the visits of a host that was given up are not in the log.
     */
    public synchronized void releaseQueued(Instant now) {
        for (var page = 0; page < store.count(); page++) {
            if (store.due(page) < 0) {
                var row = store.row(page);
                var state = row.state() == PageState.PRESENT ? PageState.UNREACHABLE : row.state();
                var next = with(row, state, row.visited());
                replace(page, next, row.last(), nextDue(next, seconds(now)));
            }
        }
    }

    /** Ends the visits of a page that the crawl must not request any more. */
    public synchronized void drop(Due page) {
        store.setDue(page.page(), NEVER);
    }

    /** Explains the schedule of a page by the line of its first visit. */
    public synchronized Optional<RevisitExplanation> explain(long first, Instant now) {
        var page = store.find(first);
        if (page < 0) {
            return Optional.empty();
        }
        var row = store.row(page);
        var model = model(row);
        var due = store.due(page);
        return Optional.of(
                new RevisitExplanation(
                        row.state(),
                        instant(row.visited()),
                        importance(row),
                        model.rate(),
                        model.recall(),
                        model.precision(),
                        row.signals(),
                        Math.exp(-staleness(row, model, seconds(now))),
                        value(row, model, seconds(now)),
                        lambda(),
                        due < 0,
                        due < 0 || due == NEVER ? Optional.empty() : Optional.of(instant(due))));
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
                gone++;
            } else if (at <= time) {
                due++;
                overdue += at < time - DAY_SECONDS ? 1 : 0;
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
                lambda(),
                store.get(Field.DAY) == time / DAY_SECONDS ? store.get(Field.USED) : 0,
                settings.visitsPerDay());
    }

    private double[] freshness(int now) {
        var pages = 0;
        var fresh = 0.0;
        var weights = 0.0;
        var weighted = 0.0;
        var step = Math.max(1, store.count() / SAMPLE);
        for (var page = 0; page < store.count(); page += step) {
            var row = store.row(page);
            if (row.state() != PageState.GONE) {
                var probability = Math.exp(-staleness(row, model(row), now));
                pages++;
                fresh += probability;
                weights += importance(row);
                weighted += importance(row) * probability;
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
