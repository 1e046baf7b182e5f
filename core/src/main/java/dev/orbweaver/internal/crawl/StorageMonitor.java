package dev.orbweaver.internal.crawl;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides whether requests may be sent after a local failure. Examples are a body that could not be
 * stored, no free file or socket, and a missing crawl directory.
 *
 * <p>A response that cannot be stored wastes a request. So after a failure nothing is leased until
 * a backoff has passed and a check of the storage succeeds. When failures last longer than the
 * timeout, the crawl ends. Like {@link LoopPolicy} it has no thread or clock.
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

    StorageMonitor(Duration timeout, LocalStorage storage) {
        this.timeout = timeout;
        this.storage = storage;
    }

    /** Returns the current problem, if any. */
    synchronized Optional<String> problem() {
        return problem.map(StorageMonitor::message);
    }

    /** Records a local failure. */
    synchronized void onFailure(IOException error, Instant now) {
        if (failingSince.equals(Instant.MAX) || isUnrelated(now)) {
            failingSince = now;
            backoff = BACKOFF_FIRST;
        }
        lastFailure = now;
        if (problem.isEmpty()) {
            LOG.warn("pausing requests, local storage failed: {}", message(error));
            nextCheck = now.plus(backoff);
            var doubled = backoff.multipliedBy(2);
            backoff = doubled.compareTo(BACKOFF_MAX) > 0 ? BACKOFF_MAX : doubled;
        }
        problem = Optional.of(error);
    }

    /** Returns whether the last failure was too long ago to belong to the same outage. */
    private boolean isUnrelated(Instant now) {
        return Duration.between(lastFailure, now).minus(BACKOFF_MAX).compareTo(timeout) > 0;
    }

    /** Records that a response was stored in a file. */
    synchronized void onSuccess() {
        if (problem.isEmpty()) {
            failingSince = Instant.MAX;
        }
    }

    /** Returns whether requests may be sent; runs the check when it is due. */
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
            LOG.info("local storage is available again");
            problem = Optional.empty();
        }
    }

    /** Returns the error that ends the crawl, once failures have lasted longer than the timeout. */
    synchronized Optional<IOException> timedOut(Instant now) {
        return problem.filter(_ -> Duration.between(failingSince, now).compareTo(timeout) >= 0);
    }

    private static String message(IOException error) {
        return error.getMessage() == null ? error.toString() : error.getMessage();
    }
}
