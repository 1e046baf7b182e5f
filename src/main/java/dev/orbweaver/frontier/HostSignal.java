package dev.orbweaver.frontier;

import java.time.Duration;
import java.time.Instant;

/** What a visit showed about its host. */
public sealed interface HostSignal {

    /** No request was made, so nothing was learnt and no delay is due. */
    record Untouched() implements HostSignal {}

    /** The host answered within {@code took}; its delay runs from {@code ended}. */
    record Healthy(Instant ended, Duration took) implements HostSignal {

        /** An answer of which nobody measured how long it took. */
        public Healthy(Instant ended) {
            this(ended, Duration.ZERO);
        }
    }

    /** A request was made that shows nothing of the host; its delay runs from {@code ended}. */
    record Unjudged(Instant ended) implements HostSignal {}

    /** The host did not answer as a working host does. Ten of these in a row make it rest. */
    record Failing(Instant ended) implements HostSignal {}

    /**
     * The response was a 5xx other than 503. It counts as {@link Failing} does, but a rate limit is
     * not deduced from it.
     */
    record ServerError(Instant ended) implements HostSignal {}

    /**
     * The host asked for quiet until a time, by Retry-After; or it only refused, with 429 or 503,
     * and the time is for want of its own word.
     *
     * @param failing whether the visit counts as failed, as it does with 503
     */
    record Slow(Instant ended, Instant until, boolean said, boolean failing) implements HostSignal {

        /** A host that limits its rate. */
        public Slow(Instant ended, Instant until, boolean said) {
            this(ended, until, said, false);
        }

        /** A host that limits its rate and said until when. */
        public Slow(Instant ended, Instant until) {
            this(ended, until, true);
        }
    }
}
