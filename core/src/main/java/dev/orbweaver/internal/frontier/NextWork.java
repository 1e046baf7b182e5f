package dev.orbweaver.internal.frontier;

import java.time.Instant;
import java.util.Optional;

/**
 * What the frontier waits for.
 *
 * @param ready a lease can be had now
 * @param leased leases outstanding
 * @param delayed hosts that wait for nothing but their plain delay, which is always waited out
 * @param nextDue when the next waiting host's turn comes
 * @param restingHost the host whose turn comes first among those that wait for a retry, a rest or
 *     robots.txt
 * @param restReason why it does, if that is known: it asked for it, or it failed
 */
public record NextWork(
        boolean ready,
        int leased,
        int delayed,
        Optional<Instant> nextDue,
        String restingHost,
        String restReason) {

    /** An outlook that gives no reason. */
    public NextWork(
            boolean ready, int leased, int delayed, Optional<Instant> nextDue, String restingOn) {
        this(ready, leased, delayed, nextDue, restingOn, "");
    }

    /** Whether nothing is left to do, now or later. */
    public boolean isExhausted() {
        return !ready && leased == 0 && nextDue.isEmpty();
    }
}
