package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;

/**
 * A URL that entered a job.
 *
 * @param hops redirects in a row that led to it
 * @param parent the capture that it was found in
 * @param rank its priority among the URLs of its host, 0 is first; see {@link Priority}
 * @param foundAt milliseconds since 1970
 */
public record AcceptedUrl(
        int job,
        CrawlUrl url,
        Hop hop,
        int depth,
        int hops,
        CaptureRef parent,
        int rank,
        long foundAt) {

    public AcceptedUrl redirectedTo(CrawlUrl target) {
        return new AcceptedUrl(job, target, hop, depth, hops + 1, parent, rank, foundAt);
    }
}
