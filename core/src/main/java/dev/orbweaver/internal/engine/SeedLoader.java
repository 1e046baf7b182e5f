package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.ExclusionList;
import dev.orbweaver.internal.crawl.RobotsEntry;
import dev.orbweaver.internal.crawl.RobotsLog;
import dev.orbweaver.internal.directory.DirectoryFrontier;
import dev.orbweaver.internal.directory.FrontierLocation;
import dev.orbweaver.internal.directory.OpenResources;
import dev.orbweaver.internal.directory.SettingsFiles;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.DirectoryLock;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.internal.frontier.WorkbenchFrontier;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.seeds.SeedIntake;
import dev.orbweaver.internal.seeds.SeedReader;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.HostPattern;
import dev.orbweaver.model.Ledger;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Fills the directory of a crawl that has not begun: seed lists, excluded hosts, robots.txt files.
 * Nothing is fetched.
 *
 * <p>The directory is locked and its frontier is open until {@link #close}. It becomes a crawl that
 * can be resumed with {@link #finish}, so a half-filled directory is never taken for a crawl.
 */
public final class SeedLoader implements ImportTarget {

    private final Path directory;
    private final CrawlConfig config;
    private final Disk disk;
    private final DirectoryLock lock;
    private final WorkbenchFrontier frontier;
    private final CrawlFrontier job;
    private final RobotsLog robots;
    private final CrawlUrls urls;

    private SeedLoader(Path directory, CrawlConfig config, Disk disk, OpenResources resources)
            throws IOException {
        this.directory = directory;
        this.config = config;
        this.disk = disk;
        this.lock = resources.add(StoredCrawl.lock(directory));
        this.frontier =
                resources.add(new DirectoryFrontier(directory, config).open(disk, Instant.now()));
        this.job = frontier.job(FrontierLocation.OWN_JOB);
        this.urls = config.withKey(job.fingerprintKey()).urls();
        this.robots = resources.add(RobotsLog.openBeforeStart(disk, directory));
        frontier.setIntakeLimits(FrontierLocation.OWN_JOB, config.intake());
    }

    /** Opens a directory in which no crawl has begun, and creates it if it does not exist. */
    public static SeedLoader open(CrawlConfig config, Path directory) throws IOException {
        Files.createDirectories(directory);
        return OpenResources.open(
                resources -> new SeedLoader(directory, config, new RealDisk(), resources));
    }

    /** Returns the URL factory of the crawl, with the fingerprints of its frontier. */
    public CrawlUrls urls() {
        return urls;
    }

    @Override
    public Ledger ledger() {
        return job.ledger();
    }

    @Override
    public void load(Consumer<SeedReader.Progress> progress)
            throws IOException, InterruptedException {
        SeedIntake.readToEnd(directory, job, urls, InstantSource.system(), progress);
    }

    @Override
    public SeedPosition position(String list) {
        return SeedPosition.of(list, job.seedPositions());
    }

    @Override
    public void exclude(Set<HostPattern> hosts) throws IOException {
        ExclusionList.change(directory.resolve(DirectoryLayout.EXCLUDED_HOSTS), hosts, Set.of());
    }

    @Override
    public boolean saveRobots(String origin, byte[] text, Instant expires, Instant now)
            throws IOException {
        var url = urls.parse(origin + "/");
        if (url.isEmpty()) {
            return false;
        }
        var delay =
                RobotsRules.parse(text, text.length, config.crawl().productToken())
                        .crawlDelay()
                        .orElse(Duration.ZERO);
        if (delay.isPositive()) {
            job.setCrawlDelay(url.get().host(), delay).requireStored();
        }
        robots.save(RobotsEntry.imported(url.get().origin(), text, delay, expires, now));
        return true;
    }

    @Override
    public void saveLastRequests(Map<String, Instant> lastRequests, Instant now)
            throws IOException {
        var byHost = new HashMap<String, Instant>();
        lastRequests.forEach(
                (name, at) ->
                        urls.parse("http://" + name + "/")
                                .ifPresent(url -> byHost.put(url.host(), at)));
        frontier.requestedElsewhere(byHost, now).requireStored();
    }

    /** Stores the settings, which makes the directory a crawl. */
    @Override
    public void finish() throws IOException {
        SettingsFiles.write(disk, directory, config.settingValues());
    }

    @Override
    public void close() throws IOException {
        try (lock;
                frontier;
                robots) {
            job.flush().requireStored();
        }
    }
}
