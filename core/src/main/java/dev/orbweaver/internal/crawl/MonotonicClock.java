package dev.orbweaver.internal.crawl;

import java.time.Instant;
import java.time.InstantSource;

/**
 * Wall clock time at start plus monotonic time since. If the system clock is set while the crawl
 * runs, no host is requested too early or kept waiting.
 */
public final class MonotonicClock implements InstantSource {

    private final Instant opened;
    private final long openedMillis;
    private final long openedNanos;

    private MonotonicClock(Instant opened, long openedNanos) {
        this.opened = opened;
        this.openedMillis = opened.toEpochMilli();
        this.openedNanos = openedNanos;
    }

    /** Starts a clock at the current wall clock time, which is read only here. */
    public static MonotonicClock start(InstantSource wall) {
        return new MonotonicClock(wall.instant(), System.nanoTime());
    }

    /** Creates no object: it is called for every link. */
    @Override
    public long millis() {
        return openedMillis + (System.nanoTime() - openedNanos) / 1_000_000;
    }

    @Override
    public Instant instant() {
        return opened.plusNanos(System.nanoTime() - openedNanos);
    }
}
