package dev.orbweaver.internal.frontier;

import java.util.List;

/**
 * Estimates a rate limit that a host has but does not announce. Most hosts never show one.
 *
 * <p><b>The delay.</b> A host that responds with 429 or 503, or breaks connections, is requested
 * too fast. The delay at which it refused is stored as {@code refusedDelay}, the delay grows by
 * half, and with every few responses it halves its distance to a target just above {@code
 * refusedDelay}, where it stays. Endless halving and growing, as in congestion control, would be
 * refused again and again. Here some hundred requests are made before the next attempt, a little
 * faster than {@code refusedDelay}; if that is refused, the delay returns to {@code goodDelay} at
 * once. While attempts succeed they become larger and more frequent, so that a limit that was
 * lifted is soon discarded.
 *
 * <p><b>Concurrency.</b> If several requests may be in flight at once, their number follows the
 * same signals: it is halved after a refusal and grows by one after a series of good responses.
 *
 * <p>All values are integers and depend only on the order of responses, so that replaying a journal
 * gives the same delay. Delays are in microseconds, because a twentieth of a short one is less than
 * a millisecond.
 */
final class RateLimitProbe {

    /** Responses between two steps towards the target. */
    private static final int STEP_AFTER = 12;

    /** Responses without a refusal after which {@code refusedDelay} is tested again. */
    private static final int[] PROBE_AFTER = {500, 120, 60, 30};

    /** By how many percent each attempt is faster. */
    private static final int[] PROBE_PERCENT = {6, 10, 20, 30};

    /** How many percent the target is above {@code refusedDelay}. */
    private static final int MARGIN_PERCENT = 4;

    /** Responses after which a delay counts as good. */
    private static final int GOOD_AFTER = 60;

    private static final int RAISE_CONCURRENCY_AFTER = 40;
    private static final long MIN_STEP = 10_000;
    private static final int NUMBERS = 9;

    private long interval;
    private long goodDelay;
    private long refusedDelay;
    private long refusedAt;
    private int responsesSinceRefusal;
    private int responsesAtDelay;
    private int responsesSinceProbe;
    private int probeLevel;
    private int concurrencyReduction;

    RateLimitProbe() {}

    RateLimitProbe(List<Long> numbers) {
        if (numbers.size() != NUMBERS) {
            throw new IllegalArgumentException("a rate limit probe has " + NUMBERS + " numbers");
        }
        interval = numbers.get(0);
        goodDelay = numbers.get(1);
        refusedDelay = numbers.get(2);
        refusedAt = numbers.get(3);
        responsesSinceRefusal = Math.toIntExact(numbers.get(4));
        responsesAtDelay = Math.toIntExact(numbers.get(5));
        responsesSinceProbe = Math.toIntExact(numbers.get(6));
        probeLevel = Math.clamp(numbers.get(7), 0, PROBE_AFTER.length - 1);
        concurrencyReduction = Math.toIntExact(numbers.get(8));
    }

    /** Returns the complete state. */
    List<Long> toNumbers() {
        return List.of(
                interval,
                goodDelay,
                refusedDelay,
                refusedAt,
                (long) responsesSinceRefusal,
                (long) responsesAtDelay,
                (long) responsesSinceProbe,
                (long) probeLevel,
                (long) concurrencyReduction);
    }

    /** Returns the delay in microseconds. */
    long delay() {
        return interval;
    }

    /** Returns by how much the maximum number of requests in flight is reduced. */
    int concurrencyReduction() {
        return concurrencyReduction;
    }

    /** Returns whether there is nothing to store any more. */
    boolean isEmpty() {
        return refusedDelay == 0 && concurrencyReduction == 0;
    }

    /**
     * @param base the delay without this, in microseconds
     */
    void onResponse(long base) {
        responsesSinceRefusal++;
        if (concurrencyReduction > 0 && responsesSinceRefusal % RAISE_CONCURRENCY_AFTER == 0) {
            concurrencyReduction--;
        }
        if (refusedDelay == 0) {
            return;
        }
        responsesAtDelay++;
        responsesSinceProbe++;
        if (responsesAtDelay >= GOOD_AFTER) {
            goodDelay = interval;
        }
        if (responsesSinceProbe >= PROBE_AFTER[probeLevel]) {
            responsesSinceProbe = 0;
            refusedDelay -= refusedDelay * PROBE_PERCENT[probeLevel] / 100;
            probeLevel = Math.min(probeLevel + 1, PROBE_AFTER.length - 1);
        }
        stepTowards(refusedDelay + refusedDelay * MARGIN_PERCENT / 100, base);
    }

    private void stepTowards(long mark, long base) {
        if (responsesAtDelay >= STEP_AFTER && interval > mark) {
            var step = (interval - mark) / 2;
            interval = step < mark / 100 ? mark : interval - step;
            responsesAtDelay = 0;
        }
        if (interval <= base && mark <= base) {
            forgetLimit(); // At the base delay it still does not refuse.
        }
    }

    private void forgetLimit() {
        interval = 0;
        goodDelay = 0;
        refusedDelay = 0;
        responsesAtDelay = 0;
        responsesSinceProbe = 0;
        probeLevel = 0;
    }

    /**
     * Records that the host refused, or broke the connection.
     *
     * @param delay the delay at which it did, in microseconds
     * @param maxDelay the longest delay that this causes
     * @param lanes maximum number of requests in flight
     */
    void onRefusal(long at, long delay, long maxDelay, int lanes) {
        if (responsesSinceRefusal == 0 && refusedAt > 0 && at - refusedAt < delay / 1000) {
            return; // One of several that were in flight together.
        }
        refusedAt = at;
        refusedDelay = Math.max(1000, delay);
        var slower = Math.min(maxDelay, Math.max(delay + delay / 2, delay + MIN_STEP));
        interval = goodDelay > delay ? goodDelay : Math.max(delay, slower);
        goodDelay = 0;
        responsesSinceRefusal = 0;
        responsesAtDelay = 0;
        responsesSinceProbe = 0;
        probeLevel = 0;
        concurrencyReduction += lanes / 2;
    }

    void setClockBack(long by) {
        refusedAt -= by;
    }
}
