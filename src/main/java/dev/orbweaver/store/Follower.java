package dev.orbweaver.store;

import dev.orbweaver.model.SinkCounts;
import dev.orbweaver.sink.StoreStatus;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Drives one store on a thread of its own for as long as a crawl runs, and a little longer.
 *
 * <p>A failure is told once in the log, stands in the status until it is over, and is waited out:
 * longer each time, up to {@link #PAUSE_MAX}. Nothing is lost by it, because a store that failed
 * goes on from its own saved position. When the crawl is over the store may finish for as long as
 * anything moves; at the first failure it is left where it is.
 */
final class Follower {

    private static final Logger LOG = LoggerFactory.getLogger(Follower.class);

    private static final Duration IDLE = Duration.ofMillis(200);
    private static final Duration PAUSE_MIN = Duration.ofMillis(500);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(30);
    private static final Duration NOTE_EVERY = Duration.ofSeconds(2);
    private static final Duration JOIN = Duration.ofMillis(50);
    private static final Duration GIVE_UP = Duration.ofSeconds(5);

    private final Store store;
    private final Path crawl;
    private final Thread thread;
    private volatile boolean draining;
    private volatile String trouble = "";
    private final AtomicLong failures = new AtomicLong();
    private Duration pause = PAUSE_MIN;
    private long notedAt = System.nanoTime() - NOTE_EVERY.toNanos();

    Follower(Store store, Path crawl) {
        this.store = store;
        this.crawl = crawl;
        this.thread =
                Thread.ofPlatform().daemon().name("sink-" + store.name()).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Lets it come to the end, as long as anything moves. */
    StoreStatus finish(Duration stallMax) throws InterruptedException {
        draining = true;
        LockSupport.unpark(thread);
        var pulse = store.progress().pulse();
        var movedAt = System.nanoTime();
        while (!thread.join(JOIN)) {
            var now = store.progress().pulse();
            if (now != pulse) {
                pulse = now;
                movedAt = System.nanoTime();
            } else if (System.nanoTime() - movedAt > stallMax.toNanos()) {
                trouble = "nothing has moved for " + stallMax.toSeconds() + " s";
                thread.interrupt();
                // What it does may not hear of it; the process must not wait for ever.
                var _ = thread.join(GIVE_UP);
                break;
            }
        }
        return status();
    }

    StoreStatus status() {
        var progress = store.progress();
        return new StoreStatus(
                store.name(), progress.done(), progress.total(), progress.unit(), trouble);
    }

    String name() {
        return store.name();
    }

    SinkCounts counts() {
        return store.counts().plus(new SinkCounts(0, 0, 0, 0, 0, failures.get()));
    }

    private void run() {
        try (store) {
            var more = true;
            while (more && !Thread.currentThread().isInterrupted()) {
                more = step();
                note();
            }
        } catch (RuntimeException e) {
            // An error of our own must not look like a store that is up to date.
            trouble = "an error of our own: " + e;
            LOG.error("the sink {} cannot go on", store.name(), e);
        } finally {
            writeNote();
        }
    }

    /** One piece, or a rest; false when all is done. */
    private boolean step() {
        var last = draining;
        try {
            var moved = store.step(last);
            if (!trouble.isEmpty()) {
                LOG.info("the sink {} goes on", store.name());
            }
            trouble = "";
            pause = PAUSE_MIN;
            if (!moved && !last) {
                LockSupport.parkNanos(IDLE.toNanos());
            }
            return moved || !last;
        } catch (IOException | UncheckedIOException e) {
            failed(e.getMessage() == null ? e.toString() : e.getMessage());
            if (!last) {
                LockSupport.parkNanos(pause.toNanos());
                pause = shorter(pause.multipliedBy(2), PAUSE_MAX);
            }
            return !last;
        }
    }

    private void failed(String why) {
        failures.incrementAndGet();
        if (trouble.isEmpty()) {
            LOG.warn("the sink {} waits: {}", store.name(), why);
        }
        trouble = why;
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private void note() {
        if (System.nanoTime() - notedAt >= NOTE_EVERY.toNanos()) {
            notedAt = System.nanoTime();
            writeNote();
        }
    }

    private void writeNote() {
        try {
            status().write(crawl);
        } catch (IOException e) {
            LOG.warn("cannot note how the sink {} stands: {}", store.name(), e.getMessage());
        }
    }
}
