package dev.orbweaver.internal.frontier;

import java.time.Instant;

/** Why a lease is returned unsettled, and until when its host must wait. */
public sealed interface ReleaseReason {

    /** A gate is closed; nothing was requested. */
    record GateClosed(Instant until) implements ReleaseReason {}

    /** The visit was used for the host's robots.txt; the host's delay runs from its end. */
    record RobotsFetched(Instant ended) implements ReleaseReason {}

    /**
     * robots.txt of the URL's origin is unreachable, so the URL waits until a time; robots.txt was
     * last requested at {@code ended}.
     */
    record RobotsUnreachable(Instant ended, Instant until) implements ReleaseReason {}

    /**
     * The request was lost with a kept connection that broke, or found no free connection: the host
     * may have seen it, so its delay runs, but it does not count as an attempt.
     */
    record NoResponse(Instant ended) implements ReleaseReason {}

    /** The crawl stops, whether or not there was a response. */
    record Stopping(Instant ended) implements ReleaseReason {}
}
