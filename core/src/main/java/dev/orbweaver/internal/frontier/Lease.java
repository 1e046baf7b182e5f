package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.VisitNumber;

import java.time.Instant;

/**
 * The right to request one URL until a deadline.
 *
 * @param token the fencing token: never reused, so a late holder of an old token is rejected
 * @param equivalentRedirect whether a redirect from another spelling led to this spelling of the
 *     URL
 * @param attempts earlier requests of the URL
 * @param revisit whether {@code parent} is the last visit of the URL
 * @param lastVisit the number of that visit; the first, if only its line has it
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
        boolean revisit,
        VisitNumber lastVisit) {

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
                false,
                VisitNumber.FIRST);
    }

    /** Returns the same lease with references to other captures. */
    public Lease with(CaptureRef parent, VisitNumber lastVisit) {
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
                revisit,
                lastVisit);
    }
}
