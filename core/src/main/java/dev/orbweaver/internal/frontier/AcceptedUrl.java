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
 * @param revisit whether the job has visited it before; then {@code parent} is the last visit
 */
public record AcceptedUrl(
        int job,
        CrawlUrl url,
        Hop hop,
        int depth,
        int hops,
        CaptureRef parent,
        int rank,
        long foundAt,
        boolean revisit) {

    /** Marks in a stored number that the capture is the last visit; above all bits of captures. */
    private static final long REVISIT = 1L << 53;

    public AcceptedUrl(
            int job,
            CrawlUrl url,
            Hop hop,
            int depth,
            int hops,
            CaptureRef parent,
            int rank,
            long foundAt) {
        this(job, url, hop, depth, hops, parent, rank, foundAt, false);
    }

    /** Returns {@code parent} and {@code revisit} as one number, for files. */
    public long packedParent() {
        return parent.packed() | (revisit ? REVISIT : 0);
    }

    /** Decodes a result of {@link #packedParent}. */
    public static CaptureRef parent(long packed) {
        return CaptureRef.unpack(packed & ~REVISIT);
    }

    /** Decodes a result of {@link #packedParent}. */
    public static boolean isRevisit(long packed) {
        return (packed & REVISIT) != 0;
    }

    /** Returns the same URL for another job, or with another key. */
    public AcceptedUrl with(int otherJob, CrawlUrl rekeyed) {
        return new AcceptedUrl(otherJob, rekeyed, hop, depth, hops, parent, rank, foundAt, revisit);
    }

    public AcceptedUrl redirectedTo(CrawlUrl target) {
        return new AcceptedUrl(job, target, hop, depth, hops + 1, parent, rank, foundAt, revisit);
    }
}
