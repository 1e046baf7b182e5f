package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Refusal;

import java.time.Instant;

public sealed interface Outcome {

    /** A final response is recorded; {@code page} if it is a stored 2xx document. */
    record Done(boolean page, long bytes) implements Outcome {}

    /**
     * The server redirects to another spelling of the same URL, which is requested once. Both have
     * the same key, so the seen set already contains the target.
     */
    record EquivalentRedirect(CrawlUrl url) implements Outcome {}

    /** The request failed; it is retried, not before a time. */
    record Retry(Instant notBefore, FailureCause cause) implements Outcome {}

    /** The last attempt failed; the URL is kept for inspection and can be requeued. */
    record Dead(FailureCause cause) implements Outcome {}

    /** The URL was never requested. */
    record Withdrawn(Refusal reason) implements Outcome {}
}
