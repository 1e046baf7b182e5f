package dev.orbweaver;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.YamlFile;
import dev.orbweaver.crawl.CrawlEnd;
import dev.orbweaver.crawl.CrawlListener;
import dev.orbweaver.crawl.CrawlStatus;
import dev.orbweaver.crawl.SteadyClock;
import dev.orbweaver.disk.FolderLock;
import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.disk.WholeFile;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierBlockedException;
import dev.orbweaver.frontier.FrontierFailedException;
import dev.orbweaver.frontier.Marks;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.frontier.SharedFrontier;
import dev.orbweaver.frontier.disk.DiskSettings.Durability;
import dev.orbweaver.frontier.disk.KeyFile;
import dev.orbweaver.frontier.disk.MarksFile;
import dev.orbweaver.frontier.redis.Board;
import dev.orbweaver.frontier.redis.Fleet;
import dev.orbweaver.frontier.redis.FleetClock;
import dev.orbweaver.frontier.redis.FleetSettings;
import dev.orbweaver.frontier.redis.Job;
import dev.orbweaver.frontier.redis.RedisAwayException;
import dev.orbweaver.frontier.redis.RedisDataLostException;
import dev.orbweaver.frontier.redis.RedisFrontier;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Usage;
import dev.orbweaver.sink.FleetPart;
import dev.orbweaver.sink.PageLog;
import dev.orbweaver.url.FingerprintKey;

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
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration MEASURE_EVERY = Duration.ofSeconds(30);
    private static final Duration READ_EVERY = Duration.ofSeconds(30);
    private static final Duration AGAIN_AFTER_FAILURE = Duration.ofSeconds(30);
    private static final Duration START_PATIENCE = Duration.ofSeconds(60);
    private static final Duration GRACE = Duration.ofSeconds(10);

    /**
     * What a worker's operator decides, whatever a job asks for.
     *
     * @param atOnce requests at the same time, of all jobs together
     * @param allowPrivate whether private addresses may be requested
     * @param allowAddresses ranges that may be connected to, whatever they are
     */
    public record Terms(
            FleetSettings fleet,
            Path data,
            int atOnce,
            boolean allowPrivate,
            List<String> allowAddresses,
            Settings table) {

        /** Without further ranges. */
        public Terms(FleetSettings fleet, Path data, int atOnce, boolean allowPrivate) {
            this(fleet, data, atOnce, allowPrivate, List.of(), Settings.CORE);
        }

        /** Keeps the ranges unchangeable. */
        public Terms {
            allowAddresses = List.copyOf(allowAddresses);
        }
    }

    /** Who looks on at a worker, and has a say in it. */
    interface Companion {

        /** Nobody does. */
        Companion NONE =
                new Companion() {
                    @Override
                    public Glance looking() {
                        return _ -> {};
                    }

                    @Override
                    public void looked() {}

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
        Glance looking();

        /** The worker has looked whether anything is to be done. */
        void looked();

        /** Who hears of what is fetched of a job. */
        CrawlListener listener(JobId job);

        /** How many jobs are worked on at the same time. */
        int jobsMax();
    }

    /** Takes what a look at the fleet has shown, before anything comes of it. */
    interface Glance {
        /** These are the fleet's jobs. */
        void found(List<Job> jobs);
    }

    /**
     * How a job's crawl ended here.
     *
     * @param version of the job that was crawled
     */
    private record Over(CrawlEnd end, int version) {}

    private final Terms terms;
    private final Companion companion;
    private final FolderLock lock;
    private final Fleet fleet;
    private final FleetClock clock;
    private final RedisFrontier frontier;
    private final Board board;
    private final JobCrawls crawls;
    private final Semaphore wake = new Semaphore(0);
    private volatile boolean stopped;
    private final Map<JobId, Instant> notBefore = new ConcurrentHashMap<>();
    private final Map<JobId, Over> over = new ConcurrentHashMap<>();

    /** Why jobs cannot be worked on here, of those that cannot. */
    private final Map<JobId, String> problems = new ConcurrentHashMap<>();

    /** The versions of the jobs that are being crawled here. */
    private final Map<JobId, Integer> versions = new ConcurrentHashMap<>();

    /** How long the output files of jobs are, of those that were opened since the start. */
    private final Map<JobId, Marks> marks = new ConcurrentHashMap<>();

    private final Map<JobId, List<FileMark>> marksBefore = new ConcurrentHashMap<>();

    private volatile Optional<String> trouble = Optional.empty();

    /** Whether Redis lost its data since the last process in this folder joined the fleet. */
    private final boolean emptied;

    private Instant measuredAt;

    /** The fleet's jobs when they were last read, when that was, and what was its news then. */
    private List<Job> jobs = List.of();

    private Instant readAt = Instant.MIN;
    private String news = "";

    private FleetWorker(Terms terms, Companion companion, Opened opened) throws IOException {
        this.terms = terms;
        this.companion = companion;
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
        if (Files.isDirectory(terms.data.resolve(FrontierPlace.FRONTIER))) {
            throw new IOException(
                    terms.data
                            + " is the folder of a crawl or of a service without a fleet: choose"
                            + " another with --data");
        }
        this.fleet = opened.keep(Fleet.open(terms.fleet));
        this.emptied = isEmptied();
        agreeOnKey(terms, fleet.fingerprintKey(), emptied);
        this.clock =
                opened.keep(
                        FleetClock.open(terms.fleet, SteadyClock.start(InstantSource.system())));
        this.measuredAt = clock.instant();
        fleet.join(measuredAt);
        this.frontier = opened.keep(RedisFrontier.open(terms.fleet, Politeness.DEFAULT, clock));
        this.board = opened.keep(Board.open(terms.fleet, clock));
        this.crawls =
                new JobCrawls(
                        frontier,
                        terms.atOnce,
                        this::part,
                        job -> new FleetCommons(board, job, clock),
                        clock,
                        this::ended);
    }

    /**
     * Joins a fleet. A Redis that is not there yet is waited for, as it may have been started at
     * the same time and be reading its files.
     */
    public static FleetWorker join(Terms terms) throws IOException {
        return join(terms, Companion.NONE);
    }

    static FleetWorker join(Terms terms, Companion companion) throws IOException {
        var until = System.nanoTime() + START_PATIENCE.toNanos();
        while (true) {
            try {
                return joinNow(terms, companion);
            } catch (RedisAwayException e) {
                if (System.nanoTime() > until || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                LOG.warn("{}; it is waited for", e.getMessage());
                LockSupport.parkNanos(LOOK_EVERY.toNanos());
            }
        }
    }

    private static FleetWorker joinNow(Terms terms, Companion companion) throws IOException {
        var opened = new Opened();
        try {
            return new FleetWorker(terms, companion, opened);
        } catch (IOException | RuntimeException e) {
            opened.closeAfter(e);
            throw e;
        }
    }

    /**
     * The fleet's key is kept beside what was crawled under it. After Redis has lost its data the
     * fleet has a new one; otherwise a fleet with another key is not the one that this worker
     * worked for.
     */
    private static void agreeOnKey(Terms terms, FingerprintKey key, boolean emptied)
            throws IOException {
        var disk = new RealDisk();
        if (emptied || !disk.exists(terms.data.resolve(KeyFile.NAME))) {
            KeyFile.write(disk, terms.data, key);
        }
        KeyFile.agree(
                disk,
                terms.data,
                key,
                "the fleet %s has another fingerprint key in Redis than the one in %s: Redis lost its data or is another one; restore it from a copy, or choose another directory with --data"
                        .formatted(terms.fleet.fleet(), terms.data.resolve(KeyFile.NAME)));
    }

    private Frontier part(SharedFrontier shared, JobId job, CrawlConfig config, Path folder)
            throws IOException {
        var lengths =
                MarksFile.open(new RealDisk(), folder, config.durability() == Durability.POWER);
        marks.put(job, lengths);
        return shared.view(job, lengths);
    }

    /** How long the output files of a job are here, by what is committed. */
    List<FileMark> marks(JobId job) throws IOException {
        var known = marks.get(job);
        if (known != null) {
            return known.last();
        }
        var read = marksBefore.get(job);
        if (read == null) {
            var file = folder(job).resolve(MarksFile.FILE);
            read = Files.exists(file) ? MarksFile.read(new RealDisk(), folder(job)) : List.of();
            marksBefore.put(job, read); // Nobody writes there before this process does.
        }
        return read;
    }

    private boolean isEmptied() throws IOException {
        var file = terms.data.resolve(INCARNATION_FILE);
        var now = fleet.incarnation();
        var before = Files.exists(file) ? WholeFile.read(new RealDisk(), file).strip() : now;
        WholeFile.write(new RealDisk(), file, now + "\n");
        return !before.equals(now);
    }

    /** What is wrong with how Redis is set up or with its data, as sentences. */
    public List<String> warnings() throws IOException {
        var warnings = new ArrayList<>(fleet.warnings());
        if (emptied) {
            warnings.add(
                    "Redis lost its data since this worker was last here: the fleet starts empty;"
                            + " the folders of earlier jobs stay in "
                            + terms.data.resolve(JOBS));
        }
        return warnings;
    }

    /** Works until {@link #stop}. */
    public void run() throws InterruptedException {
        while (!stopped) {
            try {
                look();
                trouble.ifPresent(_ -> LOG.info("Redis answers again, work goes on"));
                trouble = Optional.empty();
            } catch (RedisDataLostException e) {
                throw left(e);
            } catch (IOException e) {
                pause(String.valueOf(e.getMessage()));
            } catch (FrontierBlockedException e) {
                pause(e.why());
            } catch (RuntimeException e) {
                trouble = Optional.of("the worker has left: " + e.getMessage());
                throw e;
            }
            var _ = wake.tryAcquire(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
            var _ = wake.drainPermits();
        }
    }

    /**
     * This worker's hosts, queues and jobs are those of a fleet that is no longer there. It ends,
     * and writes nothing into what is in Redis now; who starts it again joins that.
     */
    private UncheckedIOException left(RedisDataLostException lost) {
        var why = lost.getMessage() + "; this worker leaves, start it again to join the fleet anew";
        LOG.error(why);
        trouble = Optional.of(why);
        frontier.abandon();
        crawls.jobs().forEach(job -> crawls.stop(job, Duration.ZERO));
        return new UncheckedIOException(new IOException(why, lost));
    }

    private void pause(String why) {
        if (trouble.isEmpty()) {
            LOG.warn("work pauses: {}", why);
        }
        trouble = Optional.of(why);
    }

    /** Has it look at the fleet's jobs at once. */
    void nudge() {
        wake.release();
    }

    private void look() throws IOException {
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
        if (measuredAt.plus(MEASURE_EVERY).isBefore(now)) {
            clock.measure();
            measuredAt = now;
        }
        frontier.beat(doing(), now);
        for (var each : Map.copyOf(over).entrySet()) {
            finish(each.getKey(), each.getValue());
        }
        readJobs(now);
        jobs.forEach(this::attend);
        var listed = jobs.stream().map(Job::id).collect(Collectors.toCollection(HashSet::new));
        var running = crawls.jobs();
        running.stream()
                .filter(job -> !listed.contains(job))
                .forEach(job -> crawls.stop(job, Duration.ZERO));
        listed.addAll(running);
        for (var each : List.of(marks, marksBefore, versions, notBefore, problems)) {
            var _ = each.keySet().retainAll(listed);
        }
        companion.looked();
    }

    /** Reads all jobs, if any of them has changed; and now and then whatever is said of it. */
    private void readJobs(Instant now) throws IOException {
        var said = fleet.news();
        if (said.equals(news) && now.isBefore(readAt.plus(READ_EVERY))) {
            return;
        }
        var glance = companion.looking();
        jobs = fleet.jobs();
        news = said;
        readAt = now;
        glance.found(jobs);
    }

    private void finish(JobId job, Over ended) throws IOException {
        var stats = fleet.stats(job, clock.instant());
        var ending = Ending.of(ended.end, () -> stats);
        var failed = ending.state() == JobRecord.State.FAILED;
        if (fleet.finish(job, ended.version, ending.reason(), failed)) {
            LOG.info("job {} has come to its end", job.number());
        }
        over.remove(job);
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
        var id = job.id();
        var running = crawls.jobs().contains(id);
        switch (job.state()) {
            case QUEUED, RUNNING -> {
                if (!running) {
                    begin(job);
                } else if (isChanged(job)) {
                    crawls.stop(id, GRACE); // It is begun again as it is wanted now.
                } else {
                    crawls.resume(id);
                }
            }
            case PAUSED -> {
                if (running && isChanged(job)) {
                    crawls.stop(id, GRACE);
                } else {
                    crawls.pause(id);
                }
            }
            case STOPPED, FINISHED -> crawls.stop(id, GRACE);
        }
    }

    private boolean isChanged(Job job) {
        return versions.getOrDefault(job.id(), job.version()) != job.version();
    }

    private void begin(Job job) {
        var id = job.id();
        if (over.containsKey(id)
                || crawls.jobs().size() >= companion.jobsMax()
                || clock.instant().isBefore(notBefore.getOrDefault(id, Instant.MIN))) {
            return;
        }
        try {
            var config = timed(job, config(job)); // First: what nobody can read does not run.
            requireOwnFolder(job);
            if (fleet.begin(id)) {
                nudge(); // Whoever looks on sees it running.
            }
            frontier.weigh(id, job.weight());
            versions.put(id, job.version());
            new FleetPart(
                            name(),
                            frontier.number(),
                            terms.fleet.fleet() + "/" + id.number(),
                            job.identity())
                    .keep(folder(id));
            crawls.start(id, config, folder(id), companion.listener(id));
            problems.remove(id);
        } catch (IOException | ConfigException | RuntimeException e) {
            LOG.error("job {} cannot be worked on here", id.number(), e);
            problems.put(id, String.valueOf(e.getMessage()));
            notBefore.put(id, clock.instant().plus(AGAIN_AFTER_FAILURE));
        }
    }

    /** The limit on a job's time counts from when the job began to run, for every worker. */
    private CrawlConfig timed(Job job, CrawlConfig config) throws ConfigException {
        var since = job.course().since().filter(_ -> job.state() == Job.State.RUNNING);
        if (since.isEmpty() || config.values().last(MAX_TIME).isEmpty()) {
            return config;
        }
        var ran = Duration.between(since.get(), clock.instant());
        var left = config.crawl().limits().time().minus(ran).toMillis();
        return config.with(MAX_TIME, Math.max(1, left) + "ms");
    }

    /** Fails when the job's folder has the files of another job. */
    private void requireOwnFolder(Job job) throws IOException {
        var folder = folder(job.id());
        var part = FleetPart.of(folder);
        var own =
                part.isPresent()
                        ? part.get().identity().equals(job.identity())
                        : !Files.exists(folder.resolve(PageLog.FILE));
        if (!own) {
            throw new IOException(
                    folder + " has the files of another job with the same number: move it away");
        }
    }

    /** A job's settings as they count here: what is the operator's to decide, the operator has. */
    CrawlConfig config(Job job) throws ConfigException {
        var values =
                YamlFile.parse(
                        job.settings(), "the settings of job " + job.id().number(), terms.table);
        values.put("allow-private", Boolean.toString(terms.allowPrivate));
        values.put(Settings.ALLOW_ADDRESSES, terms.allowAddresses);
        values.put(Settings.ALLOW_ORIGINS, List.of()); // The operator has not named the seeds.
        for (var extension : terms.table.extensions()) {
            extension.separate(values, terms.fleet.worker());
        }
        return CrawlConfig.read(values);
    }

    Path folder(JobId job) {
        return terms.data.resolve(JOBS).resolve(Integer.toString(job.number()));
    }

    private void ended(JobId job, CrawlEnd end) {
        switch (end.reason()) {
            case COMPLETE, MAX_PAGES, MAX_BYTES, MAX_TIME ->
                    over.put(job, new Over(end, versions.getOrDefault(job, 0)));
            case STOPPED -> {}
            case WAITING, BROKEN, INTERNAL -> {
                LOG.warn("job {} broke off here: {}", job.number(), end.detail());
                notBefore.put(job, clock.instant().plus(AGAIN_AFTER_FAILURE));
            }
        }
        nudge();
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
    public Usage usage() {
        return crawls.usage();
    }

    /** Why work pauses, if it does: Redis cannot be reached, is full or has lost its data. */
    public Optional<String> trouble() {
        return trouble;
    }

    /** Its name in the fleet. */
    public String name() {
        return terms.fleet.worker();
    }

    /** Leaves off; what is under way may finish. */
    public void stop() {
        stopped = true;
        nudge();
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
