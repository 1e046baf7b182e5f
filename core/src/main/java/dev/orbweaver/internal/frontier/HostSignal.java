package dev.orbweaver.internal.frontier;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The effect of a visit on what is known about its host. */
public sealed interface HostSignal {

    /** No request was made, so nothing is known and no delay applies. */
    record NoRequest() implements HostSignal {}

    /** The host responded within {@code responseTime}; its delay runs from {@code ended}. */
    record Healthy(Instant ended, Duration responseTime) implements HostSignal {

        /** A response of unknown duration. */
        public Healthy(Instant ended) {
            this(ended, Duration.ZERO);
        }
    }

    /** The request says nothing about the host's health; its delay runs from {@code ended}. */
    record Inconclusive(Instant ended) implements HostSignal {}

    /**
     * The host did not respond as a working host does. Ten of these in a row open the circuit
     * breaker.
     */
    record Failing(Instant ended) implements HostSignal {}

    /**
     * The response was a 5xx other than 503. It counts as {@link Failing}, but no rate limit is
     * inferred from it.
     *
     * @param repeated whether the URL had failed before. Then the page is more likely broken than
     *     its host: the visit counts neither as a failure nor as a success, except as a probe.
     */
    record ServerError(Instant ended, boolean repeated) implements HostSignal {

        /** The first failure of a URL. */
        public ServerError(Instant ended) {
            this(ended, false);
        }
    }

    /**
     * The host responded with 429 or 503. {@code until} is its Retry-After or, without one, our
     * default.
     *
     * @param error the server error, since 503 is one
     */
    record RateLimited(
            Instant ended, Instant until, boolean retryAfterGiven, Optional<ServerError> error)
            implements HostSignal {

        public RateLimited(Instant ended, Instant until, boolean said) {
            this(ended, until, said, Optional.empty());
        }

        /** For a response with Retry-After. */
        public RateLimited(Instant ended, Instant until) {
            this(ended, until, true);
        }
    }
}
