package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.frontier.Workbench;
import dev.orbweaver.frontier.WorkbenchFrontier;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
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
    public static FrontierStats peek(Disk disk, Path folder, Politeness politeness, Instant now)
            throws IOException {
        for (var left = PEEKS; ; left--) {
            try {
                var bench = new Workbench(politeness);
                var number = Journal.newest(disk, folder);
                var _ = Journal.read(disk, folder, number, bench);
                if (Journal.newest(disk, folder) == number || left == 0) {
                    return WorkbenchFrontier.stats(bench, now);
                }
            } catch (NoSuchFileException rotated) {
                if (left == 0) {
                    throw rotated;
                }
            }
        }
    }

    /** Goes on where the folder's frontier stood; begins a new one in an empty folder. */
    public static Frontier open(Disk disk, Path folder, Politeness politeness, Instant now)
            throws IOException {
        return open(disk, folder, politeness, now, Journal.ROTATE_FROM);
    }

    static Frontier open(
            Disk disk, Path folder, Politeness politeness, Instant now, long rotateFrom)
            throws IOException {
        var bench = new Workbench(politeness);
        var journal = Journal.open(disk, folder, bench, rotateFrom);
        return new WorkbenchFrontier(politeness, bench, journal, now);
    }
}
