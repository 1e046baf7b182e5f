package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Refusal;

import java.time.Instant;

/** What became of a leased URL. */
public sealed interface Outcome {

    /** A final answer is recorded; {@code page} when it is a stored 2xx document. */
    record Done(boolean page, long bytes) implements Outcome {}

    /**
     * The server redirects to another spelling of the same URL, which is asked for once. (The two
     * share their key, so to the seen set the target is old.)
     */
    record EquivalentRedirect(CrawlUrl url) implements Outcome {}

    /** To be asked again, not before a time. */
    record Retry(Instant notBefore, FailureCause cause) implements Outcome {}

    /** Given up, to be looked at and queued again by hand. */
    record Dead(FailureCause cause) implements Outcome {}

    /** Never asked for, and why. */
    record Withdrawn(Refusal reason) implements Outcome {}
}
