package dev.orbweaver.internal.revisit;

import java.time.Instant;

/** Times of a schedule: seconds since 2020, in 31 bits. */
final class ScheduleTime {

    static final double DAY = 86_400;
    static final int DAY_SECONDS = 86_400;

    /** The due time of a page that is not visited again. */
    static final int NEVER = Integer.MAX_VALUE;

    /** The due time of a page whose visit was requested: before all others. */
    static final int REQUESTED = 0;

    private static final Instant EPOCH = Instant.parse("2020-01-01T00:00:00Z");

    private ScheduleTime() {}

    static int seconds(Instant time) {
        return (int) Math.clamp(time.getEpochSecond() - EPOCH.getEpochSecond(), 1L, NEVER - 1L);
    }

    static Instant instant(int seconds) {
        return EPOCH.plusSeconds(seconds);
    }

    static int after(int time, long seconds) {
        return (int) Math.min(NEVER - 1L, time + seconds);
    }
}
