package dev.orbweaver.frontier.disk;

import dev.orbweaver.frontier.Workbench;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.OptionalLong;

/**
 * Keeps the segments few. One merge runs at a time, on a thread of its own; its result takes its
 * place when the next snapshot is taken; between snapshots segments are only added.
 */
final class Tidying implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Tidying.class);

    private final Shelves shelves;
    private final boolean background;
    private @Nullable Running running;
    private boolean closed;

    private static final class Running {
        private final Merge merge;
        private final Thread thread;
        private volatile boolean succeeded;

        private Running(Merge merge, Shelves shelves) {
            this.merge = merge;
            this.thread =
                    Thread.ofPlatform()
                            .daemon()
                            .name("frontier-merge")
                            .unstarted(() -> succeeded = attempt(merge, shelves));
        }
    }

    Tidying(Shelves shelves, boolean background) {
        this.shelves = shelves;
        this.background = background;
    }

    private static boolean attempt(Merge merge, Shelves shelves) {
        try {
            return merge.run(shelves);
        } catch (IOException | RuntimeException e) {
            // What it was to be made from is all still there; the next snapshot tries again.
            LOG.warn("segments could not be merged: {}", e.getMessage());
            discard(merge, shelves);
            return false;
        }
    }

    private static void discard(Merge merge, Shelves shelves) {
        try {
            shelves.discard(merge.number());
        } catch (IOException e) {
            LOG.warn("what there is of a merge stays for now: {}", e.getMessage());
        }
    }

    /** Puts a finished merge in place and begins the next one, if there is one to do. */
    void tidy(Workbench bench) throws IOException {
        if (running != null && !running.thread.isAlive()) {
            if (running.succeeded) {
                shelves.install(running.merge, bench);
            }
            running = null;
        }
        if (closed) {
            return;
        }
        if (background) {
            begin(bench);
        } else {
            now(bench);
        }
    }

    private void begin(Workbench bench) {
        var range = Merge.plan(shelves.segments());
        if (running == null && range.length > 0) {
            running = new Running(Merge.of(shelves, range, bench.taken()), shelves);
            running.thread.start();
        }
    }

    private void now(Workbench bench) throws IOException {
        for (var range = Merge.plan(shelves.segments());
                range.length > 0;
                range = Merge.plan(shelves.segments())) {
            var merge = Merge.of(shelves, range, bench.taken());
            if (!attempt(merge, shelves)) {
                return;
            }
            shelves.install(merge, bench);
        }
    }

    /** The number of the segment that is being written. */
    OptionalLong underWay() {
        return running == null ? OptionalLong.empty() : OptionalLong.of(running.merge.number());
    }

    /** Begins nothing more, and gives up what is not finished. */
    @Override
    public void close() {
        closed = true;
        if (running != null) {
            running.merge.cancel();
            try {
                running.thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
