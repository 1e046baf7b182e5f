package dev.orbweaver;

import dev.orbweaver.JobRecord.State;
import dev.orbweaver.archive.CrawlFolder;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.Values;
import dev.orbweaver.crawl.Account;
import dev.orbweaver.crawl.CrawlEnd;
import dev.orbweaver.crawl.CrawlListener;
import dev.orbweaver.crawl.CrawlStatus;
import dev.orbweaver.crawl.SteadyClock;
import dev.orbweaver.disk.CountedDisk;
import dev.orbweaver.disk.FolderLock;
import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.frontier.DeadLetter;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.JobHosts;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.frontier.SharedFrontier;
import dev.orbweaver.frontier.disk.DiskFrontier;
import dev.orbweaver.frontier.disk.DiskSettings;
import dev.orbweaver.frontier.disk.KeyFile;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Usage;
import dev.orbweaver.sink.PageLog;
import dev.orbweaver.sink.StoreStatus;
import dev.orbweaver.url.FingerprintKey;

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
    private static final Set<State> GOING = Set.of(State.QUEUED, State.RUNNING);
    private static final Set<State> OPEN = Set.of(State.QUEUED, State.RUNNING, State.PAUSED);
    private static final Duration GRACE = Duration.ofSeconds(10);

    /**
     * What the operator decides, whatever a job asks for.
     *
     * @param atOnce requests at the same time, of all jobs together
     * @param jobsMax how many jobs are crawled at the same time; others wait
     * @param settings count for every job; those among them that are the operator's alone, no job
     *     can change
     */
    public record Terms(Path data, int atOnce, int jobsMax, boolean allowPrivate, Values settings)
            implements Place {
        @Override
        public LocalJobs open(Watcher watcher) throws IOException, ConfigException {
            return LocalJobs.open(this, watcher);
        }
    }

    private final Terms terms;
    private final FolderLock lock;
    private final JobFolder folders;
    private final InstantSource clock;
    private final CountedDisk disk = new CountedDisk(new RealDisk());
    private final Frontier frontier;
    private final JobCrawls crawls;
    private final Watcher watcher;
    private final ExecutorService conductor =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("jobs").factory());
    private final Map<Integer, JobRecord> jobs = new TreeMap<>();

    /** The settings that a crawl was begun with. */
    private final Map<JobId, String> begunWith = new ConcurrentHashMap<>();

    private volatile boolean closing;

    private LocalJobs(Terms terms, Watcher watcher, Opened opened)
            throws IOException, ConfigException {
        this.terms = terms;
        this.watcher = watcher;
        Files.createDirectories(terms.data);
        this.lock =
                opened.keep(
                        FolderLock.tryLock(terms.data.resolve(LOCK_FILE))
                                .orElseThrow(
                                        () ->
                                                new IOException(
                                                        "another process is at work in "
                                                                + terms.data
                                                                + ": stop it, or choose another"
                                                                + " folder with --data")));
        if (Files.exists(terms.data.resolve(FrontierPlace.FLEET_FILE))) {
            throw new IOException(
                    terms.data
                            + " has jobs of a fleet: start with --redis, or choose another folder"
                            + " with --data");
        }
        this.clock = SteadyClock.start(InstantSource.system());
        this.folders = new JobFolder(new RealDisk(), terms.data);
        for (var job : folders.all()) {
            jobs.put(job.id().number(), job);
        }
        var place = terms.data.resolve(FrontierPlace.FRONTIER);
        Files.createDirectories(place);
        var everybody =
                JobRules.operatorOnly(terms.settings)
                        .keyed(KeyFile.read(disk, place).orElseGet(FingerprintKey::random));
        this.frontier =
                opened.keep(
                        DiskFrontier.open(
                                disk,
                                place,
                                Politeness.DEFAULT,
                                DiskSettings.of(everybody.urls()).with(everybody.durability()),
                                clock.instant()));
        this.crawls =
                new JobCrawls(
                        frontier,
                        terms.atOnce,
                        (shared, job, _, _) -> shared.view(job, SharedFrontier.folderOf(job)),
                        clock,
                        (job, end) -> conductor.execute(() -> ended(job, end)));
    }

    /** Opens a folder of jobs; those that were not at their end go on. */
    public static LocalJobs open(Terms terms, Watcher watcher) throws IOException, ConfigException {
        var opened = new Opened();
        try {
            return new LocalJobs(terms, watcher, opened);
        } catch (IOException | ConfigException | RuntimeException e) {
            opened.closeAfter(e);
            throw e;
        }
    }

    @Override
    public void start() {
        conductor.execute(
                () -> {
                    all().stream()
                            .filter(job -> job.state() == State.DELETED)
                            .forEach(job -> remove(job.id()));
                    startWaiting();
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
    public synchronized Optional<JobRecord> sentUnder(String key) {
        return jobs.values().stream()
                .filter(job -> job.state() != State.DELETED)
                .filter(job -> job.key().filter(key::equals).isPresent())
                .findFirst();
    }

    @Override
    public JobRecord submit(JobWish wish) throws ConfigException, IOException {
        var sent = JobRecord.sent(JobId.ONLY, wish, clock.instant());
        var _ =
                JobRules.config(
                        sent,
                        terms.settings,
                        terms.allowPrivate); // Whatever is wrong with it is said now.
        JobRecord job;
        synchronized (this) {
            var before = wish.key().flatMap(this::sentUnder);
            if (before.isPresent()) {
                return before.get();
            }
            // Nobody can be listening yet, so its first state need not be told.
            job = next(JobRecord.sent(folders.next(), wish, clock.instant()), State.QUEUED, "", 0);
            folders.keep(job);
            jobs.put(job.id().number(), job);
        }
        conductor.execute(this::startWaiting);
        return job;
    }

    @Override
    public JobRecord pause(JobId id) throws IOException {
        return steered(id, Set.of(State.QUEUED, State.RUNNING), State.PAUSED, "");
    }

    @Override
    public JobRecord resume(JobId id) throws IOException {
        var paused = known(id).state() == State.PAUSED && crawls.jobs().contains(id);
        return paused
                ? steered(id, Set.of(State.PAUSED), State.RUNNING, "")
                : steered(
                        id,
                        Set.of(State.PAUSED, State.STOPPED, State.FINISHED, State.FAILED),
                        State.QUEUED,
                        "");
    }

    @Override
    public JobRecord stop(JobId id) throws IOException {
        return steered(id, OPEN, State.STOPPED, "It was stopped by hand.");
    }

    @Override
    public JobRecord change(JobId id, String settings, int weight)
            throws ConfigException, IOException {
        var changed = known(id).with(settings, weight);
        var _ = JobRules.config(changed, terms.settings, terms.allowPrivate);
        var kept = keep(id, job -> job.with(settings, weight));
        frontier.weigh(id, weight);
        conductor.execute(() -> carryOut(id));
        return kept;
    }

    @Override
    public void delete(JobId id) throws IOException {
        var _ = known(id);
        var _ = keep(id, job -> job.in(State.DELETED, "", clock.instant()));
        conductor.execute(() -> carryOut(id));
    }

    /**
     * Whoever steers a job notes down what it is to come to; crawls are steered on the conductor's
     * thread alone, by what is noted then. So it does not matter who came first.
     */
    private JobRecord steered(JobId id, Set<State> from, State to, String reason)
            throws IOException {
        var _ = known(id);
        var job = enter(id, from, to, reason);
        conductor.execute(() -> carryOut(id));
        return job;
    }

    /** Has a crawl do what is noted down of its job. On the conductor's thread. */
    private void carryOut(JobId id) {
        if (closing) {
            return;
        }
        var job = noted(id);
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
            case STOPPED, FINISHED, FAILED -> crawls.stop(id, GRACE);
            case PAUSED -> crawls.pause(id);
            case QUEUED, RUNNING -> {
                if (running && isChanged(job.get())) {
                    crawls.stop(id, GRACE); // It begins anew when it has ended.
                }
                crawls.resume(id);
                if (goesOn(id)) {
                    noteRunning(id);
                }
                startWaiting();
            }
        }
    }

    /** Whether a job has a crawl that is not on its way to the end. */
    private boolean goesOn(JobId id) {
        return crawls.status(id).filter(status -> !status.stopping()).isPresent();
    }

    /** Somebody may have stopped and resumed a job before its crawl was told of either. */
    private void noteRunning(JobId id) {
        try {
            var _ = enter(id, Set.of(State.QUEUED), State.RUNNING, "");
        } catch (IOException | RuntimeException e) {
            LOG.error("that job {} runs cannot be written down", id.number(), e);
        }
    }

    private synchronized Optional<JobRecord> noted(JobId id) {
        return Optional.ofNullable(jobs.get(id.number()));
    }

    /** Whether a job has other settings than its crawl was begun with. */
    private boolean isChanged(JobRecord job) {
        return !job.settings().equals(begunWith.getOrDefault(job.id(), job.settings()));
    }

    @Override
    public long retry(JobId id, Predicate<DeadLetter> which) throws IOException {
        var revived = frontier.revive(id, which, clock.instant());
        if (revived > 0 && !known(id).state().isOpen()) {
            var _ = resume(id);
        }
        return revived;
    }

    @Override
    public void deadLetters(JobRecord job, Consumer<DeadLetter> out)
            throws ConfigException, IOException {
        var _ = new CrawlDirectory(folder(job.id()), config(job)).deadLetters(out);
    }

    @Override
    public Optional<Account> why(JobRecord job, String asked) throws ConfigException, IOException {
        return new CrawlDirectory(folder(job.id()), config(job)).why(asked);
    }

    private JobRecord known(JobId id) {
        return find(id).orElseThrow(() -> new NoSuchJobException(id));
    }

    /**
     * Notes a new state down and tells of it, if it may be reached from the one that the job is in.
     * Returns the job as it is then.
     */
    private JobRecord enter(JobId id, Set<State> from, State state, String reason)
            throws IOException {
        try {
            return watcher.changing(
                    id,
                    seq ->
                            keep(
                                    id,
                                    job -> {
                                        if (!from.contains(job.state())) {
                                            throw new NotFromThereException();
                                        }
                                        return next(job, state, reason, seq);
                                    }));
        } catch (NotFromThereException e) {
            return known(id);
        }
    }

    /** There is nothing to note down, and nothing to tell. */
    private static final class NotFromThereException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private JobRecord next(JobRecord job, State state, String reason, long seq) {
        var now = clock.instant();
        return job.in(state, reason, now).noted(new JobRecord.Change(seq, state, reason, now));
    }

    private synchronized JobRecord keep(JobId id, UnaryOperator<JobRecord> change)
            throws IOException {
        var before = jobs.get(id.number());
        if (before == null) {
            throw new NoSuchJobException(id);
        }
        var after = change.apply(before);
        folders.keep(after);
        jobs.put(id.number(), after);
        return after;
    }

    /** Starts what has room, the oldest first. On the conductor's thread. */
    private void startWaiting() {
        for (var job : all().reversed()) {
            if (closing || crawls.jobs().size() >= terms.jobsMax) {
                return;
            }
            if (!crawls.jobs().contains(job.id())) {
                begin(job.id());
            }
        }
    }

    /** Begins what is noted as waiting or running by now; a paused job waits for its resuming. */
    private void begin(JobId id) {
        var job = find(id);
        if (job.isEmpty() || !GOING.contains(job.get().state())) {
            return;
        }
        try {
            var config = JobRules.config(job.get(), terms.settings, terms.allowPrivate);
            frontier.weigh(id, job.get().weight());
            begunWith.put(id, job.get().settings());
            crawls.start(id, config, folders.of(id), new Listener(id));
            var _ = enter(id, Set.of(State.QUEUED), State.RUNNING, "");
        } catch (IOException | ConfigException | RuntimeException e) {
            LOG.error("job {} cannot be crawled", id.number(), e);
            crawls.stop(id, Duration.ZERO);
            fail(id, String.valueOf(e.getMessage()));
        }
        // Somebody may have steered it while its crawl was being opened.
        carryOutIfSteered(id);
    }

    private void carryOutIfSteered(JobId id) {
        if (noted(id).filter(job -> job.state() != State.RUNNING).isPresent()) {
            conductor.execute(() -> carryOut(id));
        }
    }

    private void fail(JobId id, String why) {
        try {
            var _ = enter(id, OPEN, State.FAILED, why);
        } catch (IOException | RuntimeException e) {
            LOG.error("that job {} failed cannot be written down", id.number(), e);
        }
    }

    /** On the conductor's thread. */
    private void ended(JobId id, CrawlEnd end) {
        if (closing) {
            return; // It goes on after the restart.
        }
        var job = find(id);
        if (job.isEmpty()) {
            remove(id);
        } else if (end.reason() != CrawlEnd.Reason.STOPPED && !isChanged(job.get())) {
            finish(id, end);
        } // Else it was stopped to begin anew, or was resumed since.
        startWaiting();
    }

    private void finish(JobId id, CrawlEnd end) {
        try {
            var ending = Ending.of(end, () -> frontier.stats(id));
            var _ = enter(id, OPEN, ending.state(), ending.reason());
        } catch (IOException | RuntimeException e) {
            LOG.error("the end of job {} cannot be written down", id.number(), e);
        }
    }

    private void remove(JobId id) {
        try {
            watcher.deleted(id); // First: whoever has its files open lets them go.
            frontier.deleteJob(id, clock.instant());
            folders.delete(id);
            synchronized (this) {
                jobs.remove(id.number());
            }
        } catch (IOException | RuntimeException e) {
            LOG.error("job {} cannot be deleted now; the next start tries again", id.number(), e);
        }
    }

    /** Tells of lines that were added. */
    private final class Listener implements CrawlListener {
        private final JobId id;

        Listener(JobId id) {
            this.id = id;
        }

        @Override
        public void captured(Capture capture) {
            watcher.captured(id, capture);
        }

        @Override
        public void committed() {
            watcher.committed(id);
        }
    }

    @Override
    public Optional<CrawlStatus> status(JobId id) {
        return crawls.status(id);
    }

    @Override
    public List<StoreStatus> stores(JobId id) {
        return crawls.stores(id);
    }

    @Override
    public Usage usage() {
        return crawls.usage().plus(RunningCrawl.usage(disk));
    }

    @Override
    public CrawlFolder contents(JobRecord job) throws ConfigException, IOException {
        return new CrawlDirectory(folder(job.id()), config(job)).contents();
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
    public long logBytes(JobId id) {
        var name = SharedFrontier.folderOf(id) + PageLog.FILE;
        return frontier.marks().stream()
                .filter(mark -> mark.name().equals(name))
                .mapToLong(FileMark::length)
                .findFirst()
                .orElse(0);
    }

    @Override
    public Path folder(JobId id) {
        return folders.of(id);
    }

    @Override
    public List<Path> folders(JobId id) {
        return List.of(folder(id));
    }

    @Override
    public CrawlConfig config(JobRecord job) throws ConfigException {
        return JobRules.config(job, terms.settings, terms.allowPrivate);
    }

    @Override
    public boolean isJobs(String setting) {
        return !JobRules.isOperators(setting, table());
    }

    @Override
    public Settings table() {
        return terms.settings.table();
    }

    @Override
    public Optional<String> failure() {
        return crawls.failure().map(Throwable::getMessage);
    }

    @Override
    public int running() {
        return crawls.jobs().size();
    }

    @Override
    public void close() throws IOException {
        closing = true;
        try (lock) {
            crawls.close();
            conductor.close();
            frontier.close();
        }
    }
}
