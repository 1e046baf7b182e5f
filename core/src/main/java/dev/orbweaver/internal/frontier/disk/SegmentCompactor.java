package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.frontier.Workbench;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.OptionalLong;

/**
 * Limits the number of segments by merging them. One merge runs at a time, on its own thread; its
 * result is installed with the next snapshot. Between snapshots segments are only added.
 */
final class SegmentCompactor implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SegmentCompactor.class);

    private final DiskSegmentStore diskSegmentStore;
    private final boolean background;
    private @Nullable RunningMerge runningMerge;
    private boolean closed;

    private static final class RunningMerge {
        private final SegmentMerge segmentMerge;
        private final Thread thread;
        private volatile boolean succeeded;

        private RunningMerge(SegmentMerge segmentMerge, DiskSegmentStore diskSegmentStore) {
            this.segmentMerge = segmentMerge;
            this.thread =
                    Thread.ofPlatform()
                            .daemon()
                            .name("frontier-merge")
                            .unstarted(() -> succeeded = attempt(segmentMerge, diskSegmentStore));
        }
    }

    SegmentCompactor(DiskSegmentStore diskSegmentStore, boolean background) {
        this.diskSegmentStore = diskSegmentStore;
        this.background = background;
    }

    private static boolean attempt(SegmentMerge segmentMerge, DiskSegmentStore diskSegmentStore) {
        try {
            return segmentMerge.run(diskSegmentStore);
        } catch (IOException | RuntimeException e) {
            // All its sources still exist; the next snapshot retries the merge.
            LOG.warn(
                    "could not merge segments, retrying after the next snapshot: {}",
                    e.getMessage());
            discard(segmentMerge, diskSegmentStore);
            return false;
        }
    }

    private static void discard(SegmentMerge segmentMerge, DiskSegmentStore diskSegmentStore) {
        try {
            diskSegmentStore.discard(segmentMerge.number());
        } catch (IOException e) {
            LOG.warn("could not delete an unfinished merge: {}", e.getMessage());
        }
    }

    /** Installs a finished merge and begins the next one, if one is needed. */
    void compact(Workbench bench) throws IOException {
        if (runningMerge != null && !runningMerge.thread.isAlive()) {
            if (runningMerge.succeeded) {
                diskSegmentStore.install(runningMerge.segmentMerge, bench);
            }
            runningMerge = null;
        }
        if (closed) {
            return;
        }
        if (background) {
            startMerge(bench);
        } else {
            mergeAll(bench);
        }
    }

    private void startMerge(Workbench bench) {
        var range = SegmentMerge.plan(diskSegmentStore.segments());
        if (runningMerge == null && range.length > 0) {
            runningMerge =
                    new RunningMerge(
                            SegmentMerge.of(diskSegmentStore, range, TakenUrls.of(bench)),
                            diskSegmentStore);
            runningMerge.thread.start();
        }
    }

    private void mergeAll(Workbench bench) throws IOException {
        for (var range = SegmentMerge.plan(diskSegmentStore.segments());
                range.length > 0;
                range = SegmentMerge.plan(diskSegmentStore.segments())) {
            var segmentMerge = SegmentMerge.of(diskSegmentStore, range, TakenUrls.of(bench));
            if (!attempt(segmentMerge, diskSegmentStore)) {
                return;
            }
            diskSegmentStore.install(segmentMerge, bench);
        }
    }

    /** Returns the number of the segment that is being written. */
    OptionalLong runningSegment() {
        return runningMerge == null
                ? OptionalLong.empty()
                : OptionalLong.of(runningMerge.segmentMerge.number());
    }

    /** Starts no more merges and cancels a running one. */
    @Override
    public void close() {
        closed = true;
        if (runningMerge != null) {
            runningMerge.segmentMerge.cancel();
            try {
                runningMerge.thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
