package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.FrontierStore;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.SeenSet;
import dev.orbweaver.internal.frontier.SegmentStore;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The store of a workbench whose hosts are claimed from a fleet. The fleet stores everything that
 * grows, so only dead letters and visits without a response are reported here.
 */
record ClaimedHostStore(
        BiConsumer<QueuedUrl, FailureCause> onDeadLetter,
        BiConsumer<QueuedUrl, Boolean> onFailedVisit)
        implements FrontierStore {

    /** Every URL here has been seen. */
    private static final SeenSet SEEN =
            new SeenSet() {
                @Override
                public boolean contains(Fingerprint key) {
                    return true;
                }

                @Override
                public void add(Fingerprint key) {
                    throw new IllegalStateException("a worker accepts no new URLs itself");
                }

                @Override
                public void commit() {}

                @Override
                public void forEach(Consumer<Fingerprint> action) {}
            };

    @Override
    public FingerprintKey fingerprintKey() {
        throw new IllegalStateException("the fleet has the fingerprint key");
    }

    @Override
    public SeenSet seen(int job) {
        return SEEN;
    }

    @Override
    public SegmentStore segmentStore() {
        return SegmentStore.NONE;
    }

    @Override
    public CrawlUrl url(String text) {
        throw new IllegalStateException("a worker flushes no URLs: " + text);
    }

    @Override
    public void addDeadLetter(QueuedUrl url, FailureCause cause) {
        onDeadLetter.accept(url, cause);
    }

    @Override
    public void addFailedVisit(QueuedUrl url, boolean hostDown) {
        onFailedVisit.accept(url, hostDown);
    }

    @Override
    public void removeDeadLetter(FrontierEvent.Requeued letter) {
        throw new IllegalStateException("a worker stores no dead letters");
    }

    @Override
    public void forEachDeadLetter(BiConsumer<QueuedUrl, FailureCause> action) {}

    @Override
    public void restoreFile(FrontierEvent.FileState file) {
        throw new IllegalStateException("a worker has no frontier files: " + file);
    }

    @Override
    public void snapshotRead() {}

    @Override
    public void addSegment(long segment) {
        throw new IllegalStateException("a worker has no segment " + segment);
    }

    @Override
    public int bytesPerUrl() {
        return 100;
    }

    @Override
    public void deleteJob(int job) {}
}
