package dev.orbweaver.internal.frontier;

import java.time.Instant;

/** Why a lease is returned unsettled, and until when its host must wait. */
public sealed interface ReleaseReason {

    /** A gate is closed; nothing was requested. */
    record GateClosed(Instant until) implements ReleaseReason {}

    /** The visit fetched the host's robots.txt; the host's delay runs from its end. */
    record RobotsFetched(Instant ended) implements ReleaseReason {}

    /**
     * The robots.txt of the URL's origin is unreachable, so the URL waits until a time. It was last
     * requested at {@code ended}.
     */
    record RobotsUnreachable(Instant ended, Instant until) implements ReleaseReason {}

    /**
     * The request was lost because a kept-alive connection broke, or because no connection was
     * free. The host may have seen it, so its delay runs, but it does not count as an attempt.
     */
    record NoResponse(Instant ended) implements ReleaseReason {}

    /** The crawl is stopping, whether or not there was a response. */
    record Stopping(Instant ended) implements ReleaseReason {}
}
