package dev.orbweaver.frontier;

import dev.orbweaver.model.FailureCause;

import java.time.Instant;

/** Where one URL stands. */
public sealed interface Explanation {

    /** No such URL was ever accepted. */
    record NeverAccepted() implements Explanation {}

    /** Waiting for its turn, with so many URLs of its host before it, not before a time. */
    record Queued(int ahead, Instant notBefore, int attempts) implements Explanation {}

    /** Withdrawn with all else on its host, and kept in case the host is let in again. */
    record Excluded(int attempts) implements Explanation {}

    /** Being requested. */
    record Leased(Instant deadline, int attempts) implements Explanation {}

    /** Given up after its last try. */
    record Dead(FailureCause cause, int attempts) implements Explanation {}

    /** Done or withdrawn; the page log tells which and how. */
    record Settled() implements Explanation {}
}
