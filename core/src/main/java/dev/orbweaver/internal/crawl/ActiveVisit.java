package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.disk.BodyMemory;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.model.Body;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Optional;

/**
 * A lease in progress: its fetch thread, its reserved link memory, and whether it waits on the
 * network.
 */
final class ActiveVisit {

    private final Lease lease;
    private volatile Optional<Instant> waitingSince = Optional.empty();
    private @Nullable Thread fetchThread;
    private boolean aborted;
    private int reservedLinks;
    private Body body = Body.EMPTY;
    private boolean finished;

    ActiveVisit(Lease lease) {
        this.lease = lease;
    }

    Lease lease() {
        return lease;
    }

    /** Marks the visit as waiting for a host or a name server. */
    void startWaiting(Instant now) {
        waitingSince = Optional.of(now);
    }

    void stopWaiting() {
        waitingSince = Optional.empty();
    }

    boolean isWaitingSinceBefore(Instant since) {
        return waitingSince.filter(at -> at.isBefore(since)).isPresent();
    }

    /** Keeps a link budget reservation until the visit is finished. */
    synchronized void holdReservation(LinkBudget budget, int reserved) {
        if (finished) {
            budget.release(reserved);
        } else {
            reservedLinks = reserved;
        }
    }

    /**
     * Keeps the memory of a large body until the visit is finished: its records may refer to it.
     */
    synchronized void holdBody(Body received) {
        if (finished) {
            BodyMemory.shared().release(received);
        } else {
            body = received;
        }
    }

    /** Marks the visit as finished and releases its links and its body. */
    synchronized void finish(LinkBudget budget) {
        finished = true;
        BodyMemory.shared().release(body);
        body = Body.EMPTY;
        budget.release(reservedLinks);
        reservedLinks = 0;
    }

    /** Interrupts the request in flight and prevents further ones. */
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
            var _ = Thread.interrupted(); // Clears the flag: the interrupt was for the request.
        }
    }

    synchronized void requireNotAborted() throws AbortedException {
        if (aborted) {
            throw new AbortedException();
        }
    }
}
