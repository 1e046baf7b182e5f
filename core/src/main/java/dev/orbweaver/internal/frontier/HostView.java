package dev.orbweaver.internal.frontier;

import java.time.Instant;
import java.util.Optional;

/**
 * A host as shown to users.
 *
 * @param queued URLs that wait, of all jobs
 * @param leased requests that may be in flight
 * @param due when it may be requested; empty if it has no URLs or as many leases as it may
 */
public record HostView(String host, long queued, int leased, State state, Optional<Instant> due) {

    public enum State {
        /** It has no URLs. */
        IDLE,
        /** Its delay has not passed yet. */
        WAITING,
        READY,
        /** As many leases are out as it may have. */
        BUSY,
        /** It asked for a pause, its robots.txt is unreachable, or it failed too often in a row. */
        RESTING
    }
}
