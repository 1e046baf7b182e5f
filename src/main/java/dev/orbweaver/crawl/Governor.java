package dev.orbweaver.crawl;

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
    record Signs(Duration commit, double backlog, double heap, long freeBytes) {}

    /**
     * What it has decided.
     *
     * @param allowed requests that may be under way
     * @param workers as many as were asked for
     * @param why what is out of bounds, or was last, as long as there are fewer
     * @param narrowed how often it has begun to narrow
     */
    public record State(int allowed, int workers, Optional<String> why, long narrowed) {}

    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final Duration COMMIT_MAX = Duration.ofSeconds(2);
    private static final double BACKLOG_MAX = .75;
    private static final double HEAP_MAX = .9;
    private static final double HEAP_CALM = .8;

    private final int workers;
    private final long freeBytesMin;
    private int allowed;
    private Optional<String> why = Optional.empty();
    private long narrowed;
    private Instant next = Instant.MIN;

    /**
     * A governor that lets everything through to begin with.
     *
     * @param freeBytesMin with less than twice this of the disk free, it narrows
     */
    Governor(int workers, long freeBytesMin) {
        this.workers = workers;
        this.freeBytesMin = freeBytesMin;
        this.allowed = workers;
    }

    /** Whether it is time to look again. */
    synchronized boolean due(Instant now) {
        return !now.isBefore(next);
    }

    /** Decides by how things stand. */
    synchronized void look(Signs signs, Instant now) {
        next = now.plus(EVERY);
        var pressure = pressure(signs);
        if (pressure.isPresent()) {
            narrowed += allowed == workers ? 1 : 0;
            allowed = Math.max(1, allowed - Math.max(1, allowed / 4));
            why = pressure;
        } else if (calm(signs)) {
            allowed = Math.min(workers, allowed + Math.max(1, workers / 16));
            why = allowed == workers ? Optional.empty() : why;
        }
    }

    private Optional<String> pressure(Signs signs) {
        if (signs.commit.compareTo(COMMIT_MAX) > 0) {
            return Optional.of("a commit takes %d s".formatted(signs.commit.toSeconds()));
        }
        if (signs.backlog > BACKLOG_MAX) {
            return Optional.of("pages wait to be read and written");
        }
        if (signs.heap > HEAP_MAX) {
            return Optional.of("the heap is %.0f %% full".formatted(100 * signs.heap));
        }
        return signs.freeBytes < doubled(freeBytesMin)
                ? Optional.of("%d MB of the disk are free".formatted(signs.freeBytes >> 20))
                : Optional.empty();
    }

    private boolean calm(Signs signs) {
        return signs.commit.compareTo(COMMIT_MAX.dividedBy(2)) < 0
                && signs.backlog < BACKLOG_MAX / 2
                && signs.heap < HEAP_CALM
                && signs.freeBytes >= doubled(freeBytesMin);
    }

    private static long doubled(long bytes) {
        return bytes > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : 2 * bytes;
    }

    /** How many requests may be under way. */
    synchronized int allowed() {
        return allowed;
    }

    synchronized State state() {
        return new State(allowed, workers, why, narrowed);
    }
}
