package dev.orbweaver.internal.revisit;

import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * The policy of revisits over pages whose state is stored elsewhere, for a fleet: each call gets
 * the state of a page and returns the next one. {@link RevisitSchedule} has the same rules over its
 * files.
 */
public final class SharedPages {

    /** The bytes of a page's state. */
    public static final int STATE_BYTES = 14;

    /** In a row: visited and exposure, then importance, state and signals. */
    private static final int VISITED_AT = 10;

    private static final int VISITED_BYTES = 10;
    private static final int FLAGS_AT = 25;
    private static final int FLAGS_BYTES = 4;

    private static final long LINE_MASK = (1L << 39) - 1;

    /**
     * A page after a visit.
     *
     * @param due empty if it is not visited again
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    public record Next(byte[] state, Optional<Instant> due) {}

    private final RevisitRules rules;
    private final DoubleSupplier lambda;

    /**
     * @param lambda the value from which pages are visited
     */
    public SharedPages(RevisitSettings settings, DoubleSupplier lambda) {
        this.lambda = lambda;
        // No worker knows how many sources there are, so no part of a budget is left for them.
        var sourceDays =
                settings.visitsPerDay().isEmpty()
                        ? VisitBudget.SOURCE_DAYS
                        : Double.POSITIVE_INFINITY;
        this.rules = new RevisitRules(settings, lambda, () -> sourceDays);
    }

    /**
     * Returns a page after a visit.
     *
     * @param before its state before; empty for a first visit
     * @param rates of its host, which the visit changes
     */
    public Next visit(Optional<byte[]> before, Observation visit, HostRates rates) {
        var pattern = RevisitRules.patternBucket(visit.patternHash());
        var update =
                before.isEmpty()
                        ? rules.first(visit, rates.of(pattern))
                        : rules.again(
                                row(before.get(), visit.urlHash(), pattern),
                                visit,
                                rates.of(pattern));
        update.rates().ifPresent(next -> rates.put(pattern, next));
        return new Next(state(update.row()), instant(update.due()));
    }

    /** Returns whether the last visit did not find a page. */
    public static boolean isMissing(byte[] state) {
        var found = row(state, 0, 0).state();
        return found == PageState.MISSING || found == PageState.GONE;
    }

    /** Returns the line by which a page is known to the policy, which stores no line of it. */
    public static long line(long urlHash) {
        return urlHash & LINE_MASK; // Spreads the longest intervals, as a line does.
    }

    /** Explains the next visit of a page. */
    public RevisitExplanation explain(
            byte[] state,
            long urlHash,
            long patternHash,
            HostRates rates,
            Optional<Instant> due,
            Instant now) {
        var pattern = RevisitRules.patternBucket(patternHash);
        var row = row(state, urlHash, pattern);
        var model = RevisitRules.model(row, rates.of(pattern));
        var time = ScheduleTime.seconds(now);
        return new RevisitExplanation(
                row.state(),
                ScheduleTime.instant(row.visited()),
                RevisitRules.importance(row),
                model.rate(),
                model.recall(),
                model.precision(),
                row.signals(),
                Math.exp(-RevisitRules.staleness(row, model, time)),
                RevisitRules.value(row, model, time),
                lambda.getAsDouble(),
                due.isEmpty(),
                rules.explainSource(row, model),
                due);
    }

    /** Returns the estimated changes per day of a page. */
    public static double changesPerDay(byte[] state, long patternHash, HostRates rates) {
        var pattern = RevisitRules.patternBucket(patternHash);
        return RevisitRules.model(row(state, 0, pattern), rates.of(pattern)).rate();
    }

    private static Optional<Instant> instant(int due) {
        return due == ScheduleTime.NEVER
                ? Optional.empty()
                : Optional.of(ScheduleTime.instant(due));
    }

    private static byte[] state(PageRow row) {
        var bytes = new byte[PageRow.BYTES];
        row.write(MemorySegment.ofArray(bytes), 0);
        var state = Arrays.copyOfRange(bytes, VISITED_AT, VISITED_AT + STATE_BYTES);
        System.arraycopy(bytes, FLAGS_AT, state, VISITED_BYTES, FLAGS_BYTES);
        return state;
    }

    private static PageRow row(byte[] state, long urlHash, int pattern) {
        var bytes = new byte[PageRow.BYTES];
        System.arraycopy(state, 0, bytes, VISITED_AT, VISITED_BYTES);
        System.arraycopy(state, VISITED_BYTES, bytes, FLAGS_AT, FLAGS_BYTES);
        var stored = PageRow.read(MemorySegment.ofArray(bytes), 0);
        var line = line(urlHash);
        return new PageRow(
                line,
                line,
                stored.visited(),
                stored.exposure(),
                pattern,
                0,
                stored.importance(),
                stored.state(),
                stored.signals(),
                stored.signalled(),
                stored.isSource());
    }
}
