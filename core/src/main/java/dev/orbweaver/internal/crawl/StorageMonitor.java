package dev.orbweaver.internal.crawl;

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
 * the disk patience, the crawl ends. Like {@link LoopPolicy} it has no thread or clock.
 */
final class StorageMonitor {

    private static final Logger LOG = LoggerFactory.getLogger(StorageMonitor.class);
    private static final Duration BACKOFF_FIRST = Duration.ofMillis(250);
    private static final Duration BACKOFF_MAX = Duration.ofSeconds(10);
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

    private final Duration timeout;
    private final LocalStorage storage;
    private Optional<IOException> problem = Optional.empty();
    private Instant failingSince = Instant.MAX;
    private Instant lastFailure = Instant.MIN;
    private Instant nextCheck = Instant.MIN;
    private Duration backoff = BACKOFF_FIRST;

    StorageMonitor(Duration patience, LocalStorage storage) {
        this.timeout = patience;
        this.storage = storage;
    }

    /** What is being waited for. */
    synchronized Optional<String> problem() {
        return problem.map(StorageMonitor::message);
    }

    /** Something local has failed. */
    synchronized void onFailure(IOException error, Instant now) {
        if (failingSince.equals(Instant.MAX) || isUnrelated(now)) {
            failingSince = now;
            backoff = BACKOFF_FIRST;
        }
        lastFailure = now;
        if (problem.isEmpty()) {
            LOG.warn("no more requests for now, local storage fails: {}", message(error));
            nextCheck = now.plus(backoff);
            var doubled = backoff.multipliedBy(2);
            backoff = doubled.compareTo(BACKOFF_MAX) > 0 ? BACKOFF_MAX : doubled;
        }
        problem = Optional.of(error);
    }

    /** Whether the last failure was so long ago that a new one has nothing to do with it. */
    private boolean isUnrelated(Instant now) {
        return Duration.between(lastFailure, now).minus(BACKOFF_MAX).compareTo(timeout) > 0;
    }

    /** A response was kept in a file. */
    synchronized void onSuccess() {
        if (problem.isEmpty()) {
            failingSince = Instant.MAX;
        }
    }

    /** Whether requests may be made; runs the check when it is due. */
    boolean isUsable(Instant now) {
        if (!isDue(now)) {
            return problem().isEmpty();
        }
        try {
            if (problem().isPresent()) {
                storage.repair();
            }
            storage.check();
            onRecovered();
            return true;
        } catch (IOException e) {
            onFailure(e, now);
            return false;
        }
    }

    private synchronized boolean isDue(Instant now) {
        if (now.isBefore(nextCheck)) {
            return false;
        }
        nextCheck = now.plus(problem.isPresent() ? BACKOFF_FIRST : CHECK_INTERVAL);
        return true;
    }

    private synchronized void onRecovered() {
        if (problem.isPresent()) {
            LOG.info("local storage works again");
            problem = Optional.empty();
        }
    }

    /** Why to end, once failures have gone on for longer than the patience. */
    synchronized Optional<IOException> timedOut(Instant now) {
        return problem.filter(_ -> Duration.between(failingSince, now).compareTo(timeout) >= 0);
    }

    private static String message(IOException error) {
        return error.getMessage() == null ? error.toString() : error.getMessage();
    }
}
