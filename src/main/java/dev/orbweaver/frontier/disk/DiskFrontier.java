package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.frontier.Workbench;
import dev.orbweaver.frontier.WorkbenchFrontier;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

/** Opens a frontier that lives in a folder. */
public final class DiskFrontier {

    private DiskFrontier() {}

    /** Goes on where the folder's frontier stood; begins a new one in an empty folder. */
    public static Frontier open(Disk disk, Path folder, Politeness politeness, Instant now)
            throws IOException {
        var bench = new Workbench(politeness);
        var journal = Journal.open(disk, folder, bench);
        return new WorkbenchFrontier(politeness, bench, journal, now);
    }
}
