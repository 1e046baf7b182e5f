package dev.orbweaver;

import dev.orbweaver.JobRecord.Change;
import dev.orbweaver.JobRecord.State;
import dev.orbweaver.archive.CrawlFolder;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.Values;
import dev.orbweaver.config.YamlFile;
import dev.orbweaver.crawl.Account;
import dev.orbweaver.crawl.CrawlListener;
import dev.orbweaver.crawl.CrawlStatus;
import dev.orbweaver.crawl.RobotsPolicy;
import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.disk.WholeFile;
import dev.orbweaver.frontier.DeadLetter;
import dev.orbweaver.frontier.FrontierBlockedException;
import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.JobHosts;
import dev.orbweaver.frontier.redis.Fleet;
import dev.orbweaver.frontier.redis.FleetSettings;
import dev.orbweaver.frontier.redis.Job;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Usage;
import dev.orbweaver.sink.PageLog;
import dev.orbweaver.sink.StoreStatus;
import dev.orbweaver.sink.TombstoneFile;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The jobs of a fleet, seen and steered from one of its workers.
 *
 * <p>Jobs lie in Redis, and every change of their state is made there; this process is a worker
 * like any other and looks at them once a second. Whatever changed since its last look, by whom it
 * may be, is noted in the job's folder here and told. So counts and states are the fleet's, pages
 * and events those of this worker.
 *
 * <p>What a look has found is older than what a command has done since: a job that was steered from
 * here after the look began is left to the next one.
 */
public final class FleetJobs implements Jobs {

    private static final Logger LOG = LoggerFactory.getLogger(FleetJobs.class);

    /**
     * What the operator decides, whatever a job asks for.
     *
     * @param atOnce requests of this worker at the same time, of all jobs together
     * @param jobsMax how many jobs this worker crawls at the same time
     * @param settings for every job that is sent from here
     * @param with folders of other workers, whose pages exports add to those of this one
     */
    public record Terms(
            FleetSettings fleet,
            Path data,
            int atOnce,
            int jobsMax,
            boolean allowPrivate,
            Values settings,
            List<Path> with)
            implements Place {

        /** Keeps the list unchangeable. */
        public Terms {
            with = List.copyOf(with);
        }

        @Override
        public FleetJobs open(Watcher watcher) throws IOException, ConfigException {
            return FleetJobs.open(this, watcher);
        }
    }

    private final Terms terms;
    private final Watcher watcher;
    private final FleetWorker worker;
    private final Fleet fleet;
    private final FleetRecords records;
    private final Thread thread;
    private final ExecutorService remover =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("deletes jobs").factory());

    private final AtomicBoolean removing = new AtomicBoolean();

    /** Held while a change is noted and told, and before any lock of the watcher's. */
    private final Object telling = new Object();

    private long commands;
    private final Map<JobId, Long> commanded = new ConcurrentHashMap<>();
    private final Map<JobId, AtEnd> atEnd = new ConcurrentHashMap<>();

    /** The figures of a job that has come to its end. */
    private record AtEnd(Instant end, FrontierStats stats) {}

    private FleetJobs(Terms terms, Watcher watcher, Opened opened) throws IOException {
        this.terms = terms;
        this.watcher = watcher;
        this.worker =
                opened.keep(
                        FleetWorker.join(
                                new FleetWorker.Terms(
                                        terms.fleet,
                                        terms.data,
                                        terms.atOnce,
                                        terms.allowPrivate,
                                        terms.settings.list(Settings.ALLOW_ADDRESSES),
                                        terms.settings.table()),
                                new Onlooker()));
        WholeFile.write(
                new RealDisk(),
                terms.data.resolve(FrontierPlace.FLEET_FILE),
                terms.fleet.fleet() + "\n");
        this.fleet = opened.keep(Fleet.open(terms.fleet));
        this.records = new FleetRecords(new JobFolder(new RealDisk(), terms.data), table());
        this.thread = Thread.ofPlatform().name("fleet worker").unstarted(this::work);
    }

    /** Joins a fleet, with a folder for what this worker writes. */
    public static FleetJobs open(Terms terms, Watcher watcher) throws IOException, ConfigException {
        requireNoFiles(JobRules.operatorOnly(terms.settings));
        requireOwnFolder(terms);
        var opened = new Opened();
        try {
            return new FleetJobs(terms, watcher, opened);
        } catch (IOException | RuntimeException e) {
            opened.closeAfter(e);
            throw e;
        }
    }

    /** What lies on this machine is not there for the other workers. */
    private static void requireNoFiles(CrawlConfig everybodys) throws ConfigException {
        if (everybodys.excludeHosts().isPresent()) {
            throw new ConfigException(
                    List.of("exclude-hosts names a file, which the fleet's workers do not have"));
        }
        if (everybodys.crawl().robots() instanceof RobotsPolicy.Custom) {
            throw new ConfigException(
                    List.of("robots custom names a file, which the fleet's workers do not have"));
        }
    }

    private static void requireOwnFolder(Terms terms) throws IOException {
        if (Files.isDirectory(terms.data.resolve(FrontierPlace.FRONTIER))) {
            throw new IOException(
                    terms.data
                            + " has jobs of its own, of no fleet: start without --redis, or choose"
                            + " another folder with --data");
        }
        var file = terms.data.resolve(FrontierPlace.FLEET_FILE);
        if (Files.exists(file)
                && !WholeFile.read(new RealDisk(), file).strip().equals(terms.fleet.fleet())) {
            throw new IOException(
                    "%s has jobs of the fleet %s: choose another folder with --data"
                            .formatted(terms.data, WholeFile.read(new RealDisk(), file).strip()));
        }
    }

    @Override
    public void start() {
        try {
            found(fleet.jobs(), 0); // Whoever asks next is to find them.
        } catch (IOException | FrontierBlockedException e) {
            LOG.warn("the fleet's jobs are not seen yet: {}", e.getMessage());
        }
        thread.start();
    }

    private void work() {
        try {
            worker.run();
        } catch (InterruptedException e) {
            LOG.debug("the worker was told to leave");
        } catch (RuntimeException e) {
            LOG.error("nothing more is crawled here; start the service anew", e);
        }
    }

    /** Sees what the worker sees. */
    private final class Onlooker implements FleetWorker.Companion {

        @Override
        public FleetWorker.Glance looking() {
            synchronized (telling) {
                var begun = commands;
                return jobs -> found(jobs, begun);
            }
        }

        @Override
        public void looked() {
            removeSoon();
        }

        @Override
        public CrawlListener listener(JobId id) {
            return new CrawlListener() {
                @Override
                public void captured(Capture capture) {
                    watcher.captured(id, capture);
                }

                @Override
                public void committed() {
                    watcher.committed(id);
                }
            };
        }

        @Override
        public int jobsMax() {
            return terms.jobsMax;
        }
    }

    /** Takes over what a look has found that began after so many commands. */
    private void found(List<Job> jobs, long begun) {
        var listed = new HashSet<JobId>();
        for (var job : jobs) {
            listed.add(job.id());
            synchronized (telling) {
                if (commanded.getOrDefault(job.id(), 0L) <= begun) {
                    try {
                        var _ = observe(job);
                    } catch (IOException | RuntimeException e) {
                        LOG.error("what became of job {} is not noted", job.id().number(), e);
                    }
                }
            }
        }
        for (var known : records.all()) {
            synchronized (telling) {
                if (!listed.contains(known.id())
                        && known.state() != State.DELETED
                        && commanded.getOrDefault(known.id(), 0L) <= begun) {
                    LOG.info("job {} was deleted elsewhere; its files stay", known.id().number());
                    forget(known.id());
                }
            }
        }
    }

    private void removeSoon() {
        if (!records.toBeDeleted().isEmpty() && removing.compareAndSet(false, true)) {
            remover.execute(
                    () -> {
                        records.toBeDeleted().forEach(this::remove);
                        removing.set(false);
                    });
        }
    }

    private void forget(JobId id) {
        watcher.deleted(id);
        records.forget(id);
        atEnd.remove(id);
        commanded.remove(id);
    }

    /** Notes a job as the fleet has it, and tells of it if its state is another than before. */
    private JobRecord observe(Job job) throws IOException {
        var merged = records.merged(job);
        records.note(merged, job);
        var state = FleetRecords.state(job);
        var reason = job.course().reason();
        var isNew = merged.changes().isEmpty() && merged.dropped() == 0;
        if (merged.state() == State.DELETED
                || (!isNew && merged.state() == state && merged.reason().equals(reason))) {
            return merged;
        }
        var at = job.course().since().orElse(job.submitted());
        return watcher.changing(
                job.id(),
                seq ->
                        records.keep(
                                merged.in(state, reason, at)
                                        .noted(new Change(seq, state, reason, at)),
                                job));
    }

    /** A job as it is after a command. */
    private JobRecord commanded(JobId id) throws IOException {
        synchronized (telling) {
            var job = asking(() -> fleet.job(id)).orElseThrow(() -> new NoSuchJobException(id));
            commands++;
            commanded.put(id, commands);
            return observe(job);
        }
    }

    /** Something that Redis is asked for. */
    private interface Question<T> {
        T ask() throws IOException;
    }

    /** Redis that is away is told of as a frontier that cannot be reached. */
    private static <T> T asking(Question<T> question) {
        try {
            return question.ask();
        } catch (IOException e) {
            throw new FrontierBlockedException(e);
        }
    }

    @Override
    public List<JobRecord> all() {
        return records.all();
    }

    @Override
    public Optional<JobRecord> find(JobId id) {
        return records.find(id)
                .map(FleetRecords.Known::record)
                .filter(job -> job.state() != State.DELETED);
    }

    private JobRecord known(JobId id) {
        return find(id).orElseThrow(() -> new NoSuchJobException(id));
    }

    @Override
    public Optional<JobRecord> sentUnder(String key) {
        var id = asking(() -> fleet.sentUnder(key));
        if (id.isEmpty() || asking(() -> fleet.job(id.get())).isEmpty()) {
            return Optional.empty(); // Its sender may have died while sending it.
        }
        return Optional.of(asking(() -> commanded(id.get())));
    }

    @Override
    public JobRecord submit(JobWish wish) throws ConfigException, IOException {
        var sent = JobRecord.sent(JobId.ONLY, wish, worker.clock().instant());
        var config = JobRules.config(sent, terms.settings, terms.allowPrivate);
        var given =
                new Fleet.Wish(
                        YamlFile.write(config.values()),
                        wish.seeds(),
                        wish.weight(),
                        FleetNote.of(sent).json());
        var once = wish.key().orElseGet(() -> UUID.randomUUID().toString());
        var id = asking(() -> fleet.submit(once, given, sent.created()));
        var job = commanded(id);
        worker.nudge();
        return job;
    }

    /** Has the fleet change a job's state; where that is not possible, nothing is changed. */
    private JobRecord turn(JobId id, Question<Boolean> change) throws IOException {
        var _ = known(id);
        var _ = asking(change);
        var job = commanded(id);
        worker.nudge();
        return job;
    }

    @Override
    public JobRecord pause(JobId id) throws IOException {
        return turn(id, () -> fleet.pause(id));
    }

    @Override
    public JobRecord resume(JobId id) throws IOException {
        return turn(id, () -> fleet.resume(id) || fleet.reopen(id));
    }

    @Override
    public JobRecord stop(JobId id) throws IOException {
        return turn(id, () -> fleet.stop(id));
    }

    @Override
    public JobRecord change(JobId id, String settings, int weight)
            throws ConfigException, IOException {
        var changed = known(id).with(settings, weight);
        var config = JobRules.config(changed, terms.settings, terms.allowPrivate);
        var before = asking(() -> fleet.job(id)).orElseThrow(() -> new NoSuchJobException(id));
        // What an operator had decided when it was sent stays as it was.
        var values =
                new Values()
                        .putAll(config.values())
                        .putAll(
                                YamlFile.parse(before.settings(), "settings", table())
                                        .only(name -> JobRules.isOperators(name, table())));
        return turn(
                id,
                () ->
                        fleet.change(
                                id, YamlFile.write(values), weight, FleetNote.of(changed).json()));
    }

    @Override
    public void delete(JobId id) throws IOException {
        var _ = known(id);
        var _ = asking(() -> fleet.stop(id)); // Before anything else: nobody is to begin with it.
        synchronized (telling) {
            commands++;
            commanded.put(id, commands);
            records.change(id, job -> job.in(State.DELETED, "", worker.clock().instant()));
        }
        removeSoon();
    }

    /** Deletes a job wherever it is but in the folders of other workers; tried at every look. */
    private void remove(JobId id) {
        if (worker.crawls().jobs().contains(id)) {
            worker.crawls().stop(id, Duration.ZERO);
            return;
        }
        try {
            if (fleet.job(id).isPresent()) {
                var _ = fleet.stop(id);
                fleet.forbid(id);
                worker.frontier().deleteJob(id, worker.clock().instant());
                var _ = fleet.delete(id);
            }
            watcher.deleted(id); // Whoever has its files open lets them go.
            records.delete(id);
            atEnd.remove(id);
            commanded.remove(id);
        } catch (IOException | RuntimeException e) {
            LOG.warn("job {} cannot be deleted now; that is tried again", id.number(), e);
        }
    }

    @Override
    public long retry(JobId id, Predicate<DeadLetter> which) throws IOException {
        var revived = worker.frontier().revive(id, which, worker.clock().instant());
        if (revived > 0 && !known(id).state().isOpen()) {
            var _ = resume(id);
        }
        return revived;
    }

    @Override
    public void deadLetters(JobRecord job, Consumer<DeadLetter> out)
            throws ConfigException, IOException {
        var urls = config(job).keyed(worker.frontier().fingerprintKey()).urls();
        var tombstones = TombstoneFile.read(folder(job.id()), urls);
        var _ =
                asking(
                        () ->
                                worker.frontier()
                                        .deadLetters(
                                                job.id(),
                                                letter -> {
                                                    if (!tombstones.cover(letter.url())) {
                                                        out.accept(letter);
                                                    }
                                                }));
    }

    @Override
    public Optional<Account> why(JobRecord job, String asked) throws ConfigException, IOException {
        var inquiry = new FleetInquiry(terms.fleet, job.id(), folders(job.id()), table());
        return inquiry.why(worker.frontier(), config(job), inquiry.logs(), asked);
    }

    @Override
    public Optional<CrawlStatus> status(JobId id) {
        return worker.crawls().status(id);
    }

    @Override
    public List<StoreStatus> stores(JobId id) {
        return worker.crawls().stores(id);
    }

    @Override
    public Usage usage() {
        return worker.usage();
    }

    @Override
    public CrawlFolder contents(JobRecord job) throws ConfigException, IOException {
        return new CrawlDirectory(folder(job.id()), config(job)).contents();
    }

    /** Those of a job at its end are asked for once more: a glance may be a second old. */
    @Override
    public FrontierStats stats(JobId id) {
        var job = find(id);
        var end = job.flatMap(JobRecord::ended);
        if (end.isEmpty() || job.get().state() == State.STOPPED) {
            return worker.frontier().stats(id);
        }
        var kept = atEnd.get(id);
        if (kept == null || !kept.end.equals(end.get())) {
            kept = new AtEnd(end.get(), fleet.stats(id, worker.clock().instant()));
            atEnd.put(id, kept);
        }
        return kept.stats;
    }

    @Override
    public FrontierStats stats() {
        return worker.frontier().stats();
    }

    @Override
    public JobHosts hosts(JobId id, int max) {
        return worker.frontier().hosts(id, max, worker.clock().instant());
    }

    @Override
    public long logBytes(JobId id) {
        try {
            return worker.marks(id).stream()
                    .filter(mark -> mark.name().equals(PageLog.FILE))
                    .mapToLong(FileMark::length)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Path folder(JobId id) {
        return worker.folder(id);
    }

    @Override
    public List<Path> folders(JobId id) {
        var number = Integer.toString(id.number());
        var others =
                terms.with.stream().map(each -> each.resolve(FleetWorker.JOBS).resolve(number));
        return Stream.concat(Stream.of(folder(id)), others)
                .filter(CrawlDirectory::isCrawl)
                .toList();
    }

    @Override
    public CrawlConfig config(JobRecord job) throws ConfigException {
        var known = records.find(job.id()).orElseThrow(() -> new NoSuchJobException(job.id()));
        return worker.config(known.job());
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
    public int running() {
        return worker.crawls().jobs().size();
    }

    @Override
    public Optional<FleetReport> fleet() {
        var now = worker.clock().instant();
        return Optional.of(
                asking(
                        () ->
                                new FleetReport(
                                        terms.fleet.fleet(),
                                        worker.name(),
                                        fleet.workers(),
                                        fleet.shards(now),
                                        fleet.hosts(now),
                                        fleet.memory(),
                                        fleet.warnings())));
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public Optional<String> trouble() {
        return worker.trouble();
    }

    /** Rather twice than never, where Redis cannot be asked. */
    @Override
    public boolean tellsOf(JobRecord job) {
        try {
            return fleet.tells(job.id(), job.ended().orElse(job.created()));
        } catch (IOException e) {
            LOG.warn("whether others tell of job {} is not known", job.id().number(), e);
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        worker.stop();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        remover.close();
        try (fleet) {
            worker.close();
        }
    }
}
