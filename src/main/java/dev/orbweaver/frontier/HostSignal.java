package dev.orbweaver.frontier;

import java.time.Instant;

/** What a visit showed about its host. */
public sealed interface HostSignal {

    /** No request was made, so nothing was learnt and no delay is due. */
    record Untouched() implements HostSignal {}

    /** The host answered; its delay runs from {@code ended}. */
    record Healthy(Instant ended) implements HostSignal {}

    /** The host did not answer as a working host does. Ten of these in a row make it rest. */
    record Failing(Instant ended) implements HostSignal {}

    /** The host asked for quiet until a time, by 429, 503 or Retry-After. */
    record Slow(Instant ended, Instant until) implements HostSignal {}
}
