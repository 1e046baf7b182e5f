package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.FailureCause;

import java.time.Instant;

/** The state of a URL in the frontier. */
public sealed interface UrlState {

    record NeverAccepted() implements UrlState {}

    /** Queued with a priority from 0 to 100, with {@code ahead} URLs of its host before it. */
    record Queued(int priority, int ahead, Instant notBefore, int attempts) implements UrlState {}

    /** Withdrawn with all URLs of its host, and kept in case the host is no longer excluded. */
    record Excluded(int attempts) implements UrlState {}

    record Leased(Instant deadline, int attempts) implements UrlState {}

    record Dead(FailureCause cause, int attempts) implements UrlState {}

    /** Done or withdrawn; the page log has the details. */
    record Settled() implements UrlState {}
}
