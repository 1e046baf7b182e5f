package dev.orbweaver.fleet;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetClock;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.RedisDataLostException;
import dev.orbweaver.fleet.redis.RedisFrontier;
import dev.orbweaver.fleet.redis.RedisUnavailableException;
import dev.orbweaver.fleet.redis.SeedPieces;
import dev.orbweaver.fleet.redis.SharedJobCache;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.crawl.MonotonicClock;
import dev.orbweaver.internal.directory.OpenResources;
import dev.orbweaver.internal.frontier.FrontierFailedException;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.jobs.JobCrawls;
import dev.orbweaver.internal.jobs.JobOutcome;
import dev.orbweaver.internal.jobs.JobReconciler;
import dev.orbweaver.internal.jobs.JobReconciler.Action;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.sink.FleetPart;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.Durability;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.TransferStats;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A worker of a fleet: it crawls every job that is running there, and writes its output into one
 * directory per job.
 *
 * <p>Records and log are written first, with their committed lengths; then the page is settled in
 * Redis. So a killed worker leaves no settled page that is in no log. Another worker fetches again
 * what was logged and not settled, and a reader of all logs of a job uses the first of two (ADR
 * 12).
 */
public final class FleetWorker implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(FleetWorker.class);

    private static final JobReconciler RECONCILER = new JobReconciler(true);
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
    private static final Duration CLOCK_INTERVAL = Duration.ofSeconds(30);
    private static final Duration JOBS_READ_INTERVAL = Duration.ofSeconds(30);
    private static final Duration RETRY_DELAY = Duration.ofSeconds(30);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(60);

    private final WorkerSettings settings;
    private final WorkerObserver workerObserver;
    private final WorkerDirectory directory;
    private final Fleet fleet;
    private final FleetClock clock;
    private final RedisFrontier frontier;
    private final SharedJobCache sharedJobCache;
    private final SeedPieces seedPieces;
    private final SharedJobFiles sharedFiles;
    private final JobCrawls crawls;
    private final Semaphore wake = new Semaphore(0);
    private volatile boolean stopped;
    private final Map<JobId, Instant> notBefore = new ConcurrentHashMap<>();

    /** Why jobs cannot be crawled here, by job. */
    private final Map<JobId, String> problems = new ConcurrentHashMap<>();

    /** How many seed lists jobs have ever had, by job. */
    private final Map<JobId, Integer> seedLists = new ConcurrentHashMap<>();

    private volatile Optional<String> problem = Optional.empty();

    /** Whether Redis lost its data since the last process in this directory joined the fleet. */
    private final boolean dataLost;

    private Instant clockMeasuredAt;

    /** Whether the last poll sent a heartbeat; an idle worker does every second time. */
    private boolean beats;

    /** The fleet's jobs when they were last read, when that was, and their version then. */
    private List<FleetJob> jobs = List.of();

    private Instant jobsReadAt = Instant.MIN;
    private String jobsVersion = "";

    private FleetWorker(
            WorkerSettings settings, WorkerObserver workerObserver, OpenResources openResources)
            throws IOException {
        this.settings = settings;
        this.workerObserver = workerObserver;
        this.directory = openResources.add(WorkerDirectory.open(settings.data()));
        this.fleet = openResources.add(Fleet.open(settings.fleet()));
        this.dataLost = directory.recordFleet(fleet, settings.fleet().fleet());
        this.clock =
                openResources.add(
                        FleetClock.open(
                                settings.fleet(), MonotonicClock.start(InstantSource.system())));
        this.clockMeasuredAt = clock.instant();
        fleet.join(clockMeasuredAt);
        this.frontier =
                openResources.add(RedisFrontier.open(settings.fleet(), Politeness.DEFAULT, clock));
        this.sharedJobCache = openResources.add(SharedJobCache.open(settings.fleet(), clock));
        this.seedPieces = openResources.add(SeedPieces.open(settings.fleet()));
        this.sharedFiles = new SharedJobFiles(fleet.lines());
        this.crawls =
                new JobCrawls(
                        frontier,
                        settings.concurrency(),
                        (shared, job, config, _) ->
                                shared.view(
                                        job,
                                        directory.openLengths(
                                                job, config.durability() == Durability.POWER)),
                        job ->
                                new FleetSharedCaches(
                                        frontier,
                                        sharedJobCache,
                                        seedPieces,
                                        () -> seedLists.getOrDefault(job, 0),
                                        job,
                                        clock),
                        clock,
                        (_, _) -> wakeUp());
    }

    /**
     * Joins a fleet. Waits for a Redis that is not ready yet, because it may have been started at
     * the same time and be loading its files.
     */
    public static FleetWorker join(WorkerSettings settings) throws IOException {
        return join(settings, new WorkerObserver() {});
    }

    static FleetWorker join(WorkerSettings settings, WorkerObserver workerObserver)
            throws IOException {
        var until = System.nanoTime() + CONNECT_TIMEOUT.toNanos();
        while (true) {
            try {
                return OpenResources.open(
                        resources -> new FleetWorker(settings, workerObserver, resources));
            } catch (RedisUnavailableException e) {
                if (System.nanoTime() > until || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                LOG.warn("{}; waiting for Redis", e.getMessage());
                LockSupport.parkNanos(POLL_INTERVAL.toNanos());
            }
        }
    }

    WorkerDirectory directory() {
        return directory;
    }

    /** Returns problems of Redis's configuration or its data, as sentences. */
    public List<String> warnings() throws IOException {
        var warnings = new ArrayList<>(fleet.warnings());
        if (dataLost) {
            warnings.add(
                    "Redis lost its data since this worker last ran: the fleet starts empty;"
                            + " the directories of earlier jobs are kept in "
                            + directory.jobs());
        }
        return warnings;
    }

    public void run() throws InterruptedException {
        while (!stopped) {
            try {
                poll();
                problem.ifPresent(_ -> LOG.info("Redis is available again, continuing"));
                problem = Optional.empty();
            } catch (RedisDataLostException e) {
                throw leaveAfterDataLoss(e);
            } catch (IOException e) {
                setProblem(String.valueOf(e.getMessage()));
            } catch (FrontierUnavailableException e) {
                setProblem(e.problem().message());
            } catch (RuntimeException e) {
                problem = Optional.of("the worker has left the fleet: " + e.getMessage());
                throw e;
            }
            var _ = wake.tryAcquire(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
            var _ = wake.drainPermits();
        }
    }

    /**
     * Handles the loss of Redis's data: this worker's hosts, queues and jobs belong to a fleet that
     * no longer exists. The worker ends and writes nothing to Redis; a restarted worker joins the
     * new fleet.
     */
    private UncheckedIOException leaveAfterDataLoss(RedisDataLostException lost) {
        var why = lost.getMessage() + "; this worker stops, restart it to join the new fleet";
        LOG.error(why);
        problem = Optional.of(why);
        frontier.abandon();
        crawls.jobs().forEach(job -> crawls.stop(job, Duration.ZERO));
        return new UncheckedIOException(new IOException(why, lost));
    }

    private void setProblem(String why) {
        if (problem.isEmpty()) {
            LOG.warn("pausing: {}", why);
        }
        problem = Optional.of(why);
    }

    /** Makes the worker read the fleet's jobs at once. */
    void wakeUp() {
        wake.release();
    }

    private void poll() throws IOException {
        crawls.failure()
                .ifPresent(
                        error -> {
                            // Ending is better than idling: a restarted worker may succeed.
                            throw error instanceof FrontierFailedException failed
                                    ? failed
                                    : new IllegalStateException(
                                            "the lease dispatcher of this worker failed", error);
                        });
        var now = clock.instant();
        if (clockMeasuredAt.plus(CLOCK_INTERVAL).isBefore(now)) {
            clock.measure();
            clockMeasuredAt = now;
        }
        beats = !beats;
        // Both check that Redis has the fleet's data.
        readJobs(
                beats || !crawls.jobs().isEmpty()
                        ? frontier.heartbeat(activity(), problems.isEmpty(), now)
                        : fleet.jobsVersion(),
                now);
        for (var job : jobs) {
            reconcile(job);
        }
        var listed = jobs.stream().map(FleetJob::id).collect(Collectors.toSet());
        var deleted = crawls.known();
        deleted.removeAll(listed);
        for (var job : deleted) {
            var _ = abandon(job);
        }
        listed.addAll(crawls.jobs());
        directory.retain(listed);
        notBefore.keySet().retainAll(listed);
        problems.keySet().retainAll(listed);
        seedLists.keySet().retainAll(listed);
        sharedFiles.retain(listed);
        workerObserver.afterPoll();
    }

    /** Reads all jobs if any of them has changed, and periodically in any case. */
    private void readJobs(String said, Instant now) throws IOException {
        if (said.equals(jobsVersion) && now.isBefore(jobsReadAt.plus(JOBS_READ_INTERVAL))) {
            return;
        }
        var callback = workerObserver.beforeJobsRead();
        jobs = fleet.jobs();
        jobs.forEach(job -> seedLists.put(job.id(), job.seedLists()));
        for (var job : crawls.jobs()) {
            sharedFiles.update(job, directory.job(job));
        }
        jobsVersion = said;
        jobsReadAt = now;
        callback.accept(jobs);
    }

    private String activity() {
        var jobs = crawls.jobs();
        return jobs.isEmpty()
                ? "waiting for jobs"
                : "working on "
                        + (jobs.size() == 1
                                ? "job " + jobs.iterator().next().number()
                                : jobs.size() + " jobs");
    }

    private void reconcile(FleetJob job) throws IOException {
        var id = job.id();
        switch (RECONCILER.next(FleetJobRecords.state(job), crawls.state(id, revision(job)))) {
            case Action.Start() -> startCrawl(job);
            case Action.Resume() -> crawls.resume(id);
            case Action.Pause() -> crawls.pause(id);
            case Action.Stop(var grace) -> crawls.stop(id, grace);
            case Action.Finish(var end) -> finish(job, end);
            case Action.Retry(var end) -> {
                LOG.warn("crawl of job {} failed on this worker: {}", id.number(), end.detail());
                crawls.forget(id);
                notBefore.put(id, clock.instant().plus(RETRY_DELAY));
            }
            case Action.Forget(), Action.Delete() -> crawls.forget(id);
            case Action.Nothing() -> {}
        }
    }

    private static String revision(FleetJob job) {
        return Integer.toString(job.version());
    }

    /** Stops the crawl of a deleted job, and returns whether it has ended. */
    boolean abandon(JobId id) {
        if (RECONCILER.next(State.DELETED, crawls.state(id, ""))
                instanceof Action.Stop(var grace)) {
            crawls.stop(id, grace);
            return false;
        }
        crawls.forget(id);
        return true;
    }

    /**
     * Ends a job. The fleet accepts the end only for the version that was crawled, and only once.
     */
    private void finish(FleetJob job, CrawlEnd end) throws IOException {
        var stats = fleet.stats(job.id(), clock.instant());
        var outcome = JobOutcome.of(endOfJob(job, end), () -> stats);
        var failed = outcome.state() == State.FAILED;
        // If seeds were added meanwhile, the crawl is started again.
        if (end.reason() == CrawlEnd.Reason.COMPLETE
                ? !fleet.hasUnreadSeeds(job.id())
                        && fleet.finishComplete(job, outcome.reason(), failed)
                : fleet.finish(job.id(), job.version(), outcome.reason(), failed)) {
            LOG.info("job {} has ended", job.id().number());
        }
        crawls.forget(job.id());
        wakeUp(); // So that the observer sees the job's state.
    }

    private CrawlEnd endOfJob(FleetJob job, CrawlEnd end) {
        try {
            return settings.endOfJob(job, end);
        } catch (ConfigException e) {
            LOG.warn("the settings of job {} were changed and are not valid", job.id().number(), e);
            return end;
        }
    }

    private void startCrawl(FleetJob job) {
        var id = job.id();
        if (crawls.jobs().size() >= workerObserver.jobsMax()
                || clock.instant().isBefore(notBefore.getOrDefault(id, Instant.MIN))) {
            return;
        }
        try {
            // First, because a job with invalid settings must not be started.
            var config = settings.configAt(job, clock.instant());
            directory.assign(
                    job,
                    new FleetPart(
                            name(),
                            frontier.number(),
                            settings.fleet().fleet() + "/" + id.number(),
                            job.identity()));
            if (fleet.start(id)) {
                wakeUp(); // So that the job is shown as running.
            }
            frontier.setWeight(id, job.weight());
            sharedFiles.update(id, directory.job(id));
            crawls.start(id, revision(job), config, directory.job(id), workerObserver.listener(id));
            problems.remove(id);
        } catch (IOException | ConfigException | RuntimeException e) {
            LOG.error("could not start the crawl of job {} on this worker", id.number(), e);
            problems.put(id, String.valueOf(e.getMessage()));
            notBefore.put(id, clock.instant().plus(RETRY_DELAY));
        }
    }

    CrawlConfig config(FleetJob job) throws ConfigException {
        return settings.config(job);
    }

    JobCrawls crawls() {
        return crawls;
    }

    RedisFrontier frontier() {
        return frontier;
    }

    InstantSource clock() {
        return clock;
    }

    public Map<JobId, CrawlStatus> status() {
        var all = new LinkedHashMap<JobId, CrawlStatus>();
        for (var job : crawls.jobs()) {
            crawls.status(job).ifPresent(status -> all.put(job, status));
        }
        return all;
    }

    /** Returns the fleet's hosts by state; none while nothing is known of them. */
    public FrontierStats.Hosts hosts() {
        try {
            return frontier.stats().hosts();
        } catch (FrontierUnavailableException | FrontierFailedException e) {
            LOG.debug("could not count the hosts of the fleet", e);
            return new FrontierStats.Hosts(0, 0, 0, 0, 0);
        }
    }

    /** Returns why jobs cannot be crawled here, by job; they are retried. */
    public Map<JobId, String> problems() {
        return Map.copyOf(problems);
    }

    public TransferStats usage() {
        return crawls.usage();
    }

    /**
     * Returns why the worker pauses, if it does: Redis is unreachable, is full or has lost its
     * data.
     */
    public Optional<String> problem() {
        return problem;
    }

    public String name() {
        return settings.fleet().worker();
    }

    /** Stops the worker; visits in progress may finish. */
    public void stop() {
        stopped = true;
        wakeUp();
    }

    /** Returns the round trips to Redis of all connections of this worker. */
    public long roundTrips() {
        return frontier.roundTrips()
                + fleet.roundTrips()
                + clock.roundTrips()
                + sharedJobCache.roundTrips();
    }

    /** Releases every host and leaves the fleet. */
    @Override
    public void close() throws IOException {
        stop();
        try (directory) {
            crawls.close();
            frontier.close();
            sharedJobCache.close();
            seedPieces.close();
            clock.close();
            fleet.close();
        }
    }
}
