package dev.orbweaver.crawl;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides whether requests may be made although something local has failed: a body could not be
 * kept, no file or socket could be opened, the crawl's directory is gone.
 *
 * <p>A response that cannot be kept is a request wasted, so after a failure nothing is leased until
 * a back-off has passed and a check of the storage succeeds. When failures go on for longer than
 * the disk patience, the crawl ends. Like {@link Course} it has no thread or clock.
 */
final class StorageMonitor {

    private static final Logger LOG = LoggerFactory.getLogger(StorageMonitor.class);
    private static final Duration BACKOFF_FIRST = Duration.ofMillis(250);
    private static final Duration BACKOFF_MAX = Duration.ofSeconds(10);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    private final Duration patience;
    private final LocalStorage storage;
    private Optional<IOException> trouble = Optional.empty();
    private Instant failingSince = Instant.MAX;
    private Instant lastFailure = Instant.MIN;
    private Instant nextCheck = Instant.MIN;
    private Duration backoff = BACKOFF_FIRST;

    StorageMonitor(Duration patience, LocalStorage storage) {
        this.patience = patience;
        this.storage = storage;
    }

    /** What is being waited for. */
    synchronized Optional<String> trouble() {
        return trouble.map(StorageMonitor::message);
    }

    /** Something local has failed. */
    synchronized void failed(IOException error, Instant now) {
        if (failingSince.equals(Instant.MAX) || unrelated(now)) {
            failingSince = now;
            backoff = BACKOFF_FIRST;
        }
        lastFailure = now;
        if (trouble.isEmpty()) {
            LOG.warn("no more requests for now, local storage fails: {}", message(error));
            nextCheck = now.plus(backoff);
            var doubled = backoff.multipliedBy(2);
            backoff = doubled.compareTo(BACKOFF_MAX) > 0 ? BACKOFF_MAX : doubled;
        }
        trouble = Optional.of(error);
    }

    /** Whether the last failure was so long ago that a new one has nothing to do with it. */
    private boolean unrelated(Instant now) {
        return Duration.between(lastFailure, now).minus(BACKOFF_MAX).compareTo(patience) > 0;
    }

    /** A response was kept in a file. */
    synchronized void worked() {
        if (trouble.isEmpty()) {
            failingSince = Instant.MAX;
        }
    }

    /** Whether requests may be made; runs the check when it is due. */
    boolean usable(Instant now) {
        if (!due(now)) {
            return trouble().isEmpty();
        }
        try {
            if (trouble().isPresent()) {
                storage.repair();
            }
            storage.check();
            recovered();
            return true;
        } catch (IOException e) {
            failed(e, now);
            return false;
        }
    }

    private synchronized boolean due(Instant now) {
        if (now.isBefore(nextCheck)) {
            return false;
        }
        nextCheck = now.plus(trouble.isPresent() ? BACKOFF_FIRST : LOOK_EVERY);
        return true;
    }

    private synchronized void recovered() {
        if (trouble.isPresent()) {
            LOG.info("local storage works again");
            trouble = Optional.empty();
        }
    }

    /** Why to end, once failures have gone on for longer than the patience. */
    synchronized Optional<IOException> exhausted(Instant now) {
        return trouble.filter(_ -> Duration.between(failingSince, now).compareTo(patience) >= 0);
    }

    private static String message(IOException error) {
        return error.getMessage() == null ? error.toString() : error.getMessage();
    }
}
