package dev.orbweaver.frontier.disk;

import dev.orbweaver.url.CrawlUrls;
import dev.orbweaver.url.Normalisation;

/**
 * How a frontier uses its folder.
 *
 * @param urls makes the URLs of this crawl; their fingerprints are not kept with queued URLs, so
 *     they must be made the same way each time, under the key that is stored with the frontier
 * @param durability what a call that has returned survives
 * @param rotateFrom how long a journal must be before a snapshot is taken
 * @param nurseryBytes how many bytes of new URLs are kept in memory before they are shelved
 * @param tableFrom how many keys a job must have seen before they go from memory to a table
 * @param background whether segments are merged on a thread of their own
 */
public record DiskSettings(
        CrawlUrls urls,
        Durability durability,
        long rotateFrom,
        long nurseryBytes,
        long tableFrom,
        boolean background) {

    /** What a call that has returned survives. */
    public enum Durability {
        /** The death of the process. */
        PROCESS,
        /** A loss of power too: every group is forced to the disk. */
        POWER
    }

    private static final long JOURNAL = 64L << 20;
    private static final long NURSERY = 48L << 20;
    private static final long TABLE = 1L << 17;

    /** Plain settings for URLs under the default normalisation. */
    public static final DiskSettings DEFAULT = of(new CrawlUrls(Normalisation.DEFAULT));

    /** Plain settings. */
    public static DiskSettings of(CrawlUrls urls) {
        return new DiskSettings(urls, Durability.PROCESS, JOURNAL, NURSERY, TABLE, true);
    }

    /**
     * How long a journal gets beside a snapshot of a length. Writing a snapshot must cost little
     * beside what it saves, so the longer it is, the rarer; but a journal is replayed at opening,
     * which takes a second for each 30 MB or so.
     */
    long rotateAt(long snapshotBytes) {
        return Math.clamp(4 * snapshotBytes, rotateFrom, 4 * rotateFrom);
    }

    /** The same with another durability. */
    public DiskSettings with(Durability other) {
        return new DiskSettings(urls, other, rotateFrom, nurseryBytes, tableFrom, background);
    }

    /** The same with URLs that are made otherwise. */
    public DiskSettings with(CrawlUrls others) {
        return new DiskSettings(
                others, durability, rotateFrom, nurseryBytes, tableFrom, background);
    }

    /** Small files, many of them, and nothing in the background, so that a test sees all of it. */
    public DiskSettings tiny(long newRotateFrom) {
        return new DiskSettings(urls, durability, newRotateFrom, newRotateFrom, 50, false);
    }
}
