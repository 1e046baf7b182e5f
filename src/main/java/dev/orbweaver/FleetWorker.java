package dev.orbweaver;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.YamlFile;
import dev.orbweaver.crawl.CrawlEnd;
import dev.orbweaver.crawl.CrawlListener;
import dev.orbweaver.crawl.CrawlStatus;
import dev.orbweaver.crawl.SteadyClock;
import dev.orbweaver.disk.FolderLock;
import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.frontier.FrontierBlockedException;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.frontier.disk.DiskSettings.Durability;
import dev.orbweaver.frontier.disk.MarksFile;
import dev.orbweaver.frontier.redis.Board;
import dev.orbweaver.frontier.redis.Fleet;
import dev.orbweaver.frontier.redis.FleetClock;
import dev.orbweaver.frontier.redis.FleetSettings;
import dev.orbweaver.frontier.redis.Job;
import dev.orbweaver.frontier.redis.RedisAwayException;
import dev.orbweaver.frontier.redis.RedisFrontier;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Usage;
import dev.orbweaver.store.FleetPart;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A worker of a fleet: it takes part in every job that is running there, and writes what it fetches
 * into a folder for each.
 *
 * <p>Records and log come first, with the marks that say how long they are; then the page is
 * settled in Redis. So a worker that is killed leaves no page settled that is not in somebody's
 * log. What it had logged and not settled is fetched once more by another, and whoever reads the
 * logs of a job together takes the first of two (ADR 12).
 */
public final class FleetWorker implements AutoCloseable {

    /** Where the folders of jobs lie among a worker's files. */
    public static final String JOBS = "jobs";

    private static final Logger LOG = LoggerFactory.getLogger(FleetWorker.class);
    private static final String LOCK_FILE = ".lock";
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration MEASURE_EVERY = Duration.ofSeconds(30);
    private static final Duration AGAIN_AFTER_FAILURE = Duration.ofSeconds(30);
    private static final Duration START_PATIENCE = Duration.ofSeconds(60);
    private static final Duration GRACE = Duration.ofSeconds(10);

    /**
     * What a worker's operator decides, whatever a job asks for.
     *
     * @param atOnce requests at the same time, of all jobs together
     * @param allowPrivate whether private addresses may be asked
     */
    public record Terms(FleetSettings fleet, Path data, int atOnce, boolean allowPrivate) {}

    private final Terms terms;
    private final FolderLock lock;
    private final Fleet fleet;
    private final FleetClock clock;
    private final RedisFrontier frontier;
    private final Board board;
    private final JobCrawls crawls;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Map<JobId, Instant> notBefore = new ConcurrentHashMap<>();
    private final Set<JobId> over = ConcurrentHashMap.newKeySet();
    private volatile Optional<String> trouble = Optional.empty();
    private Instant measuredAt;

    private FleetWorker(Terms terms, Opened opened) throws IOException {
        this.terms = terms;
        Files.createDirectories(terms.data);
        this.lock =
                opened.keep(
                        FolderLock.tryLock(terms.data.resolve(LOCK_FILE))
                                .orElseThrow(
                                        () ->
                                                new IOException(
                                                        "another worker is working in "
                                                                + terms.data
                                                                + ": give each a folder of its"
                                                                + " own")));
        this.fleet = opened.keep(Fleet.open(terms.fleet));
        this.clock =
                opened.keep(
                        FleetClock.open(terms.fleet, SteadyClock.start(InstantSource.system())));
        this.measuredAt = clock.instant();
        fleet.join(measuredAt);
        this.frontier =
                opened.keep(RedisFrontier.open(terms.fleet, Politeness.DEFAULT, clock.instant()));
        this.board = opened.keep(Board.open(terms.fleet, clock));
        this.crawls =
                new JobCrawls(
                        frontier,
                        terms.atOnce,
                        (shared, job, config, folder) ->
                                shared.view(
                                        job,
                                        MarksFile.open(
                                                new RealDisk(),
                                                folder,
                                                config.durability() == Durability.POWER)),
                        job -> new FleetCommons(board, job, clock),
                        clock,
                        this::ended);
    }

    /**
     * Joins a fleet. A Redis that is not there yet is waited for, as it may have been started at
     * the same time and be reading its files.
     */
    public static FleetWorker join(Terms terms) throws IOException {
        var until = System.nanoTime() + START_PATIENCE.toNanos();
        while (true) {
            try {
                return joinNow(terms);
            } catch (RedisAwayException e) {
                if (System.nanoTime() > until || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                LOG.warn("{}; it is waited for", e.getMessage());
                LockSupport.parkNanos(LOOK_EVERY.toNanos());
            }
        }
    }

    private static FleetWorker joinNow(Terms terms) throws IOException {
        var opened = new Opened();
        try {
            return new FleetWorker(terms, opened);
        } catch (IOException | RuntimeException e) {
            opened.closeAfter(e);
            throw e;
        }
    }

    /** What is wrong with how Redis is set up, as sentences. */
    public List<String> warnings() throws IOException {
        return fleet.warnings();
    }

    /** Works until {@link #stop}. */
    public void run() throws InterruptedException {
        do {
            try {
                look();
                trouble.ifPresent(_ -> LOG.info("Redis answers again"));
                trouble = Optional.empty();
            } catch (IOException | FrontierBlockedException e) {
                if (trouble.isEmpty()) {
                    LOG.warn("Redis cannot be reached, work pauses: {}", e.getMessage());
                }
                trouble = Optional.of(String.valueOf(e.getMessage()));
            }
        } while (!stopped.await(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS));
    }

    private void look() throws IOException {
        var now = clock.instant();
        if (measuredAt.plus(MEASURE_EVERY).isBefore(now)) {
            clock.measure();
            measuredAt = now;
        }
        frontier.beat(doing(), now);
        for (var job : Set.copyOf(over)) {
            if (fleet.finish(job) || fleet.job(job).isEmpty()) {
                LOG.info("job {} has come to its end", job.number());
            }
            over.remove(job);
        }
        var jobs = fleet.jobs();
        jobs.forEach(this::attend);
        var listed = jobs.stream().map(Job::id).collect(Collectors.toSet());
        crawls.jobs().stream()
                .filter(job -> !listed.contains(job))
                .forEach(job -> crawls.stop(job, Duration.ZERO));
    }

    private String doing() {
        var jobs = crawls.jobs();
        return jobs.isEmpty()
                ? "waiting for jobs"
                : "working on "
                        + (jobs.size() == 1
                                ? "job " + jobs.iterator().next().number()
                                : jobs.size() + " jobs");
    }

    private void attend(Job job) {
        switch (job.state()) {
            case QUEUED, RUNNING -> {
                if (crawls.jobs().contains(job.id())) {
                    crawls.resume(job.id());
                } else {
                    begin(job);
                }
            }
            case PAUSED -> crawls.pause(job.id());
            case STOPPED, FINISHED -> crawls.stop(job.id(), GRACE);
        }
    }

    private void begin(Job job) {
        var id = job.id();
        if (over.contains(id)
                || clock.instant().isBefore(notBefore.getOrDefault(id, Instant.MIN))) {
            return;
        }
        try {
            var _ = fleet.begin(id);
            new FleetPart(name(), frontier.number(), terms.fleet.fleet() + "/" + id.number())
                    .keep(folder(id));
            crawls.start(id, config(job), folder(id), CrawlListener.NONE);
        } catch (IOException | ConfigException | RuntimeException e) {
            LOG.error("job {} cannot be worked on here", id.number(), e);
            notBefore.put(id, clock.instant().plus(AGAIN_AFTER_FAILURE));
        }
    }

    /** A job's settings as they count here: what is the operator's to decide, the operator has. */
    private CrawlConfig config(Job job) throws ConfigException {
        var values = YamlFile.parse(job.settings(), "the settings of job " + job.id().number());
        values.put("allow-private", Boolean.toString(terms.allowPrivate));
        // Every worker has files of the same names.
        var bucket = values.last("s3").filter(place -> !place.isEmpty());
        bucket.ifPresent(place -> values.put("s3", place + "/" + terms.fleet.worker()));
        return CrawlConfig.read(values).withoutGrants();
    }

    private Path folder(JobId job) {
        return terms.data.resolve(JOBS).resolve(Integer.toString(job.number()));
    }

    private void ended(JobId job, CrawlEnd end) {
        switch (end.reason()) {
            case COMPLETE, MAX_PAGES, MAX_BYTES, MAX_TIME -> over.add(job);
            case STOPPED -> {}
            case WAITING, BROKEN, INTERNAL -> {
                LOG.warn("job {} broke off here: {}", job.number(), end.detail());
                notBefore.put(job, clock.instant().plus(AGAIN_AFTER_FAILURE));
            }
        }
    }

    /** How the crawls of its jobs stand. */
    public Map<JobId, CrawlStatus> status() {
        var all = new LinkedHashMap<JobId, CrawlStatus>();
        for (var job : crawls.jobs()) {
            crawls.status(job).ifPresent(status -> all.put(job, status));
        }
        return all;
    }

    /** What its crawls have moved. */
    public Usage usage() {
        return crawls.usage();
    }

    /** Why Redis cannot be reached, if it cannot. */
    public Optional<String> trouble() {
        return trouble;
    }

    /** Its name in the fleet. */
    public String name() {
        return terms.fleet.worker();
    }

    /** Leaves off; what is under way may finish. */
    public void stop() {
        stopped.countDown();
    }

    /** Gives every host back and leaves the fleet. */
    @Override
    public void close() throws IOException {
        stop();
        try (lock) {
            crawls.close();
            frontier.close();
            board.close();
            clock.close();
            fleet.close();
        }
    }
}
