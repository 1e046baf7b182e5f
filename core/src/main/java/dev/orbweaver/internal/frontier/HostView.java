package dev.orbweaver.internal.frontier;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The state of a host for display.
 *
 * @param queued waiting URLs of all jobs
 * @param leased requests that may be in flight
 * @param priority of its next URL, from 0 to 100; empty if it has none, or only delayed ones
 * @param due when it may be requested; empty if it has no URLs or its maximum number of leases
 */
public record HostView(
        String host,
        long queued,
        int leased,
        OptionalInt priority,
        State state,
        Optional<Instant> due) {

    public enum State {
        /** It has no URLs. */
        IDLE,
        /** Its delay has not passed yet. */
        WAITING,
        READY,
        /** Its maximum number of leases is outstanding. */
        BUSY,
        /** It sent Retry-After, its robots.txt is unreachable, or it failed too often in a row. */
        RESTING
    }
}
