package dev.orbweaver.crawl;

import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierBlockedException;

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
final class DiskPatience {

    private static final Logger LOG = LoggerFactory.getLogger(DiskPatience.class);
    private static final Duration PAUSE = Duration.ofMillis(250);

    /** Something that the disk may refuse. */
    interface Write<T> {
        T run() throws IOException;
    }

    /** Puts things back to where they were before a write that failed. */
    interface Undo {
        void run() throws IOException;
    }

    private final Duration patience;
    private final BooleanSupplier hurry;
    private volatile Optional<String> trouble = Optional.empty();

    DiskPatience(Duration patience, BooleanSupplier hurry) {
        this.patience = patience;
        this.hurry = hurry;
    }

    /** What is being waited for. */
    Optional<String> trouble() {
        return trouble;
    }

    /** Writes, again and again if need be, each time from where it began. */
    <T> T write(Write<T> write, Undo undo) throws IOException {
        var waiting = new Waiting();
        while (true) {
            try {
                var written = write.run();
                waiting.over();
                return written;
            } catch (IOException e) {
                waiting.onOrThrow(e);
            }
            undo(undo, waiting);
        }
    }

    private static void undo(Undo undo, Waiting waiting) throws IOException {
        while (true) {
            try {
                undo.run();
                return;
            } catch (IOException e) {
                waiting.onOrThrow(e);
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
            var waiting = new Waiting();
            while (!frontier.recover()) {
                waiting.onOrThrow(new IOException(e.getMessage(), e), frontier.isAway());
            }
            waiting.over();
            return instead;
        }
    }

    private final class Waiting {

        private long since;

        void onOrThrow(IOException error) throws IOException {
            onOrThrow(error, false);
        }

        void onOrThrow(IOException error, boolean anyTime) throws IOException {
            var now = System.nanoTime();
            if (since == 0) {
                since = now;
                trouble = Optional.of(String.valueOf(error.getMessage()));
                LOG.warn("waiting for the disk: {}", error.getMessage());
            }
            if (hurry.getAsBoolean() || (!anyTime && now - since >= patience.toNanos())) {
                throw error;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }

        void over() {
            if (since != 0) {
                LOG.info("the disk works again");
                trouble = Optional.empty();
            }
        }
    }
}
