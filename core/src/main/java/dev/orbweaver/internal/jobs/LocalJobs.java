package dev.orbweaver.internal.jobs;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.RunningCrawl;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.SettingValues;
import dev.orbweaver.config.Settings;
import dev.orbweaver.internal.archive.CrawlArchive;
import dev.orbweaver.internal.crawl.CrawlEnd;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.crawl.MonotonicClock;
import dev.orbweaver.internal.directory.FrontierLocation;
import dev.orbweaver.internal.directory.OpenResources;
import dev.orbweaver.internal.disk.CountingDisk;
import dev.orbweaver.internal.disk.DirectoryLock;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.explain.UrlExplanation;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.Frontier;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.SharedFrontier;
import dev.orbweaver.internal.frontier.disk.DiskFrontier;
import dev.orbweaver.internal.frontier.disk.DiskSettings;
import dev.orbweaver.internal.frontier.disk.FingerprintKeyFile;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.TransferStats;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Many jobs over one frontier on one machine, each with a folder of its own below {@code jobs/}.
 *
 * <p>What state a job is in is written down before anybody hears of it, so that after a death all
 * jobs go on as they were. One thread, the conductor, starts and ends crawls; whoever asks for
 * something has it noted down and is answered at once.
 */
public final class LocalJobs implements Jobs {

    private static final Logger LOG = LoggerFactory.getLogger(LocalJobs.class);
    private static final String LOCK_FILE = ".lock";
    private static final Set<State> RUNNABLE = Set.of(State.QUEUED, State.RUNNING);
    private static final Set<State> OPEN = Set.of(State.QUEUED, State.RUNNING, State.PAUSED);
    private static final Duration STOP_GRACE = Duration.ofSeconds(10);

    /**
     * What the operator decides, whatever a job asks for.
     *
     * @param concurrency requests at the same time, of all jobs together
     * @param jobsMax how many jobs are crawled at the same time; others wait
     * @param settings count for every job; those among them that are the operator's alone, no job
     *     can change
     */
    public record LocalJobsSettings(
            Path data, int concurrency, int jobsMax, boolean allowPrivate, SettingValues settings)
            implements JobsSettings {
        @Override
        public LocalJobs open(JobListener jobListener) throws IOException, ConfigException {
            return LocalJobs.open(this, jobListener);
        }
    }

    private final LocalJobsSettings localJobsSettings;
    private final DirectoryLock lock;
    private final JobStore jobStore;
    private final InstantSource clock;
    private final CountingDisk disk = new CountingDisk(new RealDisk());
    private final Frontier frontier;
    private final JobCrawls crawls;
    private final JobListener jobListener;
    private final ExecutorService jobExecutor =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("jobs").factory());
    private final Map<Integer, JobRecord> jobs = new TreeMap<>();

    /** The settings that a crawl was begun with. */
    private final Map<JobId, String> startedSettings = new ConcurrentHashMap<>();

    private volatile boolean closing;

    private LocalJobs(
            LocalJobsSettings localJobsSettings,
            JobListener jobListener,
            OpenResources openResources)
            throws IOException, ConfigException {
        this.localJobsSettings = localJobsSettings;
        this.jobListener = jobListener;
        Files.createDirectories(localJobsSettings.data);
        this.lock =
                openResources.add(
                        DirectoryLock.tryLock(localJobsSettings.data.resolve(LOCK_FILE))
                                .orElseThrow(
                                        () ->
                                                new IOException(
                                                        "another process is at work in "
                                                                + localJobsSettings.data
                                                                + ": stop it, or choose another"
                                                                + " folder with --data")));
        if (Files.exists(localJobsSettings.data.resolve(FrontierLocation.FLEET_FILE))) {
            throw new IOException(
                    localJobsSettings.data
                            + " has jobs of a fleet: start with --redis, or choose another folder"
                            + " with --data");
        }
        this.clock = MonotonicClock.start(InstantSource.system());
        this.jobStore = new JobStore(new RealDisk(), localJobsSettings.data);
        for (var job : jobStore.all()) {
            jobs.put(job.id().number(), job);
        }
        var place = localJobsSettings.data.resolve(FrontierLocation.FRONTIER);
        Files.createDirectories(place);
        var everybody =
                JobRules.operatorOnly(localJobsSettings.settings)
                        .withKey(
                                FingerprintKeyFile.read(disk, place)
                                        .orElseGet(FingerprintKey::random));
        this.frontier =
                openResources.add(
                        DiskFrontier.open(
                                disk,
                                place,
                                Politeness.DEFAULT,
                                DiskSettings.of(everybody.urls()).with(everybody.durability()),
                                clock.instant()));
        this.crawls =
                new JobCrawls(
                        frontier,
                        localJobsSettings.concurrency,
                        (shared, job, _, _) -> shared.view(job, SharedFrontier.directoryOf(job)),
                        clock,
                        (job, end) -> jobExecutor.execute(() -> onCrawlEnded(job, end)));
    }

    /** Opens a folder of jobs; those that were not at their end go on. */
    public static LocalJobs open(LocalJobsSettings localJobsSettings, JobListener jobListener)
            throws IOException, ConfigException {
        var openResources = new OpenResources();
        try {
            return new LocalJobs(localJobsSettings, jobListener, openResources);
        } catch (IOException | ConfigException | RuntimeException e) {
            openResources.closeOnFailure(e);
            throw e;
        }
    }

    @Override
    public void start() {
        jobExecutor.execute(
                () -> {
                    all().stream()
                            .filter(job -> job.state() == State.DELETED)
                            .forEach(job -> remove(job.id()));
                    startQueued();
                });
    }

    @Override
    public synchronized List<JobRecord> all() {
        return new ArrayList<>(jobs.values()).reversed();
    }

    @Override
    public synchronized Optional<JobRecord> find(JobId id) {
        return Optional.ofNullable(jobs.get(id.number()))
                .filter(job -> job.state() != State.DELETED);
    }

    @Override
    public synchronized Optional<JobRecord> findByKey(String key) {
        return jobs.values().stream()
                .filter(job -> job.state() != State.DELETED)
                .filter(job -> job.key().filter(key::equals).isPresent())
                .findFirst();
    }

    @Override
    public JobRecord submit(JobRequest wish) throws ConfigException, IOException {
        var sent = JobRecord.submitted(JobId.ONLY, wish, clock.instant());
        var _ =
                JobRules.config(
                        sent,
                        localJobsSettings.settings,
                        localJobsSettings.allowPrivate); // Whatever is wrong with it is said now.
        JobRecord job;
        synchronized (this) {
            var before = wish.key().flatMap(this::findByKey);
            if (before.isPresent()) {
                return before.get();
            }
            // Nobody can be listening yet, so its first state need not be told.
            job =
                    withState(
                            JobRecord.submitted(jobStore.nextId(), wish, clock.instant()),
                            State.QUEUED,
                            "",
                            0);
            jobStore.save(job);
            jobs.put(job.id().number(), job);
        }
        jobExecutor.execute(this::startQueued);
        return job;
    }

    @Override
    public JobRecord pause(JobId id) throws IOException {
        return transition(id, Set.of(State.QUEUED, State.RUNNING), State.PAUSED, "");
    }

    @Override
    public JobRecord resume(JobId id) throws IOException {
        var paused = requireJob(id).state() == State.PAUSED && crawls.jobs().contains(id);
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
        return transition(id, OPEN, State.STOPPED, "It was stopped by hand.");
    }

    @Override
    public JobRecord change(JobId id, String settings, int weight)
            throws ConfigException, IOException {
        var changed = requireJob(id).withSettings(settings, weight);
        var _ =
                JobRules.config(
                        changed, localJobsSettings.settings, localJobsSettings.allowPrivate);
        var kept = update(id, job -> job.withSettings(settings, weight));
        frontier.setWeight(id, weight);
        jobExecutor.execute(() -> reconcile(id));
        return kept;
    }

    @Override
    public void delete(JobId id) throws IOException {
        var _ = requireJob(id);
        var _ = update(id, job -> job.withState(State.DELETED, "", clock.instant()));
        jobExecutor.execute(() -> reconcile(id));
    }

    /**
     * Whoever steers a job notes down what it is to come to; crawls are steered on the conductor's
     * thread alone, by what is noted then. So it does not matter who came first.
     */
    private JobRecord transition(JobId id, Set<State> from, State to, String reason)
            throws IOException {
        var _ = requireJob(id);
        var job = changeState(id, from, to, reason);
        jobExecutor.execute(() -> reconcile(id));
        return job;
    }

    /** Has a crawl do what is noted down of its job. On the conductor's thread. */
    private void reconcile(JobId id) {
        if (closing) {
            return;
        }
        var job = storedRecord(id);
        if (job.isEmpty()) {
            return;
        }
        var running = crawls.jobs().contains(id);
        switch (job.get().state()) {
            case DELETED -> {
                if (running) {
                    crawls.stop(id, Duration.ZERO); // It is removed when its crawl has ended.
                } else {
                    remove(id);
                }
            }
            case STOPPED, FINISHED, FAILED -> crawls.stop(id, STOP_GRACE);
            case PAUSED -> crawls.pause(id);
            case QUEUED, RUNNING -> {
                if (running && isChanged(job.get())) {
                    crawls.stop(id, STOP_GRACE); // It begins anew when it has ended.
                }
                crawls.resume(id);
                if (isCrawling(id)) {
                    recordRunning(id);
                }
                startQueued();
            }
        }
    }

    /** Whether a job has a crawl that is not on its way to the end. */
    private boolean isCrawling(JobId id) {
        return crawls.status(id).filter(status -> !status.stopping()).isPresent();
    }

    /** Somebody may have stopped and resumed a job before its crawl was told of either. */
    private void recordRunning(JobId id) {
        try {
            var _ = changeState(id, Set.of(State.QUEUED), State.RUNNING, "");
        } catch (IOException | RuntimeException e) {
            LOG.error("that job {} runs cannot be written down", id.number(), e);
        }
    }

    private synchronized Optional<JobRecord> storedRecord(JobId id) {
        return Optional.ofNullable(jobs.get(id.number()));
    }

    /** Whether a job has other settings than its crawl was begun with. */
    private boolean isChanged(JobRecord job) {
        return !job.settings().equals(startedSettings.getOrDefault(job.id(), job.settings()));
    }

    @Override
    public long retryDeadLetters(JobId id, Predicate<DeadLetter> which) throws IOException {
        var revived = frontier.requeueDeadLetters(id, which, clock.instant());
        if (revived > 0 && !requireJob(id).state().isOpen()) {
            var _ = resume(id);
        }
        return revived;
    }

    @Override
    public void deadLetters(JobRecord job, Consumer<DeadLetter> out)
            throws ConfigException, IOException {
        var _ = new CrawlDirectory(directory(job.id()), config(job)).deadLetters(out);
    }

    @Override
    public Optional<UrlExplanation> explain(JobRecord job, String asked)
            throws ConfigException, IOException {
        return new CrawlDirectory(directory(job.id()), config(job)).explain(asked);
    }

    private JobRecord requireJob(JobId id) {
        return find(id).orElseThrow(() -> new NoSuchJobException(id));
    }

    /**
     * Notes a new state down and tells of it, if it may be reached from the one that the job is in.
     * Returns the job as it is then.
     */
    private JobRecord changeState(JobId id, Set<State> from, State state, String reason)
            throws IOException {
        try {
            return jobListener.onStateChange(
                    id,
                    seq ->
                            update(
                                    id,
                                    job -> {
                                        if (!from.contains(job.state())) {
                                            throw new IllegalTransitionException();
                                        }
                                        return withState(job, state, reason, seq);
                                    }));
        } catch (IllegalTransitionException e) {
            return requireJob(id);
        }
    }

    /** There is nothing to note down, and nothing to tell. */
    private static final class IllegalTransitionException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private JobRecord withState(JobRecord job, State state, String reason, long seq) {
        var now = clock.instant();
        return job.withState(state, reason, now)
                .withChange(new JobRecord.Change(seq, state, reason, now));
    }

    private synchronized JobRecord update(JobId id, UnaryOperator<JobRecord> change)
            throws IOException {
        var before = jobs.get(id.number());
        if (before == null) {
            throw new NoSuchJobException(id);
        }
        var after = change.apply(before);
        jobStore.save(after);
        jobs.put(id.number(), after);
        return after;
    }

    /** Starts what has room, the oldest first. On the conductor's thread. */
    private void startQueued() {
        for (var job : all().reversed()) {
            if (closing || crawls.jobs().size() >= localJobsSettings.jobsMax) {
                return;
            }
            if (!crawls.jobs().contains(job.id())) {
                startCrawl(job.id());
            }
        }
    }

    /** Begins what is noted as waiting or running by now; a paused job waits for its resuming. */
    private void startCrawl(JobId id) {
        var job = find(id);
        if (job.isEmpty() || !RUNNABLE.contains(job.get().state())) {
            return;
        }
        try {
            var config =
                    JobRules.config(
                            job.get(), localJobsSettings.settings, localJobsSettings.allowPrivate);
            frontier.setWeight(id, job.get().weight());
            startedSettings.put(id, job.get().settings());
            crawls.start(id, config, jobStore.directoryOf(id), new JobCrawlListener(id));
            var _ = changeState(id, Set.of(State.QUEUED), State.RUNNING, "");
        } catch (IOException | ConfigException | RuntimeException e) {
            LOG.error("job {} cannot be crawled", id.number(), e);
            crawls.stop(id, Duration.ZERO);
            fail(id, String.valueOf(e.getMessage()));
        }
        // Somebody may have steered it while its crawl was being opened.
        reconcileIfChanged(id);
    }

    private void reconcileIfChanged(JobId id) {
        if (storedRecord(id).filter(job -> job.state() != State.RUNNING).isPresent()) {
            jobExecutor.execute(() -> reconcile(id));
        }
    }

    private void fail(JobId id, String why) {
        try {
            var _ = changeState(id, OPEN, State.FAILED, why);
        } catch (IOException | RuntimeException e) {
            LOG.error("that job {} failed cannot be written down", id.number(), e);
        }
    }

    /** On the conductor's thread. */
    private void onCrawlEnded(JobId id, CrawlEnd end) {
        if (closing) {
            return; // It goes on after the restart.
        }
        var job = find(id);
        if (job.isEmpty()) {
            remove(id);
        } else if (end.reason() != CrawlEnd.Reason.STOPPED && !isChanged(job.get())) {
            finish(id, end);
        } // Else it was stopped to begin anew, or was resumed since.
        startQueued();
    }

    private void finish(JobId id, CrawlEnd end) {
        try {
            var jobOutcome = JobOutcome.of(end, () -> frontier.stats(id));
            var _ = changeState(id, OPEN, jobOutcome.state(), jobOutcome.reason());
        } catch (IOException | RuntimeException e) {
            LOG.error("the end of job {} cannot be written down", id.number(), e);
        }
    }

    private void remove(JobId id) {
        try {
            jobListener.deleted(id); // First: whoever has its files open lets them go.
            frontier.deleteJob(id, clock.instant());
            jobStore.delete(id);
            synchronized (this) {
                jobs.remove(id.number());
            }
        } catch (IOException | RuntimeException e) {
            LOG.error("job {} cannot be deleted now; the next start tries again", id.number(), e);
        }
    }

    /** Tells of lines that were added. */
    private final class JobCrawlListener implements CrawlListener {
        private final JobId id;

        JobCrawlListener(JobId id) {
            this.id = id;
        }

        @Override
        public void captured(Capture capture) {
            jobListener.captured(id, capture);
        }

        @Override
        public void committed() {
            jobListener.committed(id);
        }
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
        return crawls.usage().plus(RunningCrawl.usage(disk));
    }

    @Override
    public CrawlArchive contents(JobRecord job) throws ConfigException, IOException {
        return new CrawlDirectory(directory(job.id()), config(job)).contents();
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
    public JobHosts hosts(JobId id, int max) {
        return frontier.hosts(id, max, clock.instant());
    }

    @Override
    public long committedLogBytes(JobId id) {
        var name = SharedFrontier.directoryOf(id) + PageLog.FILE;
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
        return JobRules.config(job, localJobsSettings.settings, localJobsSettings.allowPrivate);
    }

    @Override
    public boolean isJobSetting(String setting) {
        return !JobRules.isOperatorSetting(setting, table());
    }

    @Override
    public Settings table() {
        return localJobsSettings.settings.table();
    }

    @Override
    public Optional<String> failure() {
        return crawls.failure().map(Throwable::getMessage);
    }

    @Override
    public int runningCrawls() {
        return crawls.jobs().size();
    }

    @Override
    public void close() throws IOException {
        closing = true;
        try (lock) {
            crawls.close();
            jobExecutor.close();
            frontier.close();
        }
    }
}
