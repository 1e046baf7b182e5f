package dev.orbweaver.internal.frontier;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What a visit showed about its host. */
public sealed interface HostSignal {

    /** No request was made, so nothing was learnt and no delay is due. */
    record NoRequest() implements HostSignal {}

    /** The host responded within {@code responseTime}; its delay runs from {@code ended}. */
    record Healthy(Instant ended, Duration responseTime) implements HostSignal {

        /** A response of unknown duration. */
        public Healthy(Instant ended) {
            this(ended, Duration.ZERO);
        }
    }

    /** A request was made that shows nothing about the host; its delay runs from {@code ended}. */
    record Inconclusive(Instant ended) implements HostSignal {}

    /** The host did not respond as a working host does. Ten of these in a row make it rest. */
    record Failing(Instant ended) implements HostSignal {}

    /**
     * The response was a 5xx other than 503. It counts as {@link Failing} does, but a rate limit is
     * not deduced from it.
     *
     * @param repeated whether the URL had failed before. Then the page is more likely broken than
     *     its host: the visit counts neither as failed nor as good, except as a probe.
     */
    record ServerError(Instant ended, boolean repeated) implements HostSignal {

        /** The first failure of a URL. */
        public ServerError(Instant ended) {
            this(ended, false);
        }
    }

    /**
     * The host asked for a pause until a time, by Retry-After; or it only refused, with 429 or 503,
     * and the time is our default.
     *
     * @param error the server error that it was, as 503 is one
     */
    record RateLimited(
            Instant ended, Instant until, boolean retryAfterGiven, Optional<ServerError> error)
            implements HostSignal {

        public RateLimited(Instant ended, Instant until, boolean said) {
            this(ended, until, said, Optional.empty());
        }

        /** With a Retry-After. */
        public RateLimited(Instant ended, Instant until) {
            this(ended, until, true);
        }
    }
}
