package dev.orbweaver.fleet;

import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetClock;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisFrontier;
import dev.orbweaver.fleet.redis.SharedJobCache;
import dev.orbweaver.fleet.redis.SharedJobCache.Topic;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.crawl.MonotonicClock;
import dev.orbweaver.internal.crawl.RobotsEntry;
import dev.orbweaver.internal.crawl.SharedRobotsStore;
import dev.orbweaver.internal.directory.OpenResources;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.DirectoryLock;
import dev.orbweaver.internal.engine.ImportTarget;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.seeds.SeedIntake;
import dev.orbweaver.internal.seeds.SeedReader;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.HostPattern;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Imports a crawl into a job of a fleet. The lists are in a directory here, which is locked; this
 * process offers their lines to the shards, as workers do with lists of seeds. Workers claim no URL
 * of the job before {@link #finish}.
 *
 * <p>A batch and its position are stored in Redis, and shards execute a batch once, so an import
 * that was killed continues without loss or repetition.
 */
public final class FleetImport implements ImportTarget {

    private static final int RELEASE_HOSTS_AFTER = 1_000;
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);
    private static final int FAILED_CHECKS_MAX = 3;
    private static final String CONTINUE = "; run the command again to continue the import";

    private final Path directory;
    private final CrawlConfig config;
    private final DirectoryLock lock;
    private final Fleet fleet;
    private final JobId id;
    private final FleetClock clock;
    private final RedisFrontier frontier;
    private final CrawlFrontier job;
    private final SharedJobCache cache;
    private final CrawlUrls urls;
    private int delaysSaved;
    private long checkedAt = System.nanoTime();
    private int failedChecks;

    private FleetImport(
            FleetSettings settings,
            CrawlConfig config,
            Path directory,
            String once,
            OpenResources resources)
            throws IOException {
        this.directory = directory;
        this.config = config;
        this.lock = resources.add(lock(directory));
        this.fleet = resources.add(Fleet.open(settings));
        fleet.requireNoEviction();
        this.clock =
                resources.add(
                        FleetClock.open(settings, MonotonicClock.start(InstantSource.system())));
        var seeds = config.seeds().stream().map(seed -> seed.url().text()).toList();
        var values = YamlFile.write(config.settingValues());
        this.id =
                fleet.beginImport(
                        once, new Fleet.JobSpec(values, seeds, List.of(), 1, ""), clock.instant());
        this.frontier =
                resources.add(RedisFrontier.open(settings, config.politeness(), clock.instant()));
        this.job = frontier.job(id);
        this.urls = config.withKey(job.fingerprintKey()).urls();
        this.cache = resources.add(SharedJobCache.open(settings, clock));
        frontier.setIntakeLimits(id, config.intake());
        var first =
                config.withKey(job.fingerprintKey()).seeds().stream()
                        .map(seed -> Candidate.seed(seed.url(), seed.schemeGuessed()))
                        .toList();
        // Before the lists: these URLs are fetched also if a list has them as visited.
        calling(() -> job.offer(first, clock.instant())).requireStored();
    }

    /**
     * Begins or continues an import.
     *
     * @param config settings of the job, and URLs that are queued before all lists
     * @param directory has the lists of the import
     * @param once identifies the import
     */
    public static FleetImport open(
            FleetSettings settings, CrawlConfig config, Path directory, String once)
            throws IOException {
        return OpenResources.open(
                resources ->
                        new FleetImport(
                                settings.withWorker("import-" + once),
                                config,
                                directory,
                                once,
                                resources));
    }

    private static DirectoryLock lock(Path directory) throws IOException {
        Files.createDirectories(directory);
        return DirectoryLock.tryLock(directory.resolve(DirectoryLayout.LOCK))
                .orElseThrow(
                        () ->
                                new IOException(
                                        "an import is running in "
                                                + directory
                                                + ": wait for it or stop it"));
    }

    private interface Call<T> {
        T run() throws IOException;
    }

    /** Makes a call that throws an unchecked exception if Redis is unavailable. */
    private static <T> T calling(Call<T> call) throws IOException {
        try {
            return call.run();
        } catch (FrontierUnavailableException e) {
            throw new IOException(e.problem().message() + CONTINUE, e);
        }
    }

    @Override
    public Ledger ledger() throws IOException {
        return calling(() -> fleet.ledger(id, clock.instant()));
    }

    @Override
    public void load(Consumer<SeedReader.Progress> progress)
            throws IOException, InterruptedException {
        try {
            SeedIntake.readToEnd(
                    directory,
                    job,
                    urls,
                    clock,
                    at -> {
                        requireRedis();
                        progress.accept(at);
                    });
        } catch (UncheckedIOException e) {
            throw new IOException(e.getMessage() + CONTINUE, e);
        } catch (IOException e) {
            if (fleet.job(id).isEmpty()) {
                throw new IOException(
                        "job %d was deleted while it was imported; delete %s and import again"
                                .formatted(id.number(), directory),
                        e);
            }
            throw e;
        }
    }

    /**
     * Fails if Redis stores nothing for some seconds. If it has no memory left, no worker frees any
     * for a job that is not crawled.
     */
    private void requireRedis() {
        if (System.nanoTime() - checkedAt > CHECK_INTERVAL.toNanos()) {
            checkedAt = System.nanoTime();
            if (job.flush() instanceof CommitStatus.Pending(var problem)) {
                failedChecks++;
                if (failedChecks == FAILED_CHECKS_MAX) {
                    throw new UncheckedIOException(
                            problem.message(), new IOException(problem.message()));
                }
            } else {
                failedChecks = 0;
            }
        }
    }

    @Override
    public SeedPosition position(String list) {
        return SeedPosition.of(list, job.seedPositions());
    }

    @Override
    public void exclude(Set<HostPattern> hosts) throws IOException {
        fleet.exclude(id, hosts.stream().map(HostPattern::toString).toList());
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
            calling(() -> job.setCrawlDelay(url.get().host(), delay)).requireStored();
            delaysSaved++;
            if (delaysSaved % RELEASE_HOSTS_AFTER == 0) {
                saveLastRequests(Map.of(), now);
            }
        }
        var entry = RobotsEntry.imported(url.get().origin(), text, delay, expires, now);
        return cache.putImported(
                id,
                Topic.ROBOTS,
                entry.origin(),
                SharedRobotsStore.encode(entry),
                Duration.between(now, entry.nextAttempt()));
    }

    @Override
    public void saveLastRequests(Map<String, Instant> lastRequests, Instant now)
            throws IOException {
        var byHost = new HashMap<String, Instant>();
        lastRequests.forEach(
                (name, at) ->
                        urls.parse("http://" + name + "/")
                                .ifPresent(url -> byHost.put(url.host(), at)));
        calling(() -> frontier.requestedElsewhere(id, byHost, clock.instant())).requireStored();
    }

    @Override
    public void finish() throws IOException {
        fleet.finishImport(id, Math.max(1, job.seedPositions().size()));
    }

    @Override
    public void close() throws IOException {
        try (lock;
                fleet;
                clock;
                frontier;
                cache) {
            calling(job::flush).requireStored();
        }
    }
}
