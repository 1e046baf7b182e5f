package dev.orbweaver.internal.frontier;

/**
 * A URL with its history, as stored in logs, snapshots and Redis: queued, leased or dead.
 *
 * @param equivalentRedirect whether a redirect gave it another spelling
 * @param attempts requests that failed
 * @param expiredLeases leases that expired because their holder was lost
 * @param notBefore when it may be leased, in milliseconds since 1970; 0 for now
 */
public record QueuedUrl(
        AcceptedUrl url,
        boolean equivalentRedirect,
        int attempts,
        int expiredLeases,
        long notBefore) {}
