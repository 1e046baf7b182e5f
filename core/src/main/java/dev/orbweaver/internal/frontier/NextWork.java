package dev.orbweaver.internal.frontier;

import java.time.Instant;
import java.util.Optional;

/**
 * Describes when the frontier can issue the next lease, and which hosts it waits for.
 *
 * @param known whether the frontier knows when there is work; if not, nothing else here is set
 *     except the leases
 * @param ready whether a lease is available now
 * @param leased outstanding leases
 * @param delayed hosts that wait only for their regular delay, for which there is no maximum wait
 * @param nextDue when the next waiting host is due
 * @param restingHost the first to become due of the hosts that wait for a retry, a rest or
 *     robots.txt
 * @param restReason why it waits, if known: Retry-After or failures
 */
public record NextWork(
        boolean known,
        boolean ready,
        int leased,
        int delayed,
        Optional<Instant> nextDue,
        String restingHost,
        String restReason) {

    public NextWork(
            boolean ready,
            int leased,
            int delayed,
            Optional<Instant> nextDue,
            String restingHost,
            String restReason) {
        this(true, ready, leased, delayed, nextDue, restingHost, restReason);
    }

    public NextWork(
            boolean ready, int leased, int delayed, Optional<Instant> nextDue, String restingOn) {
        this(ready, leased, delayed, nextDue, restingOn, "");
    }

    public static NextWork nothingQueued(int leased) {
        return new NextWork(false, leased, 0, Optional.empty(), "");
    }

    /**
     * URLs are queued, but it is unknown when one can be leased: other jobs take turns on the same
     * hosts, or the storage is unavailable.
     */
    public static NextWork unknown(int leased) {
        return new NextWork(false, false, leased, 0, Optional.empty(), "", "");
    }

    public boolean isExhausted() {
        return known && !ready && leased == 0 && nextDue.isEmpty();
    }
}
