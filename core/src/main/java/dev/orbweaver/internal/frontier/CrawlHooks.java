package dev.orbweaver.internal.frontier;

import java.util.function.Consumer;

/**
 * What a frontier calls and reads of the crawl of a job while that runs.
 *
 * @param admission sees the URLs that the job accepts
 * @param revoked is called, from any thread, with leases whose requests must be aborted at once
 *     because others may pass their gates
 * @param maxPages bounds the leases of a job that several workers share; the crawl of one worker
 *     counts its own
 */
public record CrawlHooks(AdmissionHook admission, Consumer<Lease> revoked, long maxPages) {

    public static final CrawlHooks NONE =
            new CrawlHooks(AdmissionHook.NONE, _ -> {}, Long.MAX_VALUE);
}
