package dev.orbweaver.internal.frontier;

import java.time.Instant;

/** Why a lease is given back unsettled, and until when its host must wait. */
public sealed interface ReleaseReason {

    /** A gate is closed; nothing was requested. */
    record GateClosed(Instant until) implements ReleaseReason {}

    /** The visit was spent on the host's robots.txt; the host's delay runs from its end. */
    record RobotsFetched(Instant ended) implements ReleaseReason {}

    /**
     * robots.txt of the URL's origin cannot be had, so the URL waits until a time; it was last
     * asked for at {@code ended}.
     */
    record RobotsUnreachable(Instant ended, Instant until) implements ReleaseReason {}

    /**
     * The request was lost with a kept connection that broke under it, or found no connection free:
     * it may have been seen, so the host's delay runs, but it counts as no try.
     */
    record NoResponse(Instant ended) implements ReleaseReason {}

    /** The crawl stops, whatever came of the request. */
    record Stopping(Instant ended) implements ReleaseReason {}
}
