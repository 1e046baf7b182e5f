package dev.orbweaver.testkit;

import java.time.Duration;

/**
 * The Poisson process of a page's changes. Equal seeds give equal changes.
 *
 * @param perDay the mean number of changes per day; 0 for a page that never changes
 */
record ChangeProcess(long seed, int page, double perDay) {

    private static final long RATES = 62;
    private static final long GAPS = 63;
    private static final double NANOS_PER_DAY = Duration.ofDays(1).toNanos();

    /**
     * Mean intervals in days, each as frequent as the others. About as many pages as in Cho and
     * Garcia-Molina 2000 change daily (23 %) or less often than every four months (30 %).
     */
    private static final double[] INTERVALS = {
        0, 300, 160, 100, 60, 40, 25, 15, 8, 4, 0.9, 0.7, 0.5
    };

    /** Returns the process of a page that has one of the usual rates. */
    static ChangeProcess of(long seed, int page) {
        var interval = INTERVALS[new SeededRandom(seed, RATES, page).nextInt(INTERVALS.length)];
        return new ChangeProcess(seed, page, interval == 0 ? 0 : 1 / interval);
    }

    /**
     * The changes up to some time.
     *
     * @param number how many there were
     * @param last when the last one was; negative if there was none
     */
    record History(long number, Duration last) {}

    /** Returns the changes from time 0 to {@code now}; the cost grows with their number. */
    History until(Duration now) {
        var last = Duration.ofDays(-1);
        if (perDay == 0) {
            return new History(0, last);
        }
        var gaps = new SeededRandom(seed, GAPS, page);
        var time = Duration.ZERO;
        for (var number = 0L; ; number++) {
            // Times between changes have an exponential distribution.
            var days = -StrictMath.log(1 - gaps.nextDouble()) / perDay;
            time = time.plusNanos((long) (days * NANOS_PER_DAY));
            if (time.compareTo(now) > 0) {
                return new History(number, last);
            }
            last = time;
        }
    }
}
