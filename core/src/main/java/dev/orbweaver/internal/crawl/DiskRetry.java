package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.Frontier;
import dev.orbweaver.internal.frontier.FrontierBlockedException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for a disk that is full or failing: somebody may make room. While the frontier cannot
 * write, it hands nothing out. After so long, or when the crawl is told to end, it gives up, and
 * what was not written has not happened.
 */
final class DiskRetry {

    private static final Logger LOG = LoggerFactory.getLogger(DiskRetry.class);
    private static final Duration RETRY_INTERVAL = Duration.ofMillis(250);

    /** Something that the disk may refuse. */
    interface Write<T> {
        T run() throws IOException;
    }

    /** Puts things back to where they were before a write that failed. */
    interface Rollback {
        void run() throws IOException;
    }

    private final Duration timeout;
    private final BooleanSupplier stopRequested;
    private volatile Optional<String> problem = Optional.empty();

    DiskRetry(Duration patience, BooleanSupplier hurry) {
        this.timeout = patience;
        this.stopRequested = hurry;
    }

    /** What is being waited for. */
    Optional<String> problem() {
        return problem;
    }

    /** Writes, again and again if need be, each time from where it began. */
    <T> T write(Write<T> write, Rollback rollback) throws IOException {
        var outage = new Outage();
        while (true) {
            try {
                var written = write.run();
                outage.end();
                return written;
            } catch (IOException e) {
                outage.waitOrThrow(e);
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
                outage.waitOrThrow(e);
            }
        }
    }

    /**
     * Makes a call of the frontier, which has happened once it was made, and waits until it is
     * written.
     *
     * @param instead what the call would have returned
     */
    <T> T call(Frontier frontier, Supplier<T> call, T instead) throws IOException {
        try {
            return call.get();
        } catch (FrontierBlockedException e) {
            var outage = new Outage();
            while (!frontier.flushPending()) {
                outage.waitOrThrow(new IOException(e.getMessage(), e), frontier.isUnreachable());
            }
            outage.end();
            return instead;
        }
    }

    private final class Outage {

        private long since;

        void waitOrThrow(IOException error) throws IOException {
            waitOrThrow(error, false);
        }

        void waitOrThrow(IOException error, boolean anyTime) throws IOException {
            var now = System.nanoTime();
            if (since == 0) {
                since = now;
                problem = Optional.of(String.valueOf(error.getMessage()));
                LOG.warn("waiting for the disk: {}", error.getMessage());
            }
            if (stopRequested.getAsBoolean() || (!anyTime && now - since >= timeout.toNanos())) {
                throw error;
            }
            LockSupport.parkNanos(RETRY_INTERVAL.toNanos());
        }

        void end() {
            if (since != 0) {
                LOG.info("the disk works again");
                problem = Optional.empty();
            }
        }
    }
}
