package dev.orbweaver;

import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.MonotonicClock;
import dev.orbweaver.internal.directory.DirectoryFrontier;
import dev.orbweaver.internal.directory.FrontierLocation;
import dev.orbweaver.internal.directory.OpenResources;
import dev.orbweaver.internal.directory.SharedCaches;
import dev.orbweaver.internal.disk.CountingDisk;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.OpenFrontier;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;

/**
 * Builds every part of a crawl from its settings and opens it in a directory.
 *
 * <pre>{@code
 * try (var crawl = Crawler.open(CrawlConfig.of("https://example.com/"), Path.of("out"))) {
 *     var end = crawl.run();
 * }
 * }</pre>
 */
public final class Crawler {

    private Crawler() {}

    /**
     * Opens a crawl in a directory: a new one, or the one that is there, under the given settings.
     */
    public static RunningCrawl open(CrawlConfig config, Path directory) throws IOException {
        return open(config, directory, CrawlListener.NONE);
    }

    /** Opens a crawl whose listener gets every capture. */
    public static RunningCrawl open(CrawlConfig config, Path directory, CrawlListener listener)
            throws IOException {
        return open(config, directory, listener, new RealDisk(), InstantSource.system());
    }

    /**
     * The same on another disk and by another clock on the wall. For tests that break the one and
     * set the other; the crawl's promises are only as good as what is given here.
     */
    static RunningCrawl open(
            CrawlConfig config,
            Path directory,
            CrawlListener listener,
            Disk disk,
            InstantSource wall)
            throws IOException {
        Files.createDirectories(directory);
        return OpenResources.open(
                openResources -> {
                    var lock = openResources.add(CrawlDirectory.lock(directory));
                    // One reading of the wall clock for frontier and crawl: if it were set back
                    // between two, all waits of the frontier would seem longer by as much.
                    var clock = MonotonicClock.start(wall);
                    var counted = new CountingDisk(disk);
                    var admin =
                            openResources.add(
                                    new DirectoryFrontier(directory, config)
                                            .open(counted, clock.instant()));
                    var job = FrontierLocation.OWN_JOB;
                    var frontier = new OpenFrontier(admin.job(job), admin, job, true);
                    return new RunningCrawl(
                            directory,
                            config,
                            disk,
                            clock,
                            lock,
                            frontier,
                            counted,
                            SharedCaches.NONE,
                            listener,
                            openResources);
                });
    }

    /** Opens the frontier of a crawl, once its directory is locked. */
    public interface FrontierOpener {
        OpenFrontier open() throws IOException;
    }

    /**
     * Opens a crawl in a directory over its part of a frontier that several crawls share. All of
     * them use the same clock.
     */
    public static RunningCrawl open(
            CrawlConfig config,
            Path directory,
            CrawlListener listener,
            FrontierOpener frontierOpener,
            SharedCaches sharedCaches,
            InstantSource clock)
            throws IOException {
        Files.createDirectories(directory);
        return OpenResources.open(
                openResources -> {
                    var lock = openResources.add(CrawlDirectory.lock(directory));
                    var frontier = openResources.add(frontierOpener.open());
                    frontier.admin()
                            .setPoliteness(frontier.job(), config.politeness(), clock.instant());
                    var disk = new RealDisk();
                    // The owner of the shared frontier counts its writes.
                    var nothing = new CountingDisk(disk);
                    return new RunningCrawl(
                            directory,
                            config,
                            disk,
                            clock,
                            lock,
                            frontier,
                            nothing,
                            sharedCaches,
                            listener,
                            openResources);
                });
    }
}
