package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.CrawlFrontier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Retries while the disk or the frontier's storage is full or failing, because an operator may free
 * space. After a timeout, or when the crawl is stopped, it throws, and what was not stored is
 * discarded. An unreachable Redis is retried without a limit.
 */
final class StorageRetry {

    private static final Logger LOG = LoggerFactory.getLogger(StorageRetry.class);
    private static final Duration RETRY_INTERVAL = Duration.ofMillis(250);

    /** A write that the disk may reject. */
    interface Write<T> {
        T run() throws IOException;
    }

    /** Undoes a write that failed. */
    interface Rollback {
        void run() throws IOException;
    }

    private final Duration timeout;
    private final BooleanSupplier stopRequested;
    private volatile Optional<String> problem = Optional.empty();

    StorageRetry(Duration timeout, BooleanSupplier stopRequested) {
        this.timeout = timeout;
        this.stopRequested = stopRequested;
    }

    /** Returns the current problem, if any. */
    Optional<String> problem() {
        return problem;
    }

    /** Runs a write until it succeeds; a failed one is rolled back before the next attempt. */
    <T> T write(Write<T> write, Rollback rollback) throws IOException {
        var outage = new Outage();
        while (true) {
            try {
                var written = write.run();
                outage.end();
                return written;
            } catch (IOException e) {
                outage.waitOrThrow(
                        "output storage unavailable (disk): " + e.getMessage(), e, false);
            }
            undo(rollback, outage);
        }
    }

    private static void undo(Rollback rollback, Outage outage) throws IOException {
        while (true) {
            try {
                rollback.run();
                return;
            } catch (IOException e) {
                outage.waitOrThrow(
                        "output storage unavailable (disk): " + e.getMessage(), e, false);
            }
        }
    }

    /** Waits until an applied change is stored. */
    void awaitStored(CrawlFrontier frontier, CommitStatus status) throws IOException {
        if (status.isStored()) {
            return;
        }
        var outage = new Outage();
        while (frontier.flush() instanceof CommitStatus.Pending(var storageProblem)) {
            outage.waitOrThrow(
                    storageProblem.toString(),
                    new IOException(storageProblem.toString()),
                    storageProblem.unreachable());
        }
        outage.end();
    }

    private final class Outage {

        private long since;

        void waitOrThrow(String text, IOException error, boolean withoutLimit) throws IOException {
            var now = System.nanoTime();
            if (since == 0) {
                since = now;
                problem = Optional.of(text);
                LOG.warn("{}; retrying", text);
            }
            if (stopRequested.getAsBoolean()
                    || (!withoutLimit && now - since >= timeout.toNanos())) {
                throw error;
            }
            LockSupport.parkNanos(RETRY_INTERVAL.toNanos());
        }

        void end() {
            if (since != 0) {
                LOG.info("storage is available again");
                problem = Optional.empty();
            }
        }
    }
}
