package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;

import java.util.function.BiConsumer;

/**
 * Stores what grows with the crawl of a {@link Workbench}: keys seen, queued URLs, dead letters.
 */
public interface FrontierStore {

    FingerprintKey fingerprintKey();

    SeenSet seen(int job);

    SegmentStore segmentStore();

    /** The URL of a stored text. */
    CrawlUrl url(String text);

    void addDeadLetter(QueuedUrl url, FailureCause cause);

    void removeDeadLetter(FrontierEvent.Requeued letter);

    /** Every dead letter that was not requeued since, in order. */
    void forEachDeadLetter(BiConsumer<QueuedUrl, FailureCause> action);

    /** A file that a snapshot names; called before the snapshot ends. */
    void restoreFile(FrontierEvent.FileState file);

    /** The snapshot has been read; later calls happened after it. */
    void snapshotRead();

    /** The segment of this number, with all that was in the buffer, joins the store. */
    void addSegment(long segment);

    /** About how many bytes a queued URL takes. */
    int bytesPerUrl();

    void deleteJob(int job);
}
