package dev.orbweaver.internal.frontier;

import java.util.function.Consumer;

/**
 * Callbacks and settings of a running crawl that a frontier uses.
 *
 * @param admission sees the URLs that the job accepts
 * @param revoked is called, from any thread, with leases whose requests must be aborted at once
 *     because others may pass their gates
 * @param maxPages limits the leases of a job that several workers share; a crawl with one worker
 *     counts its own pages
 */
public record CrawlHooks(AdmissionHook admission, Consumer<Lease> revoked, long maxPages) {

    public static final CrawlHooks NONE =
            new CrawlHooks(AdmissionHook.NONE, _ -> {}, Long.MAX_VALUE);
}
