package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Durability;

/**
 * How a frontier uses its directory.
 *
 * @param urls creates the URLs of this crawl; their fingerprints are not stored with queued URLs,
 *     so they must be created the same way each time, under the key that is stored with the
 *     frontier
 * @param durability the failures that a completed call survives
 * @param minJournalBytes minimum length of a journal before a snapshot is taken
 * @param maxBufferBytes maximum bytes of new URLs in memory before they are flushed
 * @param minTableKeys minimum number of keys of a job before they move from memory to a table
 * @param backgroundMerge whether segments are merged on a separate thread
 */
public record DiskSettings(
        CrawlUrls urls,
        Durability durability,
        long minJournalBytes,
        long maxBufferBytes,
        long minTableKeys,
        boolean backgroundMerge) {

    private static final long JOURNAL = 64L << 20;
    private static final long BUFFER = 48L << 20;
    private static final long TABLE = 1L << 17;

    /** The defaults, for URLs under the default normalisation. */
    public static final DiskSettings DEFAULT = of(new CrawlUrls(Normalisation.DEFAULT));

    public static DiskSettings of(CrawlUrls urls) {
        return new DiskSettings(urls, Durability.PROCESS, JOURNAL, BUFFER, TABLE, true);
    }

    /**
     * Returns the maximum length of a journal beside a snapshot. Writing a snapshot must cost
     * little compared with what it saves, so large snapshots are taken less often. But a journal is
     * replayed at opening, which takes about a second per 30 MB.
     */
    long maxJournalBytes(long snapshotBytes) {
        return Math.clamp(4 * snapshotBytes, minJournalBytes, 4 * minJournalBytes);
    }

    public DiskSettings with(Durability other) {
        return new DiskSettings(
                urls, other, minJournalBytes, maxBufferBytes, minTableKeys, backgroundMerge);
    }

    /**
     * Returns settings with many small files and no background work, so that a test covers all of
     * it.
     */
    public DiskSettings withSmallFiles(long newRotateFrom) {
        return new DiskSettings(urls, durability, newRotateFrom, newRotateFrom, 50, false);
    }
}
