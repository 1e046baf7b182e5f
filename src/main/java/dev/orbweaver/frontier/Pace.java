package dev.orbweaver.frontier;

import java.util.List;

/**
 * What is known of a limit that a host has and does not name; most hosts are never found to have
 * one.
 *
 * <p><b>The delay.</b> A host that refuses (429, 503) or breaks off is asked too fast. The delay at
 * which it refused is remembered as {@code bad}, the delay grows by half, and with every few
 * answers it halves its distance to a mark just above {@code bad}: there it stays. Halving and
 * growing for ever, as congestion control does, would be refused again and again; here a host is
 * asked some hundred times before the next attempt, a little faster than {@code bad}, and when that
 * is refused the delay goes straight back to what was {@code good}. While attempts succeed they
 * become larger and more frequent, so that a limit that was lifted is soon forgotten.
 *
 * <p><b>Lanes.</b> Where several requests may be under way at once, how many follows the same
 * signs: half as many after a refusal, one more after a good while.
 *
 * <p>All of it is whole numbers and depends on nothing but the order of answers, so that replaying
 * a journal finds the same pace. Delays are in microseconds, because a twentieth of a short one is
 * less than a millisecond.
 */
final class Pace {

    /** Answers between two steps towards the mark. */
    private static final int STEP_AFTER = 12;

    /** Answers without a refusal after which {@code bad} is put to the test again. */
    private static final int[] TRY_AFTER = {500, 120, 60, 30};

    /** By how many percent the attempts are faster. */
    private static final int[] TRY_PERCENT = {6, 10, 20, 30};

    /** The mark lies so many percent above {@code bad}. */
    private static final int MARGIN_PERCENT = 4;

    /** Answers after which a delay counts as good. */
    private static final int GOOD_AFTER = 60;

    private static final int LANE_AFTER = 40;
    private static final long LEAST_STEP = 10_000;
    private static final int NUMBERS = 9;

    private long interval;
    private long good;
    private long bad;
    private long refusedAt;
    private int clean;
    private int held;
    private int sinceTry;
    private int boldness;
    private int lanesLess;

    Pace() {}

    /** A pace as it was written down. */
    Pace(List<Long> numbers) {
        if (numbers.size() != NUMBERS) {
            throw new IllegalArgumentException("a pace is " + NUMBERS + " numbers");
        }
        interval = numbers.get(0);
        good = numbers.get(1);
        bad = numbers.get(2);
        refusedAt = numbers.get(3);
        clean = Math.toIntExact(numbers.get(4));
        held = Math.toIntExact(numbers.get(5));
        sinceTry = Math.toIntExact(numbers.get(6));
        boldness = Math.clamp(numbers.get(7), 0, TRY_AFTER.length - 1);
        lanesLess = Math.toIntExact(numbers.get(8));
    }

    /** All there is to know of it. */
    List<Long> numbers() {
        return List.of(
                interval,
                good,
                bad,
                refusedAt,
                (long) clean,
                (long) held,
                (long) sinceTry,
                (long) boldness,
                (long) lanesLess);
    }

    /** The delay it asks for, in microseconds. */
    long delay() {
        return interval;
    }

    /** By how many fewer than usual may be under way at once. */
    int lanesLess() {
        return lanesLess;
    }

    /** Whether there is nothing to remember any more. */
    boolean over() {
        return bad == 0 && lanesLess == 0;
    }

    /**
     * The host answered as it should.
     *
     * @param base the delay it would have without this, in microseconds
     */
    void answered(long base) {
        clean++;
        if (lanesLess > 0 && clean % LANE_AFTER == 0) {
            lanesLess--;
        }
        if (bad == 0) {
            return;
        }
        held++;
        sinceTry++;
        if (held >= GOOD_AFTER) {
            good = interval;
        }
        if (sinceTry >= TRY_AFTER[boldness]) {
            sinceTry = 0;
            bad -= bad * TRY_PERCENT[boldness] / 100;
            boldness = Math.min(boldness + 1, TRY_AFTER.length - 1);
        }
        approach(bad + bad * MARGIN_PERCENT / 100, base);
    }

    private void approach(long mark, long base) {
        if (held >= STEP_AFTER && interval > mark) {
            var step = (interval - mark) / 2;
            interval = step < mark / 100 ? mark : interval - step;
            held = 0;
        }
        if (interval <= base && mark <= base) {
            forgetLimit(); // It is asked as often as it ever would be, and does not mind.
        }
    }

    private void forgetLimit() {
        interval = 0;
        good = 0;
        bad = 0;
        held = 0;
        sinceTry = 0;
        boldness = 0;
    }

    /**
     * The host refused, or broke off.
     *
     * @param delay the delay at which it did, in microseconds
     * @param most the longest that this makes one
     * @param lanes how many requests may be under way at once
     */
    void refused(long at, long delay, long most, int lanes) {
        if (clean == 0 && refusedAt > 0 && at - refusedAt < delay / 1000) {
            return; // One of several that were under way together.
        }
        refusedAt = at;
        bad = Math.max(1000, delay);
        var slower = Math.min(most, Math.max(delay + delay / 2, delay + LEAST_STEP));
        interval = good > delay ? good : Math.max(delay, slower);
        good = 0;
        clean = 0;
        held = 0;
        sinceTry = 0;
        boldness = 0;
        lanesLess += lanes / 2;
    }

    /** The time that is kept moves with the clock. */
    void setClockBack(long by) {
        refusedAt -= by;
    }
}
