package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Refusal;

import java.time.Instant;

public sealed interface Outcome {

    /** A final response is recorded; {@code page} if it is a stored 2xx document. */
    record Done(boolean page, long bytes) implements Outcome {}

    /**
     * The server redirects to another spelling of the same URL, which is requested once. (The two
     * share their key, so the seen set contains the target.)
     */
    record EquivalentRedirect(CrawlUrl url) implements Outcome {}

    /** Failed; to be requested again, not before a time. */
    record Retry(Instant notBefore, FailureCause cause) implements Outcome {}

    /** Failed for the last time; kept for inspection and to be queued again on request. */
    record Dead(FailureCause cause) implements Outcome {}

    /** Never requested. */
    record Withdrawn(Refusal reason) implements Outcome {}
}
