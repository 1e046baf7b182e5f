package dev.orbweaver.internal.engine;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Retention;
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

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;

/**
 * Builds every part of a crawl from its settings and opens it in a directory.
 *
 * <pre>{@code
 * try (var crawl = CrawlOpener.open(CrawlConfig.of("https://example.com/"), Path.of("out"))) {
 *     var end = crawl.run();
 * }
 * }</pre>
 */
public final class CrawlOpener {

    private static final Logger LOG = LoggerFactory.getLogger(CrawlOpener.class);

    private CrawlOpener() {}

    /**
     * Opens a crawl in a directory: a new one, or the one that is there, under the given settings.
     */
    public static OpenCrawl open(CrawlConfig config, Path directory) throws IOException {
        return open(config, directory, CrawlListener.NONE);
    }

    /** Opens a crawl whose listener gets every capture. */
    public static OpenCrawl open(CrawlConfig config, Path directory, CrawlListener listener)
            throws IOException {
        return open(
                config,
                directory,
                listener,
                CrawlExtensions.NONE,
                new RealDisk(),
                InstantSource.system());
    }

    /** Opens a crawl on another disk and by another clock, for tests that break them. */
    static OpenCrawl open(
            CrawlConfig config,
            Path directory,
            CrawlListener listener,
            Disk disk,
            InstantSource wall)
            throws IOException {
        return open(config, directory, listener, CrawlExtensions.NONE, disk, wall);
    }

    /** Opens a crawl with the extensions of a program. */
    public static OpenCrawl open(
            CrawlConfig config,
            Path directory,
            CrawlListener listener,
            CrawlExtensions extensions,
            Disk disk,
            InstantSource wall)
            throws IOException {
        // One reading of the wall clock for frontier and crawl: if it were set back between two,
        // all waits of the frontier would seem longer by as much.
        return openBy(MonotonicClock.start(wall), config, directory, listener, extensions, disk);
    }

    /** Opens a crawl that uses a clock as it is, for tests in virtual time. */
    static OpenCrawl openBy(
            InstantSource clock,
            CrawlConfig config,
            Path directory,
            CrawlListener listener,
            CrawlExtensions extensions,
            Disk disk)
            throws IOException {
        var withCookies = readCookies(config, clock);
        if (Files.exists(directory) && !Files.isDirectory(directory)) {
            throw new IOException(directory + " is not a directory; choose another one");
        }
        Files.createDirectories(directory);
        return OpenCrawl.open(
                directory,
                withCookies,
                extensions.frontier().isEmpty() && extensions.fetcher().isEmpty(),
                clock,
                disk,
                (current, history) ->
                        session(current, directory, listener, extensions, disk, clock, history));
    }

    private static CrawlSession session(
            CrawlConfig config,
            Path directory,
            CrawlListener listener,
            CrawlExtensions extensions,
            Disk disk,
            InstantSource clock,
            RunHistory history)
            throws IOException {
        return OpenResources.open(
                openResources -> {
                    new StoredCrawl(directory, config)
                            .applyRetention(disk, clock.instant(), history::checkStopped);
                    var counted = new CountingDisk(disk);
                    var frontier =
                            openResources.add(
                                    extensions
                                            .frontier()
                                            .orElseGet(() -> onDisk(counted))
                                            .open(config, directory, clock.instant()));
                    return new CrawlSession(
                            directory,
                            config,
                            disk,
                            clock,
                            frontier,
                            counted,
                            SharedCaches.NONE,
                            listener,
                            extensions,
                            history,
                            openResources);
                });
    }

    /** Reads the cookies file, before anything of the crawl is changed. */
    private static CrawlConfig readCookies(CrawlConfig config, InstantSource clock)
            throws IOException {
        try {
            var cookies = config.readCookies(clock.instant());
            cookies.warning().ifPresent(LOG::warn);
            return config.withCookies(cookies);
        } catch (ConfigException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static FrontierFactory onDisk(Disk disk) {
        return (config, directory, now) -> {
            var admin = new DirectoryFrontier(directory, config).open(disk, now);
            var job = FrontierLocation.OWN_JOB;
            return new OpenFrontier(admin.job(job), admin, job, true);
        };
    }

    /** Opens the frontier of a crawl, once its directory is locked. */
    public interface FrontierOpener {
        OpenFrontier open() throws IOException;
    }

    /**
     * Opens a crawl in a directory over its part of a frontier that several crawls share. All of
     * them use the same clock.
     */
    public static OpenCrawl open(
            CrawlConfig config,
            Path directory,
            CrawlListener listener,
            FrontierOpener frontierOpener,
            SharedCaches sharedCaches,
            InstantSource clock)
            throws IOException {
        if (!config.warc().retention().equals(Retention.NONE)) {
            throw new IOException(
                    "retention is not available for jobs of a service or a fleet; leave it out");
        }
        var withCookies = readCookies(config, clock);
        Files.createDirectories(directory);
        var disk = new RealDisk();
        return OpenCrawl.open(
                directory,
                withCookies,
                false,
                clock,
                disk,
                (current, history) ->
                        OpenResources.open(
                                openResources -> {
                                    var frontier = openResources.add(frontierOpener.open());
                                    frontier.admin()
                                            .setPoliteness(
                                                    frontier.job(),
                                                    current.politeness(),
                                                    clock.instant());
                                    // The owner of the shared frontier counts its writes.
                                    var nothing = new CountingDisk(disk);
                                    return new CrawlSession(
                                            directory,
                                            current,
                                            disk,
                                            clock,
                                            frontier,
                                            nothing,
                                            sharedCaches,
                                            listener,
                                            CrawlExtensions.NONE,
                                            history,
                                            openResources);
                                }));
    }
}
