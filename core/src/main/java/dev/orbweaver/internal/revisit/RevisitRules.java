package dev.orbweaver.internal.revisit;

import static dev.orbweaver.internal.revisit.ScheduleTime.DAY;
import static dev.orbweaver.internal.revisit.ScheduleTime.DAY_SECONDS;
import static dev.orbweaver.internal.revisit.ScheduleTime.NEVER;
import static dev.orbweaver.internal.revisit.ScheduleTime.after;
import static dev.orbweaver.internal.revisit.ScheduleTime.seconds;

import dev.orbweaver.internal.revisit.ChangeEstimate.Exposure;
import dev.orbweaver.internal.revisit.ChangeEstimate.Sums;
import dev.orbweaver.internal.revisit.ChangeModel.ExpectedChanges;
import dev.orbweaver.internal.revisit.Observation.Role;
import dev.orbweaver.internal.revisit.RevisitSettings.Auto;
import dev.orbweaver.internal.revisit.RevisitSettings.Every;

import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * What a visit shows of a page, when the page is due again, and what a visit of it is worth;
 * without any storage, so that a crawl on one machine ({@link RevisitSchedule}) and a fleet ({@link
 * SharedPages}) decide by the same code.
 */
final class RevisitRules {

    /** How far the logarithm of λ would move in a day if all visits were below it. */
    private static final double LAMBDA_PER_DAY = 0.7;

    private static final double BELOW_LAMBDA = 0.4;

    /** Last-Modified of a page that was just generated says nothing. */
    private static final int AGE_MIN = 3_600;

    private static final int AGE_MAX = 365 * DAY_SECONDS;

    /** A change that is known to be this small a part of the interval old counts as that old. */
    private static final double AGE_SHARE_MIN = 0.02;

    /** In whole seconds, so that two times that are this far apart are so exactly, too. */
    private static final int CONFIRMED_AFTER = (int) PageState.CONFIRMED_AFTER.toSeconds() + 1;

    private static final double[] IMPORTANCE = importance();

    /** What was observed on the pages of a URL pattern and on those of its host. */
    record Rates(Sums pattern, Sums host) {

        static final Rates NONE = new Rates(Sums.NONE, Sums.NONE);
    }

    /**
     * A page after a visit.
     *
     * @param rates empty if the visit showed nothing of its rate
     */
    record Update(PageRow row, int due, Optional<Rates> rates) {}

    private final RevisitSettings settings;
    private final DoubleSupplier lambda;
    private final DoubleSupplier sourceDays;

    /**
     * @param sourceDays the shortest interval of visits that are made only because a page is a
     *     source, in days, see {@link #sourceInterval}
     */
    RevisitRules(RevisitSettings settings, DoubleSupplier lambda, DoubleSupplier sourceDays) {
        this.settings = settings;
        this.lambda = lambda;
        this.sourceDays = sourceDays;
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

    private static int bucket(long hash, long salt) {
        var mixed = (hash ^ (salt * 0x9E3779B97F4A7C15L)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 32)) * 0x94D049BB133111EBL;
        return (int) (mixed >>> 44);
    }

    static int patternBucket(long hash) {
        return bucket(hash, 1);
    }

    static int hostBucket(long hash) {
        return bucket(hash, 2);
    }

    /** Returns a page after its first visit. */
    Update first(Observation visit, Rates before) {
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
                        patternBucket(visit.patternHash()),
                        hostBucket(visit.hostHash()),
                        Importance.encode(visit.importance()),
                        state,
                        0,
                        0,
                        visit.role() != Role.PAGE);
        return new Update(
                row,
                nextDue(row, time, before),
                exposure.days() == 0
                        ? Optional.empty()
                        : Optional.of(
                                new Rates(
                                        before.pattern.plus(exposure, 0, 0, ExpectedChanges.NONE),
                                        before.host.plus(exposure, 0, 0, ExpectedChanges.NONE))));
    }

    /** At a first visit, only the age of the last change can be known. */
    private static Exposure firstExposure(int age) {
        if (age < AGE_MIN) {
            return new Exposure(0, 0);
        }
        return age < AGE_MAX ? new Exposure(age / DAY, 1) : new Exposure(AGE_MAX / DAY, 0);
    }

    /** Returns a page after another visit. */
    Update again(PageRow row, Observation visit, Rates before) {
        return switch (visit.result()) {
            case NEW, UNCHANGED, BOILERPLATE -> responded(row, visit, false, before);
            case CHANGED -> responded(row, visit, true, before);
            case GONE -> missing(row, visit, before);
            case NO_RESPONSE -> unreachable(row, visit, before);
        };
    }

    private Update responded(PageRow row, Observation visit, boolean changed, Rates before) {
        var time = Math.max(row.visited(), seconds(visit.time()));
        var days = (time - row.visited()) / DAY;
        var expected = model(row, before).expected(days, row.signals(), changed);
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
                        Importance.encode(visit.importance()),
                        isSource(row, visit));
        return new Update(
                next,
                nextDue(next, time, before),
                Optional.of(
                        new Rates(
                                before.pattern.plus(exposure, days, row.signals(), expected),
                                before.host.plus(exposure, days, row.signals(), expected))));
    }

    /** Returns whether a page is a source after a visit; only a new text can change that. */
    private static boolean isSource(PageRow row, Observation visit) {
        return switch (visit.result()) {
            case NEW, UNCHANGED, GONE, NO_RESPONSE -> row.isSource();
            case BOILERPLATE, CHANGED ->
                    visit.role() == Role.LIST || (visit.role() == Role.SEED && row.isSource());
        };
    }

    private Update missing(PageRow row, Observation visit, Rates before) {
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
        return new Update(
                next.withLast(visit.line()), nextDue(next, time, before), Optional.empty());
    }

    private Update unreachable(PageRow row, Observation visit, Rates before) {
        var time = seconds(visit.time());
        var next = unreachable(row);
        return new Update(
                next.withLast(visit.line()), nextDue(next, time, before), Optional.empty());
    }

    /** Returns a page after a visit without a response. */
    static PageRow unreachable(PageRow row) {
        return row.state() == PageState.PRESENT
                ? row.withState(PageState.UNREACHABLE, row.visited())
                : row;
    }

    /** Returns when a page is due after a visit at a time. */
    int nextDue(PageRow row, int time, Rates rates) {
        return switch (row.state()) {
            case PRESENT -> dueAt(row, model(row, rates));
            case MISSING -> after(row.visited(), CONFIRMED_AFTER);
            case GONE -> NEVER;
            // The delay doubles about every second time, because the last response is the longer
            // ago.
            case UNREACHABLE ->
                    after(time, Math.max(DAY_SECONDS, (time - (long) row.visited()) / 2));
        };
    }

    static ChangeModel model(PageRow row, Rates rates) {
        return ChangeEstimate.model(row.exposure(), rates.pattern, rates.host);
    }

    int dueAt(PageRow row, ChangeModel model) {
        return switch (settings.mode()) {
            case Every(var interval) -> after(row.visited(), interval.toSeconds());
            case Auto() -> after(row.visited(), interval(row, model));
        };
    }

    private long interval(PageRow row, ChangeModel model) {
        var threshold = RevisitPolicy.threshold(model, lambda.getAsDouble() / importance(row));
        var days = (threshold - row.signals() * model.signalWeight()) / model.silentRate();
        if (row.signals() == PageRow.SIGNALS_MAX) {
            days = Math.min(days, threshold / model.rate()); // There may have been more.
        }
        if (row.isSource()) {
            days = Math.min(days, sourceInterval(row, model));
        }
        return (long)
                Math.clamp(
                        days * DAY,
                        (double) settings.minInterval().toSeconds(),
                        (double) longestInterval(row));
    }

    /**
     * Returns the longest interval of a page from which the crawl learns of new pages and of
     * changes, in days.
     *
     * <p>For its freshness alone, a page that changes faster than it can be visited is given up.
     * That is right for a page, and wrong for a source: what it lists stays worth knowing when the
     * list has changed again. So a source is visited once per expected change, but not more often
     * than any other page of its importance may be, unless a part of the budget is left for it.
     */
    double sourceInterval(PageRow row, ChangeModel model) {
        var shortest = RevisitPolicy.shortestInterval(lambda.getAsDouble() / importance(row));
        return Math.max(1 / model.rate(), Math.min(shortest, sourceDays.getAsDouble()));
    }

    /** Returns the longest interval of a page, if it is a source. */
    Optional<Duration> explainSource(PageRow row, ChangeModel model) {
        return row.isSource() && settings.mode() instanceof Auto
                ? Optional.of(Duration.ofSeconds(Math.round(sourceInterval(row, model) * DAY)))
                : Optional.empty();
    }

    private double longestInterval(PageRow row, ChangeModel model) {
        var longest = (double) longestInterval(row);
        return row.isSource() ? Math.min(longest, sourceInterval(row, model) * DAY) : longest;
    }

    /**
     * Returns the longest interval of a page: half of the maximum up to all of it, by its first
     * line, because pages that are never worth a visit were often visited together before.
     */
    long longestInterval(PageRow row) {
        var most = settings.maxInterval().toSeconds();
        var share = ((row.first() * 0x9E3779B97F4A7C15L) >>> 33) / 0x1p31;
        return most - (long) (most * share / 2);
    }

    /** Returns what a visit now buys, in fresh days times importance. */
    static double value(PageRow row, ChangeModel model, int now) {
        return importance(row) * RevisitPolicy.value(model, staleness(row, model, now));
    }

    static double staleness(PageRow row, ChangeModel model, int now) {
        var days = Math.max(0, now - row.visited()) / DAY;
        var staleness = model.staleness(days, row.signals());
        return row.signals() == PageRow.SIGNALS_MAX
                ? Math.max(staleness, model.rate() * days)
                : staleness;
    }

    /**
     * Returns the value of a visit; at least λ for pages that are due for another reason than their
     * value.
     */
    double rank(PageRow row, ChangeModel model, int due, int now) {
        return switch (settings.mode()) {
            case Every(var interval) ->
                    (now - (double) row.visited()) / Math.max(1, interval.toSeconds());
            case Auto() -> {
                var value = value(row, model, now);
                var other =
                        row.state() != PageState.PRESENT
                                || now - row.visited() >= longestInterval(row, model);
                yield due <= now && other ? Math.max(lambda.getAsDouble(), value) : value;
            }
        };
    }

    /** Returns the tokens of the budget at a time. */
    static double accrued(double tokens, int since, int now, double perDay) {
        var most = Math.max(1, perDay * VisitBudget.TOKENS_TIME.toSeconds() / DAY);
        return Math.min(most, tokens + Math.max(0, now - since) / DAY * perDay);
    }

    /** Moves λ towards the value below which two fifths of the visits are. */
    static double followed(double lambda, long visits, long below, double perDay) {
        var step = BELOW_LAMBDA * visits - below;
        return lambda * Math.exp(LAMBDA_PER_DAY * Math.clamp(step / perDay, -0.5, 0.5));
    }
}
