package dev.orbweaver.internal.crawl;

import java.time.Instant;
import java.time.InstantSource;

/**
 * Wall time at the opening plus the monotonic clock since: a clock that is set while the crawl runs
 * neither frees a host early nor keeps one waiting.
 */
public final class MonotonicClock implements InstantSource {

    private final Instant opened;
    private final long openedNanos;

    private MonotonicClock(Instant opened, long openedNanos) {
        this.opened = opened;
        this.openedNanos = openedNanos;
    }

    /** A clock that agrees with the wall at this moment, and never looks there again. */
    public static MonotonicClock start(InstantSource wall) {
        return new MonotonicClock(wall.instant(), System.nanoTime());
    }

    @Override
    public Instant instant() {
        return opened.plusNanos(System.nanoTime() - openedNanos);
    }
}
