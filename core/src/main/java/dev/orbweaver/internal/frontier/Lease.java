package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.JobId;

import java.time.Instant;

/**
 * The right to request one URL until a deadline.
 *
 * @param token the fencing token: never given twice, so whoever comes back late with an old one is
 *     told apart
 * @param equivalentRedirect whether the URL was put in this spelling by a redirect from another
 *     spelling of it
 * @param attempts how often the URL was requested before
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
        Instant deadline) {

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
                deadline);
    }
}
