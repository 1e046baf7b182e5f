package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;

import java.util.function.BiConsumer;

/**
 * Where a {@link Workbench} keeps what grows with the crawl: keys seen, URLs that wait long, dead
 * letters.
 */
public interface FrontierStore {

    /** The key under which fingerprints are taken. */
    FingerprintKey fingerprintKey();

    /** The keys of a job. */
    SeenSet seen(int job);

    /** URLs put away. */
    SegmentStore segmentStore();

    /** The URL that a text was once taken from. */
    CrawlUrl url(String text);

    /** Keeps a URL that was given up. */
    void addDeadLetter(QueuedUrl url, FailureCause cause);

    /** Lets go of a URL that was given up and is to be tried again. */
    void removeDeadLetter(FrontierEvent.Requeued letter);

    /** Every URL given up and not taken back since, in order. */
    void forEachDeadLetter(BiConsumer<QueuedUrl, FailureCause> action);

    /** A file as a snapshot names it; told before the snapshot ends. */
    void restoreFile(FrontierEvent.FileState file);

    /** The snapshot has been read; what comes from now on happened after it. */
    void snapshotRead();

    /** The segment of this number, with all that was in the buffer, joins the store. */
    void addSegment(long segment);

    /** About how many bytes a queued URL takes. */
    int bytesPerUrl();

    /** Forgets what belongs to a job alone. */
    void deleteJob(int job);
}
