package dev.orbweaver.internal.frontier;

import java.time.Instant;
import java.util.Optional;

/**
 * A host as somebody who looks on sees it.
 *
 * @param queued URLs that wait, of all jobs
 * @param leased requests that may be under way
 * @param due from when on it may be asked; nothing when it has no URLs or as many leases as it may
 */
public record HostView(String host, long queued, int leased, State state, Optional<Instant> due) {

    /** What a host is doing. */
    public enum State {
        /** It has no URLs. */
        IDLE,
        /** Its delay has not passed yet. */
        WAITING,
        /** It is in the line of hosts. */
        READY,
        /** As many leases are out as it may have. */
        BUSY,
        /** It asked for quiet, hides its robots.txt or failed too often in a row. */
        RESTING
    }
}
