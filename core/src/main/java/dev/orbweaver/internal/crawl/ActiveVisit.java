package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.Lease;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Optional;

/** A lease that is being worked on. */
final class ActiveVisit {

    private final Lease lease;
    private volatile Optional<Instant> waitingSince = Optional.empty();
    private @Nullable Thread fetchThread;
    private boolean aborted;
    private int reservedLinks;
    private boolean finished;

    ActiveVisit(Lease lease) {
        this.lease = lease;
    }

    Lease lease() {
        return lease;
    }

    /** From now on it waits for a host or a name server. */
    void startWaiting(Instant now) {
        waitingSince = Optional.of(now);
    }

    void stopWaiting() {
        waitingSince = Optional.empty();
    }

    boolean isWaitingSinceBefore(Instant since) {
        return waitingSince.filter(at -> at.isBefore(since)).isPresent();
    }

    /** Keeps what is reserved for its links until it is finished. */
    synchronized void holdReservation(LinkBudget budget, int reserved) {
        if (finished) {
            budget.release(reserved);
        } else {
            reservedLinks = reserved;
        }
    }

    /** Nothing of it is waited for any more. */
    synchronized void finish(LinkBudget budget) {
        finished = true;
        budget.release(reservedLinks);
        reservedLinks = 0;
    }

    /** Ends the request that is in flight, and lets no other begin. */
    synchronized void abort() {
        aborted = true;
        if (fetchThread != null) {
            fetchThread.interrupt();
        }
    }

    synchronized void beginFetch() throws AbortedException {
        requireNotAborted();
        fetchThread = Thread.currentThread();
    }

    synchronized void endFetch() {
        fetchThread = null;
        if (aborted) {
            var _ = Thread.interrupted(); // Only the request was to be interrupted.
        }
    }

    synchronized void requireNotAborted() throws AbortedException {
        if (aborted) {
            throw new AbortedException();
        }
    }
}
