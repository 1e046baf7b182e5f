package dev.orbweaver;

import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.crawl.CrawlListener;
import dev.orbweaver.crawl.SteadyClock;
import dev.orbweaver.disk.CountedDisk;
import dev.orbweaver.disk.Disk;
import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.model.JobId;

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

    /** Opens a crawl in a folder: a new one, or the one that is there, under the given settings. */
    public static RunningCrawl open(CrawlConfig config, Path folder) throws IOException {
        return open(config, folder, CrawlListener.NONE);
    }

    /** The same, with somebody to tell of every capture. */
    public static RunningCrawl open(CrawlConfig config, Path folder, CrawlListener listener)
            throws IOException {
        return open(config, folder, listener, new RealDisk(), InstantSource.system());
    }

    /**
     * The same on another disk and by another clock on the wall. For tests that break the one and
     * set the other; the crawl's promises are only as good as what is given here.
     */
    static RunningCrawl open(
            CrawlConfig config, Path folder, CrawlListener listener, Disk disk, InstantSource wall)
            throws IOException {
        Files.createDirectories(folder);
        var opened = new Opened();
        try {
            var lock = opened.keep(CrawlDirectory.lock(folder));
            // One reading of the wall for frontier and crawl: were it set back between two, all
            // that the frontier waits for would seem that much further away.
            var clock = SteadyClock.start(wall);
            var counted = new CountedDisk(disk);
            var frontier =
                    opened.keep(
                            new CrawlDirectory(folder, config)
                                    .openFrontier(counted, clock.instant()));
            return new RunningCrawl(
                    folder,
                    config,
                    disk,
                    clock,
                    lock,
                    frontier,
                    counted,
                    Commons.NONE,
                    listener,
                    opened);
        } catch (IOException | RuntimeException e) {
            opened.closeAfter(e);
            throw e;
        }
    }

    /** Opens a part of a frontier, once the folder of its crawl is locked. */
    interface Part {
        Frontier open() throws IOException;
    }

    /**
     * Opens a crawl in a folder over a part of a frontier that it shares with others, by the clock
     * that all of them go by.
     */
    static RunningCrawl open(
            CrawlConfig config,
            Path folder,
            CrawlListener listener,
            Part part,
            Commons commons,
            InstantSource clock)
            throws IOException {
        Files.createDirectories(folder);
        var opened = new Opened();
        try {
            var lock = opened.keep(CrawlDirectory.lock(folder));
            var frontier = opened.keep(part.open());
            frontier.keepTo(JobId.ONLY, config.politeness(), clock.instant());
            var disk = new RealDisk();
            // Whoever opened the frontier counts what is written for it.
            var nothing = new CountedDisk(disk);
            return new RunningCrawl(
                    folder, config, disk, clock, lock, frontier, nothing, commons, listener,
                    opened);
        } catch (IOException | RuntimeException e) {
            opened.closeAfter(e);
            throw e;
        }
    }
}
