package dev.orbweaver.sinks;

import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.SinkCounts;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs one sink on its own thread while a crawl is running, and until the sink has finished.
 *
 * <p>A failure is logged once, shown in the status until it is resolved, and retried with backoff
 * up to {@link #BACKOFF_MAX}: the sink continues from its own saved position. After the crawl has
 * ended the sink may continue while it makes progress; the first failure ends it.
 */
final class SinkRunner {

    private static final Logger LOG = LoggerFactory.getLogger(SinkRunner.class);

    private static final Duration IDLE_POLL = Duration.ofMillis(200);
    private static final Duration BACKOFF_MIN = Duration.ofMillis(500);
    private static final Duration BACKOFF_MAX = Duration.ofSeconds(30);
    private static final Duration STATUS_INTERVAL = Duration.ofSeconds(2);
    private static final Duration JOIN_POLL = Duration.ofMillis(50);
    private static final Duration INTERRUPT_TIMEOUT = Duration.ofSeconds(5);

    private final ExternalSink externalSink;
    private final Path crawl;
    private final Thread thread;
    private volatile boolean draining;
    private volatile String problem = "";
    private final AtomicLong failures = new AtomicLong();
    private Duration backoff = BACKOFF_MIN;
    private long statusWrittenNanos = System.nanoTime() - STATUS_INTERVAL.toNanos();

    SinkRunner(ExternalSink externalSink, Path crawl) {
        this.externalSink = externalSink;
        this.crawl = crawl;
        this.thread =
                Thread.ofPlatform()
                        .daemon()
                        .name("sink-" + externalSink.name())
                        .unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Drains the sink, while it makes progress. */
    SinkStatus finish(Duration stallMax) throws InterruptedException {
        draining = true;
        LockSupport.unpark(thread);
        var lastActivity = externalSink.progress().activity();
        var progressAt = System.nanoTime();
        while (!thread.join(JOIN_POLL)) {
            var now = externalSink.progress().activity();
            if (now != lastActivity) {
                lastActivity = now;
                progressAt = System.nanoTime();
            } else if (System.nanoTime() - progressAt > stallMax.toNanos()) {
                problem = "no progress for " + stallMax.toSeconds() + " s";
                thread.interrupt();
                // The sink may ignore the interrupt; the process must not wait forever.
                var _ = thread.join(INTERRUPT_TIMEOUT);
                break;
            }
        }
        return status();
    }

    SinkStatus status() {
        var progress = externalSink.progress();
        return new SinkStatus(
                externalSink.name(), progress.done(), progress.total(), progress.unit(), problem);
    }

    String name() {
        return externalSink.name();
    }

    SinkCounts counts() {
        return externalSink.counts().plus(new SinkCounts(0, 0, 0, 0, 0, failures.get()));
    }

    private void run() {
        try (externalSink) {
            var more = true;
            while (more && !Thread.currentThread().isInterrupted()) {
                more = step();
                writeStatusIfDue();
            }
        } catch (RuntimeException e) {
            // A programming error must not look like a store that is up to date.
            problem = "internal error: " + e;
            LOG.error("sink {} failed", externalSink.name(), e);
        } finally {
            writeStatus();
        }
    }

    /** Stores one part, or pauses; returns false when the sink has finished. */
    private boolean step() {
        var last = draining;
        try {
            var moved = externalSink.step(last);
            if (!problem.isEmpty()) {
                LOG.info("sink {} has recovered", externalSink.name());
            }
            problem = "";
            backoff = BACKOFF_MIN;
            if (!moved && !last) {
                LockSupport.parkNanos(IDLE_POLL.toNanos());
            }
            return moved || !last;
        } catch (IOException | UncheckedIOException e) {
            recordFailure(e.getMessage() == null ? e.toString() : e.getMessage());
            if (!last) {
                LockSupport.parkNanos(backoff.toNanos());
                backoff = min(backoff.multipliedBy(2), BACKOFF_MAX);
            }
            return !last;
        }
    }

    private void recordFailure(String why) {
        failures.incrementAndGet();
        if (problem.isEmpty()) {
            LOG.warn("sink {} failed, retrying: {}", externalSink.name(), why);
        }
        problem = why;
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private void writeStatusIfDue() {
        if (System.nanoTime() - statusWrittenNanos >= STATUS_INTERVAL.toNanos()) {
            statusWrittenNanos = System.nanoTime();
            writeStatus();
        }
    }

    private void writeStatus() {
        try {
            status().write(crawl);
        } catch (IOException e) {
            LOG.warn(
                    "could not write the status of sink {}: {}",
                    externalSink.name(),
                    e.getMessage());
        }
    }
}
