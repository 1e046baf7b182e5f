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
 * @param last what its last visit stored; if it has one, {@code parent} is that visit
 * @param memo of its last visit, in a frontier that several workers share
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
        LastResult last,
        PageMemo memo) {

    /** In a stored number, what the last visit stored; above all bits of captures. */
    private static final int LAST_SHIFT = 53;

    private static final LastResult[] LAST_RESULTS = LastResult.values();

    public AcceptedUrl(
            int job,
            CrawlUrl url,
            Hop hop,
            int depth,
            int hops,
            CaptureRef parent,
            int rank,
            long foundAt) {
        this(job, url, hop, depth, hops, parent, rank, foundAt, LastResult.NONE);
    }

    public AcceptedUrl(
            int job,
            CrawlUrl url,
            Hop hop,
            int depth,
            int hops,
            CaptureRef parent,
            int rank,
            long foundAt,
            LastResult last) {
        this(job, url, hop, depth, hops, parent, rank, foundAt, last, PageMemo.NONE);
    }

    public boolean isRevisit() {
        return last != LastResult.NONE;
    }

    /** Returns {@code parent} and {@code last} as one number, for files. */
    @SuppressWarnings("EnumOrdinal") // Of a file format, which has a version.
    public long packedParent() {
        return parent.packed() | (long) last.ordinal() << LAST_SHIFT;
    }

    /** Decodes a result of {@link #packedParent}. */
    public static CaptureRef parent(long packed) {
        return CaptureRef.unpack(packed & ((1L << LAST_SHIFT) - 1));
    }

    /** Decodes a result of {@link #packedParent}. */
    public static LastResult last(long packed) {
        return LAST_RESULTS[Math.min(LAST_RESULTS.length - 1, (int) (packed >>> LAST_SHIFT))];
    }

    /** Returns the same URL for another job, or with another key. */
    public AcceptedUrl with(int otherJob, CrawlUrl rekeyed) {
        return new AcceptedUrl(
                otherJob, rekeyed, hop, depth, hops, parent, rank, foundAt, last, memo);
    }

    public AcceptedUrl redirectedTo(CrawlUrl target) {
        return new AcceptedUrl(
                job, target, hop, depth, hops + 1, parent, rank, foundAt, last, memo);
    }
}
