package dev.orbweaver.internal.frontier;

import java.time.Instant;
import java.util.Optional;

/**
 * What the frontier waits for.
 *
 * @param known whether the frontier can tell when there is work; if not, nothing else here is set
 *     except the leases
 * @param ready a lease can be had now
 * @param leased leases outstanding
 * @param delayed hosts that wait for nothing but their plain delay, which is always waited out
 * @param nextDue when the next waiting host's turn comes
 * @param restingHost the host whose turn comes first among those that wait for a retry, a rest or
 *     robots.txt
 * @param restReason why it does, if that is known: it asked for it, or it failed
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

    /** Without a reason. */
    public NextWork(
            boolean ready, int leased, int delayed, Optional<Instant> nextDue, String restingOn) {
        this(ready, leased, delayed, nextDue, restingOn, "");
    }

    /** Nothing is queued. */
    public static NextWork nothingQueued(int leased) {
        return new NextWork(false, leased, 0, Optional.empty(), "");
    }

    /**
     * URLs are queued, but not known is when one can be leased: other jobs take turns on the same
     * hosts, or the storage is unavailable.
     */
    public static NextWork unknown(int leased) {
        return new NextWork(false, false, leased, 0, Optional.empty(), "", "");
    }

    /** Whether nothing is left to do, now or later. */
    public boolean isExhausted() {
        return known && !ready && leased == 0 && nextDue.isEmpty();
    }
}
