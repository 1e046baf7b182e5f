package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.frontier.Workbench;
import dev.orbweaver.frontier.WorkbenchFrontier;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;

/** Opens a frontier that lives in a folder. */
public final class DiskFrontier {

    private static final int PEEKS = 3;

    private DiskFrontier() {}

    /**
     * The figures of a folder's frontier, whether or not somebody is working on it; nothing is
     * changed.
     */
    public static FrontierStats peek(
            Disk disk, Path folder, Politeness politeness, DiskSettings settings, Instant now)
            throws IOException {
        for (var left = PEEKS; ; left--) {
            try (var store = new PeekStore(disk, folder, settings)) {
                var bench = new Workbench(politeness, store);
                var number = Journal.newest(disk, folder);
                var _ = Journal.read(disk, folder, number, bench, store);
                if (Journal.newest(disk, folder) == number || left == 0) {
                    return WorkbenchFrontier.stats(bench, now);
                }
            } catch (IOException | UncheckedIOException rotated) {
                // The files belong to a running crawl, which has gone on to others meanwhile.
                if (left == 0) {
                    throw rotated;
                }
            }
        }
    }

    /** Goes on where the folder's frontier stood; begins a new one in an empty folder. */
    public static Frontier open(Disk disk, Path folder, Politeness politeness, Instant now)
            throws IOException {
        return open(disk, folder, politeness, DiskSettings.DEFAULT, now);
    }

    /** The same with settings of one's own. */
    public static Frontier open(
            Disk disk, Path folder, Politeness politeness, DiskSettings settings, Instant now)
            throws IOException {
        var store = new DiskStore(disk, folder, settings);
        try {
            var bench = new Workbench(politeness, store);
            var journal = Journal.open(disk, folder, settings, store, bench);
            return new WorkbenchFrontier(politeness, bench, journal, now);
        } catch (UncheckedIOException e) {
            store.close();
            throw new IOException(e.getMessage(), e);
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }
}
