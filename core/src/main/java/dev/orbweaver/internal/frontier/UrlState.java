package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.FailureCause;

import java.time.Instant;

/** Where one URL stands. */
public sealed interface UrlState {

    /** No such URL was ever accepted. */
    record NeverAccepted() implements UrlState {}

    /** Waiting for its turn, with so many URLs of its host before it, not before a time. */
    record Queued(int ahead, Instant notBefore, int attempts) implements UrlState {}

    /** Withdrawn with all else on its host, and kept in case the host is let in again. */
    record Excluded(int attempts) implements UrlState {}

    /** Being requested. */
    record Leased(Instant deadline, int attempts) implements UrlState {}

    /** Given up after its last try. */
    record Dead(FailureCause cause, int attempts) implements UrlState {}

    /** Done or withdrawn; the page log tells which and how. */
    record Settled() implements UrlState {}
}
