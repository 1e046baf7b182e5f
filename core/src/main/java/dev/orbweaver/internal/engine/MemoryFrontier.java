package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.directory.FrontierLocation;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.frontier.OpenFrontier;
import dev.orbweaver.internal.frontier.WorkbenchFrontier;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/** Opens frontiers without storage. */
public final class MemoryFrontier implements FrontierFactory {

    @Override
    public OpenFrontier open(CrawlConfig config, Path directory, Instant now) throws IOException {
        if (Files.exists(directory.resolve(DirectoryLayout.PAGE_LOG))) {
            throw new IOException(
                    directory
                            + " holds a crawl; a crawl with its frontier in memory needs an empty"
                            + " directory");
        }
        var admin = WorkbenchFrontier.inMemory(config.politeness(), now);
        var job = FrontierLocation.OWN_JOB;
        return new OpenFrontier(admin.job(job), admin, job, true);
    }
}
