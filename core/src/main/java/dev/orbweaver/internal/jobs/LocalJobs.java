package dev.orbweaver.internal.jobs;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.InvalidArgumentException;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.crawl.MonotonicClock;
import dev.orbweaver.internal.directory.OpenResources;
import dev.orbweaver.internal.directory.SharedCaches;
import dev.orbweaver.internal.disk.CountingDisk;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.DirectoryLock;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.OpenCrawl;
import dev.orbweaver.internal.engine.RecrawlList;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.explain.PageLogIndex;
import dev.orbweaver.internal.explain.UrlExplanation;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.ForeignSetting;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.SharedFrontier;
import dev.orbweaver.internal.frontier.WorkbenchFrontier;
import dev.orbweaver.internal.frontier.disk.DiskFrontier;
import dev.orbweaver.internal.frontier.disk.DiskSettings;
import dev.orbweaver.internal.frontier.disk.FingerprintKeyFile;
import dev.orbweaver.internal.jobs.JobReconciler.Action;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.seeds.RemovedSeeds;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.TransferStats;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Runs many jobs over one frontier on one machine, each in its own directory below {@code jobs/}.
 *
 * <p>A command changes the record of its job and returns. One thread then starts, stops, pauses and
 * resumes crawls according to the records ({@link JobReconciler}), so the order in which commands
 * arrive does not matter.
 */
public final class LocalJobs implements Jobs {

    private static final Logger LOG = LoggerFactory.getLogger(LocalJobs.class);
    private static final JobReconciler RECONCILER = new JobReconciler(false);
    private static final String ADDED_SEEDS = "api";
    private static final Set<State> OPEN = Set.of(State.QUEUED, State.RUNNING, State.PAUSED);

    /**
     * The operator's settings for all jobs.
     *
     * @param concurrency maximum concurrent requests of all jobs together
     * @param jobsMax maximum number of jobs that are crawled at the same time; others wait
     * @param settings apply to every job; a job cannot change those that only the operator may set
     */
    public record LocalJobsSettings(
            Path data, int concurrency, int jobsMax, boolean allowPrivate, SettingValues settings)
            implements JobsSettings {
        @Override
        public LocalJobs open(JobListener jobListener) throws IOException, ConfigException {
            return LocalJobs.open(this, jobListener);
        }
    }

    private final LocalJobsSettings settings;
    private final DirectoryLock lock;
    private final JobStore jobStore;
    private final LocalJobRecords records;
    private final InstantSource clock;
    private final CountingDisk disk = new CountingDisk(new RealDisk());
    private final WorkbenchFrontier frontier;
    private final RobotsPool robotsPool;
    private final JobCrawls crawls;
    private final SingleFetches singleFetches;
    private final JobListener jobListener;
    private final ExecutorService jobExecutor =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("jobs").factory());

    private volatile boolean closing;

    private LocalJobs(
            LocalJobsSettings settings, JobListener jobListener, OpenResources openResources)
            throws IOException, ConfigException {
        this.settings = settings;
        this.jobListener = jobListener;
        Files.createDirectories(settings.data);
        this.lock =
                openResources.add(
                        DirectoryLock.tryLock(settings.data.resolve(DirectoryLayout.LOCK))
                                .orElseThrow(
                                        () ->
                                                new IOException(
                                                        "another process is using "
                                                                + settings.data
                                                                + ": stop it, or choose another"
                                                                + " directory with --data")));
        if (Files.exists(settings.data.resolve(DirectoryLayout.FLEET))) {
            throw new InvalidArgumentException(
                    settings.data
                            + " has jobs of a fleet: start with --redis, or choose another"
                            + " directory with --data");
        }
        this.clock = MonotonicClock.start(InstantSource.system());
        this.jobStore = new JobStore(new RealDisk(), settings.data);
        this.robotsPool = new RobotsPool(clock);
        this.records = new LocalJobRecords(jobStore, jobListener, clock);
        records.suspendRunning(this::lastSeen); // Those of a process that was killed.
        var place = settings.data.resolve(DirectoryLayout.FRONTIER);
        Files.createDirectories(place);
        var operator = JobRules.operatorOnly(settings.settings);
        var _ = operator.readCookies(clock.instant()); // A wrong file is reported now.
        var everybody =
                operator.withKey(
                        FingerprintKeyFile.read(disk, place).orElseGet(FingerprintKey::random));
        this.frontier =
                openResources.add(
                        DiskFrontier.open(
                                disk,
                                place,
                                Politeness.DEFAULT,
                                DiskSettings.of(everybody.urls()).with(everybody.durability()),
                                clock.instant()));
        // A job is active from the start of its crawl on. Until then its queues and settings must
        // not affect others, in particular those of jobs that ended in an earlier process.
        frontier.setActive(records.all().stream().map(JobRecord::id).toList(), false);
        this.crawls =
                new JobCrawls(
                        frontier,
                        settings.concurrency,
                        (shared, job, _, _) -> shared.view(job, SharedFrontier.directoryOf(job)),
                        this::sharedCaches,
                        clock,
                        (_, _) -> reconcileSoon());
        this.singleFetches =
                new SingleFetches(
                        frontier,
                        jobStore,
                        settings.concurrency,
                        robotsPool::caches,
                        jobListener,
                        clock);
    }

    private SharedCaches sharedCaches(JobId id) {
        try {
            return robotsPool.caches(config(records.require(id)).networkSettings().userAgent());
        } catch (ConfigException e) {
            throw new IllegalStateException("the settings were read before", e);
        }
    }

    /** Returns when a killed process last wrote a job's progress, which it does every 2 seconds. */
    private Instant lastSeen(JobId id) {
        try {
            return Files.getLastModifiedTime(directory(id).resolve(DirectoryLayout.PROGRESS))
                    .toInstant();
        } catch (IOException e) {
            return Instant.EPOCH; // It was killed before the first time; nothing is counted.
        }
    }

    /** Opens a directory of jobs; those that had not ended continue. */
    public static LocalJobs open(LocalJobsSettings settings, JobListener jobListener)
            throws IOException, ConfigException {
        return OpenResources.open(resources -> new LocalJobs(settings, jobListener, resources));
    }

    @Override
    public void start() {
        reconcileSoon();
    }

    @Override
    public List<JobRecord> all() {
        return records.all().reversed();
    }

    @Override
    public Optional<JobRecord> find(JobId id) {
        return records.find(id);
    }

    @Override
    public Optional<JobRecord> findByKey(String key) {
        return records.findByKey(key);
    }

    @Override
    public JobRecord submit(JobRequest request) throws ConfigException, IOException {
        // Rejects invalid settings before the job has a number.
        var _ = config(JobRecord.submitted(new JobId(0), request, clock.instant()));
        var job = records.add(request);
        reconcileSoon();
        return job;
    }

    @Override
    public long addSeeds(JobId id, SeedList.Content content)
            throws IOException, InterruptedException {
        return SeedList.addCopy(directory(id), ADDED_SEEDS, content);
    }

    @Override
    public void copyAddedSeeds(JobId from, JobId to) throws IOException, InterruptedException {
        for (var list : SeedList.of(directory(from))) {
            if (list.isOf(ADDED_SEEDS)) {
                var _ = SeedList.addCopy(directory(to), ADDED_SEEDS, out -> out.copy(list.file()));
            }
        }
    }

    @Override
    public RecrawlList.Counts recrawl(JobRecord job, Predicate<PageLogEntry> wanted)
            throws ConfigException, IOException, InterruptedException {
        var limit =
                RecrawlList.limitReached(config(job).crawl().limits(), stats(job.id()).ledger());
        if (limit.isPresent()) {
            throw new InvalidArgumentException(
                    "Job %d has reached %s, so it would end before it visits a page again; raise the limit"
                            .formatted(job.id().number(), limit.get()));
        }
        return StoredCrawl.isCrawl(directory(job.id()))
                ? RecrawlList.add(StoredCrawl.pages(List.of(directory(job.id())), table()), wanted)
                : new RecrawlList.Counts(0, 0); // It has not begun.
    }

    @Override
    public void removeSeeds(JobId id, List<CrawlUrl> urls) throws IOException {
        RemovedSeeds.add(directory(id), urls);
    }

    @Override
    public JobRecord pause(JobId id) throws IOException {
        return transition(id, Set.of(State.QUEUED, State.RUNNING), State.PAUSED, "");
    }

    @Override
    public JobRecord resume(JobId id) throws IOException {
        var paused = records.require(id).state() == State.PAUSED && crawls.jobs().contains(id);
        return paused
                ? transition(id, Set.of(State.PAUSED), State.RUNNING, "")
                : transition(
                        id,
                        Set.of(State.PAUSED, State.STOPPED, State.FINISHED, State.FAILED),
                        State.QUEUED,
                        "");
    }

    @Override
    public JobRecord stop(JobId id) throws IOException {
        return stop(id, "Stopped on request.");
    }

    @Override
    public JobRecord stop(JobId id, String reason) throws IOException {
        return transition(id, OPEN, State.STOPPED, reason);
    }

    @Override
    public JobRecord change(JobRecord changed) throws ConfigException, IOException {
        var id = changed.id();
        var _ = records.require(id);
        var _ = config(changed);
        var kept =
                records.update(
                        id,
                        job ->
                                job.withSettings(changed.settings(), changed.weight())
                                        .withLabels(changed.labels()));
        frontier.setWeight(id, changed.weight());
        reconcileSoon();
        return kept;
    }

    @Override
    public void delete(JobId id) throws IOException {
        var _ = records.require(id);
        var _ = records.update(id, job -> job.withState(State.DELETED, "", clock.instant()));
        reconcileSoon();
    }

    private JobRecord transition(JobId id, Set<State> from, State to, String reason)
            throws IOException {
        var _ = records.require(id);
        var job = records.changeState(id, from, to, reason);
        reconcileSoon();
        return job;
    }

    private void reconcileSoon() {
        jobExecutor.execute(() -> records.all().forEach(job -> reconcile(job.id())));
    }

    private void reconcile(JobId id) {
        var found = records.findStored(id);
        if (closing || found.isEmpty()) {
            return;
        }
        var job = found.get();
        try {
            switch (RECONCILER.next(job.state(), crawls.state(id, job.settings()))) {
                case Action.Start() -> startCrawl(job);
                case Action.Resume() -> {
                    crawls.resume(id);
                    if (job.state() == State.QUEUED) { // It was stopped and immediately resumed.
                        recordRunning(id);
                    }
                }
                case Action.Pause() -> crawls.pause(id);
                case Action.Stop(var grace) -> crawls.stop(id, grace);
                case Action.Finish(var end) -> finish(id, end);
                case Action.Retry(_), Action.Forget() -> crawls.forget(id);
                case Action.Delete() -> remove(id);
                case Action.Nothing() -> {}
            }
        } catch (IOException | RuntimeException e) {
            LOG.error("could not bring job {} to state {}", id.number(), job.state(), e);
        }
    }

    private void startCrawl(JobRecord job) throws IOException {
        if (crawls.jobs().size() >= settings.jobsMax) {
            return;
        }
        var id = job.id();
        try {
            frontier.setWeight(id, job.weight());
            crawls.start(id, job.settings(), config(job), directory(id), jobListener.ofCrawl(id));
            recordRunning(id);
            records.continueRunning(id);
        } catch (IOException | ConfigException | RuntimeException e) {
            LOG.error("could not start the crawl of job {}", id.number(), e);
            crawls.stop(id, Duration.ZERO);
            var _ = records.changeState(id, OPEN, State.FAILED, FailureText.of(e));
        }
    }

    private void recordRunning(JobId id) throws IOException {
        var _ = records.changeState(id, Set.of(State.QUEUED), State.RUNNING, "");
    }

    private void finish(JobId id, CrawlEnd end) throws IOException {
        var outcome = JobOutcome.of(end, () -> frontier.stats(id));
        var _ = records.changeState(id, OPEN, outcome.state(), outcome.reason());
        crawls.forget(id);
    }

    private void remove(JobId id) throws IOException {
        crawls.forget(id);
        jobListener.deleted(id); // First, because it closes the job's files.
        frontier.deleteJob(id, clock.instant()).requireStored();
        records.delete(id);
    }

    @Override
    public long retryDeadLetters(JobId id, Predicate<DeadLetter> which) throws IOException {
        var urls = frontier.requeueDeadLetters(id, which, clock.instant()).requireStored();
        if (urls > 0 && !records.require(id).state().isOpen()) {
            var _ = resume(id);
        }
        return urls;
    }

    @Override
    public void deadLetters(JobRecord job, Consumer<DeadLetter> out)
            throws ConfigException, IOException {
        var _ = new StoredCrawl(directory(job.id()), config(job)).deadLetters(out);
    }

    @Override
    public Optional<UrlExplanation> explain(JobRecord job, String url, Optional<PageLogIndex> index)
            throws ConfigException, IOException {
        return new StoredCrawl(directory(job.id()), config(job))
                .explain(
                        url,
                        (host, _) -> frontier.politeness(job.id(), host),
                        known -> frontier.findNeverAccepted(job.id(), known),
                        index);
    }

    @Override
    public Optional<CrawlStatus> status(JobId id) {
        return crawls.status(id);
    }

    @Override
    public List<SinkStatus> sinkStatus(JobId id) {
        return crawls.sinkStatus(id);
    }

    @Override
    public TransferStats usage() {
        return crawls.usage().plus(singleFetches.usage()).plus(OpenCrawl.usage(disk));
    }

    @Override
    public FrontierStats stats(JobId id) {
        return frontier.stats(id);
    }

    @Override
    public FrontierStats stats() {
        return frontier.stats();
    }

    @Override
    public boolean canFetch() {
        return true;
    }

    @Override
    public <T> T fetch(CrawlConfig job, Duration timeout, PageReader<T> reader)
            throws IOException, ConfigException, InterruptedException {
        return singleFetches.fetch(job, timeout, reader);
    }

    @Override
    public JobHosts hosts(JobId id, int max) {
        return frontier.hosts(id, max, clock.instant());
    }

    @Override
    public Optional<JobHosts.Host> host(JobId id, String name) {
        return frontier.host(id, name, clock.instant());
    }

    @Override
    public boolean announce(JobId id, List<CrawlUrl> urls) throws IOException {
        if (!SeedList.announce(directory(id), urls)) {
            return false;
        }
        if (records.require(id).state() == State.FINISHED) {
            var _ = resume(id);
        }
        return true;
    }

    @Override
    public List<ForeignSetting> foreignSettings(JobId id) {
        return frontier.foreignSettings(id);
    }

    @Override
    public long committedLogBytes(JobId id) {
        var name = SharedFrontier.directoryOf(id) + DirectoryLayout.PAGE_LOG;
        return frontier.committedLengths().stream()
                .filter(mark -> mark.name().equals(name))
                .mapToLong(CommittedLength::length)
                .findFirst()
                .orElse(0);
    }

    @Override
    public Path directory(JobId id) {
        return jobStore.directoryOf(id);
    }

    @Override
    public List<Path> directories(JobId id) {
        return List.of(directory(id));
    }

    @Override
    public CrawlConfig config(JobRecord job) throws ConfigException {
        return JobRules.config(job, settings.settings, settings.allowPrivate);
    }

    @Override
    public Settings table() {
        return settings.settings.table();
    }

    @Override
    public Optional<String> failure() {
        return crawls.failure().map(FailureText::of);
    }

    @Override
    public int runningCrawls() {
        return crawls.jobs().size();
    }

    @Override
    public void close() throws IOException {
        closing = true;
        try (lock) {
            singleFetches.close();
            crawls.close();
            jobExecutor.close();
            var now = clock.instant();
            records.suspendRunning(_ -> now);
            frontier.close();
        }
    }
}
