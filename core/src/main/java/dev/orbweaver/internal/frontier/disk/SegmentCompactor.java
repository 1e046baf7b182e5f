package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.frontier.Workbench;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.OptionalLong;

/**
 * Keeps the segments few. One merge runs at a time, on a thread of its own; its result takes its
 * place when the next snapshot is taken; between snapshots segments are only added.
 */
final class SegmentCompactor implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SegmentCompactor.class);

    private final DiskSegmentStore diskSegmentStore;
    private final boolean background;
    private @Nullable RunningMerge runningMerge;
    private boolean closed;

    private static final class RunningMerge {
        private final Merge merge;
        private final Thread thread;
        private volatile boolean succeeded;

        private RunningMerge(Merge merge, DiskSegmentStore diskSegmentStore) {
            this.merge = merge;
            this.thread =
                    Thread.ofPlatform()
                            .daemon()
                            .name("frontier-merge")
                            .unstarted(() -> succeeded = attempt(merge, diskSegmentStore));
        }
    }

    SegmentCompactor(DiskSegmentStore diskSegmentStore, boolean background) {
        this.diskSegmentStore = diskSegmentStore;
        this.background = background;
    }

    private static boolean attempt(Merge merge, DiskSegmentStore diskSegmentStore) {
        try {
            return merge.run(diskSegmentStore);
        } catch (IOException | RuntimeException e) {
            // What it was to be made from is all still there; the next snapshot tries again.
            LOG.warn("segments could not be merged: {}", e.getMessage());
            discard(merge, diskSegmentStore);
            return false;
        }
    }

    private static void discard(Merge merge, DiskSegmentStore diskSegmentStore) {
        try {
            diskSegmentStore.discard(merge.number());
        } catch (IOException e) {
            LOG.warn("what there is of a merge stays for now: {}", e.getMessage());
        }
    }

    /** Puts a finished merge in place and begins the next one, if there is one to do. */
    void compact(Workbench bench) throws IOException {
        if (runningMerge != null && !runningMerge.thread.isAlive()) {
            if (runningMerge.succeeded) {
                diskSegmentStore.install(runningMerge.merge, bench);
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
        var range = Merge.plan(diskSegmentStore.segments());
        if (runningMerge == null && range.length > 0) {
            runningMerge =
                    new RunningMerge(
                            Merge.of(diskSegmentStore, range, bench.takenCounts()),
                            diskSegmentStore);
            runningMerge.thread.start();
        }
    }

    private void mergeAll(Workbench bench) throws IOException {
        for (var range = Merge.plan(diskSegmentStore.segments());
                range.length > 0;
                range = Merge.plan(diskSegmentStore.segments())) {
            var merge = Merge.of(diskSegmentStore, range, bench.takenCounts());
            if (!attempt(merge, diskSegmentStore)) {
                return;
            }
            diskSegmentStore.install(merge, bench);
        }
    }

    /** The number of the segment that is being written. */
    OptionalLong runningSegment() {
        return runningMerge == null
                ? OptionalLong.empty()
                : OptionalLong.of(runningMerge.merge.number());
    }

    /** Begins nothing more, and gives up what is not finished. */
    @Override
    public void close() {
        closed = true;
        if (runningMerge != null) {
            runningMerge.merge.cancel();
            try {
                runningMerge.thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
