package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;

import java.util.function.BiConsumer;

/**
 * Stores the parts of a {@link Workbench} that grow with the crawl: seen keys, queued URLs, dead
 * letters.
 */
public interface FrontierStore {

    FingerprintKey fingerprintKey();

    SeenSet seen(int job);

    SegmentStore segmentStore();

    /** Parses a stored URL. */
    CrawlUrl url(String text);

    void addDeadLetter(QueuedUrl url, FailureCause cause);

    /**
     * Reports a visit without a response of a URL that has been visited before: it stays done.
     *
     * @param hostDown whether its host was given up
     */
    default void addFailedVisit(QueuedUrl url, boolean hostDown) {}

    void removeDeadLetter(FrontierEvent.Requeued letter);

    /** Passes every dead letter that was not requeued since, in order. */
    void forEachDeadLetter(BiConsumer<QueuedUrl, FailureCause> action);

    /** Restores a file that a snapshot names; called before the snapshot ends. */
    void restoreFile(FrontierEvent.FileState file);

    /** Reports that the snapshot has been read; later calls are changes after it. */
    void snapshotRead();

    /** Adds the segment with this number, which contains the whole buffer. */
    void addSegment(long segment);

    /** Returns the approximate number of bytes that a queued URL occupies. */
    int bytesPerUrl();

    void deleteJob(int job);
}
