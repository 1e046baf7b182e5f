package dev.orbweaver.fleet;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.YamlFile;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetClock;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisDataLostException;
import dev.orbweaver.fleet.redis.RedisFrontier;
import dev.orbweaver.fleet.redis.RedisUnavailableException;
import dev.orbweaver.fleet.redis.SharedJobCache;
import dev.orbweaver.internal.crawl.CrawlEnd;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.crawl.MonotonicClock;
import dev.orbweaver.internal.directory.FrontierLocation;
import dev.orbweaver.internal.directory.OpenResources;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLock;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.CommittedLengths;
import dev.orbweaver.internal.frontier.Frontier;
import dev.orbweaver.internal.frontier.FrontierBlockedException;
import dev.orbweaver.internal.frontier.FrontierFailedException;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.SharedFrontier;
import dev.orbweaver.internal.frontier.disk.CommittedLengthsFile;
import dev.orbweaver.internal.frontier.disk.DiskSettings.Durability;
import dev.orbweaver.internal.frontier.disk.FingerprintKeyFile;
import dev.orbweaver.internal.jobs.JobCrawls;
import dev.orbweaver.internal.jobs.JobOutcome;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.sink.FleetPart;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.TransferStats;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
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

    /** Says with which incarnation of the fleet the folder was last used. */
    private static final String INCARNATION_FILE = "fleet-incarnation";

    private static final String MAX_TIME = "max-time";
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
    private static final Duration CLOCK_INTERVAL = Duration.ofSeconds(30);
    private static final Duration JOBS_READ_INTERVAL = Duration.ofSeconds(30);
    private static final Duration RETRY_DELAY = Duration.ofSeconds(30);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration STOP_GRACE = Duration.ofSeconds(10);

    /**
     * What a worker's operator decides, whatever a job asks for.
     *
     * @param concurrency requests at the same time, of all jobs together
     * @param allowPrivate whether private addresses may be requested
     * @param allowAddresses ranges that may be connected to, whatever they are
     */
    public record WorkerSettings(
            FleetSettings fleet,
            Path data,
            int concurrency,
            boolean allowPrivate,
            List<String> allowAddresses,
            Settings table) {

        /** Without further ranges. */
        public WorkerSettings(FleetSettings fleet, Path data, int atOnce, boolean allowPrivate) {
            this(fleet, data, atOnce, allowPrivate, List.of(), Settings.CORE);
        }

        /** Keeps the ranges unchangeable. */
        public WorkerSettings {
            allowAddresses = List.copyOf(allowAddresses);
        }
    }

    /** Who looks on at a worker, and has a say in it. */
    interface WorkerObserver {

        /** Nobody does. */
        WorkerObserver NONE =
                new WorkerObserver() {
                    @Override
                    public JobListCallback beforeJobsRead() {
                        return _ -> {};
                    }

                    @Override
                    public void afterPoll() {}

                    @Override
                    public CrawlListener listener(JobId job) {
                        return CrawlListener.NONE;
                    }

                    @Override
                    public int jobsMax() {
                        return Integer.MAX_VALUE;
                    }
                };

        /** The worker is about to ask for the fleet's jobs, as some have changed. */
        JobListCallback beforeJobsRead();

        /** The worker has looked whether anything is to be done. */
        void afterPoll();

        /** Who hears of what is fetched of a job. */
        CrawlListener listener(JobId job);

        /** How many jobs are worked on at the same time. */
        int jobsMax();
    }

    /** Takes what a look at the fleet has shown, before anything comes of it. */
    interface JobListCallback {
        /** These are the fleet's jobs. */
        void jobsRead(List<FleetJob> fleetJobs);
    }

    /**
     * How a job's crawl ended here.
     *
     * @param version of the job that was crawled
     */
    private record FinishedCrawl(CrawlEnd end, int version) {}

    private final WorkerSettings workerSettings;
    private final WorkerObserver workerObserver;
    private final DirectoryLock lock;
    private final Fleet fleet;
    private final FleetClock clock;
    private final RedisFrontier frontier;
    private final SharedJobCache sharedJobCache;
    private final JobCrawls crawls;
    private final Semaphore wake = new Semaphore(0);
    private volatile boolean stopped;
    private final Map<JobId, Instant> notBefore = new ConcurrentHashMap<>();
    private final Map<JobId, FinishedCrawl> finishedCrawls = new ConcurrentHashMap<>();

    /** Why jobs cannot be worked on here, of those that cannot. */
    private final Map<JobId, String> problems = new ConcurrentHashMap<>();

    /** The versions of the jobs that are being crawled here. */
    private final Map<JobId, Integer> versions = new ConcurrentHashMap<>();

    /** How long the output files of jobs are, of those that were opened since the start. */
    private final Map<JobId, CommittedLengths> committedLengths = new ConcurrentHashMap<>();

    private final Map<JobId, List<CommittedLength>> storedLengths = new ConcurrentHashMap<>();

    private volatile Optional<String> problem = Optional.empty();

    /** Whether Redis lost its data since the last process in this folder joined the fleet. */
    private final boolean dataLost;

    private Instant clockMeasuredAt;

    /** The fleet's jobs when they were last read, when that was, and what was its news then. */
    private List<FleetJob> fleetJobs = List.of();

    private Instant jobsReadAt = Instant.MIN;
    private String jobsVersion = "";

    private FleetWorker(
            WorkerSettings workerSettings,
            WorkerObserver workerObserver,
            OpenResources openResources)
            throws IOException {
        this.workerSettings = workerSettings;
        this.workerObserver = workerObserver;
        Files.createDirectories(workerSettings.data);
        this.lock =
                openResources.add(
                        DirectoryLock.tryLock(workerSettings.data.resolve(LOCK_FILE))
                                .orElseThrow(
                                        () ->
                                                new IOException(
                                                        "another worker is working in "
                                                                + workerSettings.data
                                                                + ": give each a folder of its"
                                                                + " own")));
        if (Files.isDirectory(workerSettings.data.resolve(FrontierLocation.FRONTIER))) {
            throw new IOException(
                    workerSettings.data
                            + " is the folder of a crawl or of a service without a fleet: choose"
                            + " another with --data");
        }
        this.fleet = openResources.add(Fleet.open(workerSettings.fleet));
        this.dataLost = detectDataLoss();
        verifyKey(workerSettings, fleet.fingerprintKey(), dataLost);
        this.clock =
                openResources.add(
                        FleetClock.open(
                                workerSettings.fleet,
                                MonotonicClock.start(InstantSource.system())));
        this.clockMeasuredAt = clock.instant();
        fleet.join(clockMeasuredAt);
        this.frontier =
                openResources.add(
                        RedisFrontier.open(workerSettings.fleet, Politeness.DEFAULT, clock));
        this.sharedJobCache = openResources.add(SharedJobCache.open(workerSettings.fleet, clock));
        this.crawls =
                new JobCrawls(
                        frontier,
                        workerSettings.concurrency,
                        this::openFrontierView,
                        job -> new FleetSharedCaches(sharedJobCache, job, clock),
                        clock,
                        this::onCrawlEnded);
    }

    /**
     * Joins a fleet. A Redis that is not there yet is waited for, as it may have been started at
     * the same time and be reading its files.
     */
    public static FleetWorker join(WorkerSettings workerSettings) throws IOException {
        return join(workerSettings, WorkerObserver.NONE);
    }

    static FleetWorker join(WorkerSettings workerSettings, WorkerObserver workerObserver)
            throws IOException {
        var until = System.nanoTime() + CONNECT_TIMEOUT.toNanos();
        while (true) {
            try {
                return joinNow(workerSettings, workerObserver);
            } catch (RedisUnavailableException e) {
                if (System.nanoTime() > until || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                LOG.warn("{}; it is waited for", e.getMessage());
                LockSupport.parkNanos(POLL_INTERVAL.toNanos());
            }
        }
    }

    private static FleetWorker joinNow(WorkerSettings workerSettings, WorkerObserver workerObserver)
            throws IOException {
        var openResources = new OpenResources();
        try {
            return new FleetWorker(workerSettings, workerObserver, openResources);
        } catch (IOException | RuntimeException e) {
            openResources.closeOnFailure(e);
            throw e;
        }
    }

    /**
     * The fleet's key is kept beside what was crawled under it. After Redis has lost its data the
     * fleet has a new one; otherwise a fleet with another key is not the one that this worker
     * worked for.
     */
    private static void verifyKey(
            WorkerSettings workerSettings, FingerprintKey key, boolean emptied) throws IOException {
        var disk = new RealDisk();
        if (emptied || !disk.exists(workerSettings.data.resolve(FingerprintKeyFile.NAME))) {
            FingerprintKeyFile.write(disk, workerSettings.data, key);
        }
        FingerprintKeyFile.createOrVerify(
                disk,
                workerSettings.data,
                key,
                "the fleet %s has another fingerprint key in Redis than the one in %s: Redis lost its data or is another one; restore it from a copy, or choose another directory with --data"
                        .formatted(
                                workerSettings.fleet.fleet(),
                                workerSettings.data.resolve(FingerprintKeyFile.NAME)));
    }

    private Frontier openFrontierView(
            SharedFrontier shared, JobId job, CrawlConfig config, Path directory)
            throws IOException {
        var lengths =
                CommittedLengthsFile.open(
                        new RealDisk(), directory, config.durability() == Durability.POWER);
        committedLengths.put(job, lengths);
        return shared.view(job, lengths);
    }

    /** How long the output files of a job are here, by what is committed. */
    List<CommittedLength> readCommittedLengths(JobId job) throws IOException {
        var known = committedLengths.get(job);
        if (known != null) {
            return known.latest();
        }
        var read = storedLengths.get(job);
        if (read == null) {
            var file = directory(job).resolve(CommittedLengthsFile.FILE);
            read =
                    Files.exists(file)
                            ? CommittedLengthsFile.read(new RealDisk(), directory(job))
                            : List.of();
            storedLengths.put(job, read); // Nobody writes there before this process does.
        }
        return read;
    }

    private boolean detectDataLoss() throws IOException {
        var file = workerSettings.data.resolve(INCARNATION_FILE);
        var now = fleet.incarnation();
        var before = Files.exists(file) ? AtomicFile.read(new RealDisk(), file).strip() : now;
        AtomicFile.write(new RealDisk(), file, now + "\n");
        return !before.equals(now);
    }

    /** What is wrong with how Redis is set up or with its data, as sentences. */
    public List<String> warnings() throws IOException {
        var warnings = new ArrayList<>(fleet.warnings());
        if (dataLost) {
            warnings.add(
                    "Redis lost its data since this worker was last here: the fleet starts empty;"
                            + " the folders of earlier jobs stay in "
                            + workerSettings.data.resolve(JOBS));
        }
        return warnings;
    }

    /** Works until {@link #stop}. */
    public void run() throws InterruptedException {
        while (!stopped) {
            try {
                poll();
                problem.ifPresent(_ -> LOG.info("Redis answers again, work goes on"));
                problem = Optional.empty();
            } catch (RedisDataLostException e) {
                throw leaveAfterDataLoss(e);
            } catch (IOException e) {
                setProblem(String.valueOf(e.getMessage()));
            } catch (FrontierBlockedException e) {
                setProblem(e.reason());
            } catch (RuntimeException e) {
                problem = Optional.of("the worker has left: " + e.getMessage());
                throw e;
            }
            var _ = wake.tryAcquire(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
            var _ = wake.drainPermits();
        }
    }

    /**
     * This worker's hosts, queues and jobs are those of a fleet that is no longer there. It ends,
     * and writes nothing into what is in Redis now; who starts it again joins that.
     */
    private UncheckedIOException leaveAfterDataLoss(RedisDataLostException lost) {
        var why = lost.getMessage() + "; this worker leaves, start it again to join the fleet anew";
        LOG.error(why);
        problem = Optional.of(why);
        frontier.abandon();
        crawls.jobs().forEach(job -> crawls.stop(job, Duration.ZERO));
        return new UncheckedIOException(new IOException(why, lost));
    }

    private void setProblem(String why) {
        if (problem.isEmpty()) {
            LOG.warn("work pauses: {}", why);
        }
        problem = Optional.of(why);
    }

    /** Has it look at the fleet's jobs at once. */
    void wakeUp() {
        wake.release();
    }

    private void poll() throws IOException {
        crawls.failure()
                .ifPresent(
                        error -> {
                            // Better to leave than to stay and do nothing: who is started anew
                            // may fare better.
                            throw error instanceof FrontierFailedException failed
                                    ? failed
                                    : new IllegalStateException("no work can be dealt here", error);
                        });
        fleet.requireData();
        var now = clock.instant();
        if (clockMeasuredAt.plus(CLOCK_INTERVAL).isBefore(now)) {
            clock.measure();
            clockMeasuredAt = now;
        }
        frontier.heartbeat(activity(), now);
        for (var each : Map.copyOf(finishedCrawls).entrySet()) {
            finish(each.getKey(), each.getValue());
        }
        readJobs(now);
        fleetJobs.forEach(this::reconcile);
        var listed =
                fleetJobs.stream().map(FleetJob::id).collect(Collectors.toCollection(HashSet::new));
        var running = crawls.jobs();
        running.stream()
                .filter(job -> !listed.contains(job))
                .forEach(job -> crawls.stop(job, Duration.ZERO));
        listed.addAll(running);
        for (var each : List.of(committedLengths, storedLengths, versions, notBefore, problems)) {
            var _ = each.keySet().retainAll(listed);
        }
        workerObserver.afterPoll();
    }

    /** Reads all jobs, if any of them has changed; and now and then whatever is said of it. */
    private void readJobs(Instant now) throws IOException {
        var said = fleet.jobsVersion();
        if (said.equals(jobsVersion) && now.isBefore(jobsReadAt.plus(JOBS_READ_INTERVAL))) {
            return;
        }
        var jobListCallback = workerObserver.beforeJobsRead();
        fleetJobs = fleet.jobs();
        jobsVersion = said;
        jobsReadAt = now;
        jobListCallback.jobsRead(fleetJobs);
    }

    private void finish(JobId job, FinishedCrawl ended) throws IOException {
        var stats = fleet.stats(job, clock.instant());
        var jobOutcome = JobOutcome.of(ended.end, () -> stats);
        var failed = jobOutcome.state() == JobRecord.State.FAILED;
        if (fleet.finish(job, ended.version, jobOutcome.reason(), failed)) {
            LOG.info("job {} has come to its end", job.number());
        }
        finishedCrawls.remove(job);
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

    private void reconcile(FleetJob fleetJob) {
        var id = fleetJob.id();
        var running = crawls.jobs().contains(id);
        switch (fleetJob.state()) {
            case QUEUED, RUNNING -> {
                if (!running) {
                    startCrawl(fleetJob);
                } else if (isChanged(fleetJob)) {
                    crawls.stop(id, STOP_GRACE); // It is begun again as it is wanted now.
                } else {
                    crawls.resume(id);
                }
            }
            case PAUSED -> {
                if (running && isChanged(fleetJob)) {
                    crawls.stop(id, STOP_GRACE);
                } else {
                    crawls.pause(id);
                }
            }
            case STOPPED, FINISHED -> crawls.stop(id, STOP_GRACE);
        }
    }

    private boolean isChanged(FleetJob fleetJob) {
        return versions.getOrDefault(fleetJob.id(), fleetJob.version()) != fleetJob.version();
    }

    private void startCrawl(FleetJob fleetJob) {
        var id = fleetJob.id();
        if (finishedCrawls.containsKey(id)
                || crawls.jobs().size() >= workerObserver.jobsMax()
                || clock.instant().isBefore(notBefore.getOrDefault(id, Instant.MIN))) {
            return;
        }
        try {
            var config =
                    withRemainingTime(
                            fleetJob,
                            config(fleetJob)); // First: what nobody can read does not run.
            requireOwnDirectory(fleetJob);
            if (fleet.start(id)) {
                wakeUp(); // Whoever looks on sees it running.
            }
            frontier.setWeight(id, fleetJob.weight());
            versions.put(id, fleetJob.version());
            new FleetPart(
                            name(),
                            frontier.number(),
                            workerSettings.fleet.fleet() + "/" + id.number(),
                            fleetJob.identity())
                    .save(directory(id));
            crawls.start(id, config, directory(id), workerObserver.listener(id));
            problems.remove(id);
        } catch (IOException | ConfigException | RuntimeException e) {
            LOG.error("job {} cannot be worked on here", id.number(), e);
            problems.put(id, String.valueOf(e.getMessage()));
            notBefore.put(id, clock.instant().plus(RETRY_DELAY));
        }
    }

    /** The limit on a job's time counts from when the job began to run, for every worker. */
    private CrawlConfig withRemainingTime(FleetJob fleetJob, CrawlConfig config)
            throws ConfigException {
        var since =
                fleetJob.stateDetail()
                        .stateSince()
                        .filter(_ -> fleetJob.state() == FleetJob.State.RUNNING);
        if (since.isEmpty() || config.settingValues().last(MAX_TIME).isEmpty()) {
            return config;
        }
        var ran = Duration.between(since.get(), clock.instant());
        var left = config.crawl().limits().time().minus(ran).toMillis();
        return config.withSetting(MAX_TIME, Math.max(1, left) + "ms");
    }

    /** Fails when the job's folder has the files of another job. */
    private void requireOwnDirectory(FleetJob fleetJob) throws IOException {
        var directory = directory(fleetJob.id());
        var part = FleetPart.read(directory);
        var own =
                part.isPresent()
                        ? part.get().identity().equals(fleetJob.identity())
                        : !Files.exists(directory.resolve(PageLog.FILE));
        if (!own) {
            throw new IOException(
                    directory + " has the files of another job with the same number: move it away");
        }
    }

    /** A job's settings as they count here: what is the operator's to decide, the operator has. */
    CrawlConfig config(FleetJob fleetJob) throws ConfigException {
        var settingValues =
                YamlFile.parse(
                        fleetJob.settings(),
                        "the settings of job " + fleetJob.id().number(),
                        workerSettings.table);
        settingValues.put("allow-private", Boolean.toString(workerSettings.allowPrivate));
        settingValues.put(Settings.ALLOW_ADDRESSES, workerSettings.allowAddresses);
        settingValues.put(
                Settings.ALLOW_ORIGINS, List.of()); // The operator has not named the seeds.
        for (var extension : workerSettings.table.extensions()) {
            extension.separate(settingValues, workerSettings.fleet.worker());
        }
        return CrawlConfig.read(settingValues);
    }

    Path directory(JobId job) {
        return workerSettings.data.resolve(JOBS).resolve(Integer.toString(job.number()));
    }

    private void onCrawlEnded(JobId job, CrawlEnd end) {
        switch (end.reason()) {
            case COMPLETE, MAX_PAGES, MAX_BYTES, MAX_TIME ->
                    finishedCrawls.put(job, new FinishedCrawl(end, versions.getOrDefault(job, 0)));
            case STOPPED -> {}
            case WAITING, BROKEN, INTERNAL -> {
                LOG.warn("job {} broke off here: {}", job.number(), end.detail());
                notBefore.put(job, clock.instant().plus(RETRY_DELAY));
            }
        }
        wakeUp();
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

    /** How the crawls of its jobs stand. */
    public Map<JobId, CrawlStatus> status() {
        var all = new LinkedHashMap<JobId, CrawlStatus>();
        for (var job : crawls.jobs()) {
            crawls.status(job).ifPresent(status -> all.put(job, status));
        }
        return all;
    }

    /** Why jobs cannot be worked on here, of those that cannot; they are tried again. */
    public Map<JobId, String> problems() {
        return Map.copyOf(problems);
    }

    /** What its crawls have moved. */
    public TransferStats usage() {
        return crawls.usage();
    }

    /** Why work pauses, if it does: Redis cannot be reached, is full or has lost its data. */
    public Optional<String> problem() {
        return problem;
    }

    /** Its name in the fleet. */
    public String name() {
        return workerSettings.fleet.worker();
    }

    /** Leaves off; what is under way may finish. */
    public void stop() {
        stopped = true;
        wakeUp();
    }

    /** Gives every host back and leaves the fleet. */
    @Override
    public void close() throws IOException {
        stop();
        try (lock) {
            crawls.close();
            frontier.close();
            sharedJobCache.close();
            clock.close();
            fleet.close();
        }
    }
}
