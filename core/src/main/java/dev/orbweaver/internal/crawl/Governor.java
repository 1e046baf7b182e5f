package dev.orbweaver.internal.crawl;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Reduces concurrency before a resource overflows, and raises it again. It samples four
 * measurements: the duration of a commit, the backlog of pages to parse or commit, heap use after a
 * collection, and free disk space. While one of them is out of bounds, each update reduces the
 * allowed requests by a quarter, once per second. When all are well within bounds, each update adds
 * a sixteenth. In between it changes nothing, to avoid oscillation.
 *
 * <p>Like all policy classes, it has no clock and measures nothing itself.
 */
public final class Governor {

    /** The measurements at one moment. */
    record LoadSample(Duration commit, double backlog, double heap, long freeBytes) {}

    /**
     * The current decision.
     *
     * @param allowed how many requests may be in flight
     * @param concurrency how many were configured
     * @param reason the measurement that is or was last out of bounds, while concurrency is reduced
     * @param reductions how many times concurrency was reduced from its full value
     */
    public record State(int allowed, int concurrency, Optional<String> reason, long reductions) {}

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration COMMIT_MAX = Duration.ofSeconds(2);
    private static final double BACKLOG_MAX = .75;
    private static final double HEAP_MAX = .9;
    private static final double HEAP_CALM = .8;

    private final int concurrency;
    private final long freeBytesMin;
    private int allowed;
    private Optional<String> reason = Optional.empty();
    private long reductions;
    private Instant nextUpdate = Instant.MIN;

    /**
     * Creates a governor that starts at full concurrency.
     *
     * @param freeBytesMin concurrency is reduced while less than twice this is free on the disk
     */
    Governor(int workers, long freeBytesMin) {
        this.concurrency = workers;
        this.freeBytesMin = freeBytesMin;
        this.allowed = workers;
    }

    /** Returns whether the next update is due. */
    synchronized boolean isDue(Instant now) {
        return !now.isBefore(nextUpdate);
    }

    /** Adjusts the allowed concurrency to a new sample. */
    synchronized void update(LoadSample loadSample, Instant now) {
        nextUpdate = now.plus(INTERVAL);
        var pressure = pressure(loadSample);
        if (pressure.isPresent()) {
            reductions += allowed == concurrency ? 1 : 0;
            allowed = Math.max(1, allowed - Math.max(1, allowed / 4));
            reason = pressure;
        } else if (isCalm(loadSample)) {
            allowed = Math.min(concurrency, allowed + Math.max(1, concurrency / 16));
            reason = allowed == concurrency ? Optional.empty() : reason;
        }
    }

    private Optional<String> pressure(LoadSample loadSample) {
        if (loadSample.commit.compareTo(COMMIT_MAX) > 0) {
            return Optional.of("a commit takes %d s".formatted(loadSample.commit.toSeconds()));
        }
        if (loadSample.backlog > BACKLOG_MAX) {
            return Optional.of("the backlog of pages to parse and write is too long");
        }
        if (loadSample.heap > HEAP_MAX) {
            return Optional.of("the heap is %.0f %% full".formatted(100 * loadSample.heap));
        }
        return loadSample.freeBytes < doubled(freeBytesMin)
                ? Optional.of(
                        "only %d MB of disk space are free".formatted(loadSample.freeBytes >> 20))
                : Optional.empty();
    }

    private boolean isCalm(LoadSample loadSample) {
        return loadSample.commit.compareTo(COMMIT_MAX.dividedBy(2)) < 0
                && loadSample.backlog < BACKLOG_MAX / 2
                && loadSample.heap < HEAP_CALM
                && loadSample.freeBytes >= doubled(freeBytesMin);
    }

    private static long doubled(long bytes) {
        return bytes > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : 2 * bytes;
    }

    /** Returns how many requests may be in flight. */
    synchronized int allowed() {
        return allowed;
    }

    synchronized State state() {
        return new State(allowed, concurrency, reason, reductions);
    }
}
