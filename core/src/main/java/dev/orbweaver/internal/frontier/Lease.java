package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.JobId;

import java.time.Instant;

/**
 * The right to request one URL until a deadline.
 *
 * @param token the fencing token: never reused, so a late holder of an old token is rejected
 * @param equivalentRedirect whether a redirect from another spelling led to this spelling of the
 *     URL
 * @param attempts earlier requests of the URL
 * @param revisit whether {@code parent} is the last visit of the URL
 */
public record Lease(
        long token,
        JobId job,
        CrawlUrl url,
        Hop hop,
        int depth,
        int hops,
        boolean equivalentRedirect,
        CaptureRef parent,
        int attempts,
        Instant foundAt,
        Instant deadline,
        boolean revisit) {

    /** Creates the lease of a URL that was not visited before. */
    public Lease(
            long token,
            JobId job,
            CrawlUrl url,
            Hop hop,
            int depth,
            int hops,
            boolean equivalentRedirect,
            CaptureRef parent,
            int attempts,
            Instant foundAt,
            Instant deadline) {
        this(
                token,
                job,
                url,
                hop,
                depth,
                hops,
                equivalentRedirect,
                parent,
                attempts,
                foundAt,
                deadline,
                false);
    }

    public Lease withParent(CaptureRef parent) {
        return new Lease(
                token,
                job,
                url,
                hop,
                depth,
                hops,
                equivalentRedirect,
                parent,
                attempts,
                foundAt,
                deadline,
                revisit);
    }
}
