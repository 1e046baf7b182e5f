package dev.orbweaver.internal.crawl;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Narrows a crawl before something overflows, and widens it again. It looks at four things: how
 * long a commit takes, how much waits to be read or committed, how full the heap is after a
 * collection, how much of the disk is free. While one of them is out of bounds, a quarter fewer
 * requests may be under way each second; when all are well within them, a sixteenth more. In
 * between it holds still, so that it does not swing.
 *
 * <p>Like all that decides, it has no clock and measures nothing itself.
 */
public final class Governor {

    /** What a crawl is like at a moment. */
    record LoadSample(Duration commit, double backlog, double heap, long freeBytes) {}

    /**
     * What it has decided.
     *
     * @param allowed requests that may be under way
     * @param concurrency as many as were asked for
     * @param reason what is out of bounds, or was last, as long as there are fewer
     * @param reductions how often it has begun to narrow
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
     * A governor that lets everything through to begin with.
     *
     * @param freeBytesMin with less than twice this of the disk free, it narrows
     */
    Governor(int workers, long freeBytesMin) {
        this.concurrency = workers;
        this.freeBytesMin = freeBytesMin;
        this.allowed = workers;
    }

    /** Whether it is time to look again. */
    synchronized boolean isDue(Instant now) {
        return !now.isBefore(nextUpdate);
    }

    /** Decides by how things stand. */
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
            return Optional.of("pages wait to be read and written");
        }
        if (loadSample.heap > HEAP_MAX) {
            return Optional.of("the heap is %.0f %% full".formatted(100 * loadSample.heap));
        }
        return loadSample.freeBytes < doubled(freeBytesMin)
                ? Optional.of("%d MB of the disk are free".formatted(loadSample.freeBytes >> 20))
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

    /** How many requests may be under way. */
    synchronized int allowed() {
        return allowed;
    }

    synchronized State state() {
        return new State(allowed, concurrency, reason, reductions);
    }
}
