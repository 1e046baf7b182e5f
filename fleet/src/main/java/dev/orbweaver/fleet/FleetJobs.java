package dev.orbweaver.fleet;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisUnavailableException;
import dev.orbweaver.internal.config.CookiesFile;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.InvalidArgumentException;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.crawl.RobotsPolicy;
import dev.orbweaver.internal.directory.OpenResources;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.explain.PageLogIndex;
import dev.orbweaver.internal.explain.UrlExplanation;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.ForeignSetting;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.jobs.FleetReport;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.jobs.JobRequest;
import dev.orbweaver.internal.jobs.JobRules;
import dev.orbweaver.internal.jobs.JobStore;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.internal.jobs.NoSuchJobException;
import dev.orbweaver.internal.revisit.RevisitStatistics;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.internal.sink.TombstoneFile;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.ScopeType;
import dev.orbweaver.model.TransferStats;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The job service of a fleet, run by one of its workers.
 *
 * <p>Jobs are in Redis, and every change of their state is made there; this process is a worker
 * like any other and polls them once a second. A change by any process is recorded in the job's
 * directory here and published ({@link FleetJobRecords}). So counts and states are those of the
 * fleet, pages and events those of this worker.
 */
public final class FleetJobs implements Jobs {

    private static final Logger LOG = LoggerFactory.getLogger(FleetJobs.class);

    /**
     * The operator's settings for all jobs.
     *
     * @param concurrency maximum concurrent requests of this worker, of all jobs together
     * @param jobsMax maximum number of jobs that this worker crawls at the same time
     * @param settings for every job that is submitted here
     * @param otherDirectories directories of other workers, whose pages exports add to those of
     *     this one
     */
    public record FleetJobsSettings(
            FleetSettings fleet,
            Path data,
            int concurrency,
            int jobsMax,
            boolean allowPrivate,
            SettingValues settings,
            List<Path> otherDirectories)
            implements JobsSettings {

        public FleetJobsSettings {
            otherDirectories = List.copyOf(otherDirectories);
        }

        @Override
        public FleetJobs open(JobListener jobListener) throws IOException, ConfigException {
            return FleetJobs.open(this, jobListener);
        }
    }

    private final FleetJobsSettings settings;
    private final JobListener jobListener;
    private final FleetWorker worker;
    private final Fleet fleet;
    private final FleetJobRecords records;
    private final Thread thread;
    private final FleetJobRemover remover;
    private final Map<JobId, FinalStats> finalStats = new ConcurrentHashMap<>();

    private record FinalStats(Instant end, FrontierStats stats) {}

    private FleetJobs(
            FleetJobsSettings settings, JobListener jobListener, OpenResources openResources)
            throws IOException {
        this.settings = settings;
        this.jobListener = jobListener;
        this.worker =
                openResources.add(
                        FleetWorker.join(
                                new WorkerSettings(
                                        settings.fleet,
                                        settings.data,
                                        settings.concurrency,
                                        settings.allowPrivate,
                                        settings.settings.list(Settings.ALLOW_ADDRESSES),
                                        settings.settings.table()),
                                new JobObserver()));
        AtomicFile.write(
                new RealDisk(),
                settings.data.resolve(DirectoryLayout.FLEET),
                settings.fleet.fleet() + "\n");
        this.fleet = openResources.add(Fleet.open(settings.fleet));
        this.records =
                new FleetJobRecords(
                        new JobStore(new RealDisk(), settings.data), jobListener, table());
        this.remover = new FleetJobRemover(fleet, worker, records, jobListener);
        this.thread = Thread.ofPlatform().name("fleet worker").unstarted(this::runWorker);
    }

    /** Joins a fleet, with a directory for this worker's output. */
    public static FleetJobs open(FleetJobsSettings settings, JobListener jobListener)
            throws IOException, ConfigException {
        requireNoFiles(JobRules.operatorOnly(settings.settings));
        requireOwnDirectory(settings);
        return OpenResources.open(resources -> new FleetJobs(settings, jobListener, resources));
    }

    /**
     * Rejects settings that name files on this machine, because the other workers do not have them.
     */
    private static void requireNoFiles(CrawlConfig operatorSettings) throws ConfigException {
        if (operatorSettings.excludeHosts().isPresent()) {
            throw new ConfigException(
                    "exclude-hosts",
                    "exclude-hosts names a file, which the fleet's other workers do not have");
        }
        if (operatorSettings.cookiesFile().isPresent()) {
            throw new ConfigException(
                    CookiesFile.KEY,
                    "cookies-file names a file, which the fleet's workers do not have");
        }
        if (!operatorSettings.warc().dedupeWith().isEmpty()) {
            throw new ConfigException(
                    Settings.DEDUPE_WITH,
                    "dedupe-with cannot be used in a fleet: the workers' WARC files would depend on"
                            + " another crawl's");
        }
        WorkerSettings.requireNoRetention(operatorSettings);
        if (operatorSettings.crawl().robots() instanceof RobotsPolicy.Custom) {
            throw new ConfigException(
                    "robots",
                    "robots custom names a file, which the fleet's other workers do not have");
        }
    }

    private static void requireOwnDirectory(FleetJobsSettings settings) throws IOException {
        if (Files.isDirectory(settings.data.resolve(DirectoryLayout.FRONTIER))) {
            throw new InvalidArgumentException(
                    settings.data
                            + " has jobs without a fleet: start without --redis, or choose"
                            + " another directory with --data");
        }
        var file = settings.data.resolve(DirectoryLayout.FLEET);
        if (Files.exists(file)
                && !AtomicFile.read(new RealDisk(), file).strip().equals(settings.fleet.fleet())) {
            throw new InvalidArgumentException(
                    "%s has jobs of the fleet %s: choose another directory with --data"
                            .formatted(
                                    settings.data, AtomicFile.read(new RealDisk(), file).strip()));
        }
    }

    @Override
    public void start() {
        try {
            records.beginRead().accept(fleet.jobs()); // So that the next call finds them.
        } catch (IOException | FrontierUnavailableException e) {
            LOG.warn("could not read the fleet's jobs yet: {}", e.getMessage());
        }
        thread.start();
    }

    private void runWorker() {
        try {
            worker.run();
        } catch (InterruptedException e) {
            LOG.debug("the worker was stopped");
        } catch (RuntimeException e) {
            LOG.error(
                    "the worker of this service failed and no longer crawls; restart the service",
                    e);
        }
    }

    private final class JobObserver implements WorkerObserver {

        @Override
        public Consumer<List<FleetJob>> beforeJobsRead() {
            return records.beginRead();
        }

        @Override
        public void afterPoll() {
            finalStats.keySet().removeIf(id -> records.find(id).isEmpty());
            remover.schedule();
        }

        @Override
        public CrawlListener listener(JobId id) {
            return jobListener.ofCrawl(id);
        }

        @Override
        public int jobsMax() {
            return settings.jobsMax;
        }
    }

    private JobRecord afterCommand(JobId id) throws IOException {
        return records.afterCommand(id, () -> callRedis(() -> fleet.job(id)));
    }

    private interface RedisCall<T> {
        T call() throws IOException;
    }

    /** Calls Redis; throws {@link FrontierUnavailableException} if it is unreachable. */
    private static <T> T callRedis(RedisCall<T> redisCall) {
        try {
            return redisCall.call();
        } catch (IOException e) {
            throw RedisUnavailableException.ofFrontier(e);
        }
    }

    @Override
    public List<JobRecord> all() {
        return records.all();
    }

    @Override
    public Optional<JobRecord> find(JobId id) {
        return records.find(id)
                .map(FleetJobRecords.KnownJob::record)
                .filter(job -> job.state() != State.DELETED);
    }

    private JobRecord requireJob(JobId id) {
        return find(id).orElseThrow(() -> new NoSuchJobException(id));
    }

    @Override
    public Optional<JobRecord> findByKey(String key) {
        var id = callRedis(() -> fleet.findByIdempotencyKey(key));
        if (id.isEmpty() || callRedis(() -> fleet.job(id.get())).isEmpty()) {
            return Optional.empty(); // The client may have died while submitting it.
        }
        return Optional.of(callRedis(() -> afterCommand(id.get())));
    }

    @Override
    public JobRecord submit(JobRequest request) throws ConfigException, IOException {
        var sent = JobRecord.submitted(new JobId(0), request, worker.clock().instant());
        var config = JobRules.config(sent, settings.settings, settings.allowPrivate);
        var given =
                new Fleet.JobSpec(
                        YamlFile.write(config.settingValues()),
                        request.seeds(),
                        List.of(),
                        request.weight(),
                        FleetJobMetadata.of(sent).toJson());
        var once = request.key().orElseGet(() -> UUID.randomUUID().toString());
        var id = callRedis(() -> fleet.submit(once, given, sent.created()));
        var job = afterCommand(id);
        worker.wakeUp();
        return job;
    }

    /** Changes a job's state in the fleet, if its current state permits that. */
    private JobRecord changeState(JobId id, RedisCall<Boolean> change) throws IOException {
        var _ = requireJob(id);
        var _ = callRedis(change);
        var job = afterCommand(id);
        worker.wakeUp();
        return job;
    }

    @Override
    public long addSeeds(JobId id, SeedList.Content content)
            throws ConfigException, IOException, InterruptedException {
        if (config(requireJob(id)).scope().scopeType() == ScopeType.PATH) {
            throw new ConfigException(
                    "scope",
                    "seeds cannot be added to a job of a fleet with scope path; submit another"
                            + " job with them");
        }
        var directory = Files.createTempDirectory("orbweaver-seeds-");
        try {
            var lines = SeedList.addCopy(directory, "api", content);
            for (var list : SeedList.of(directory)) {
                var seedFile = new Fleet.SeedFile(list.nameWithoutNumber(), list.file());
                if (!callRedis(() -> fleet.addSeeds(id, seedFile))) {
                    throw new NoSuchJobException(id);
                }
            }
            var _ = afterCommand(id);
            worker.wakeUp();
            return lines;
        } finally {
            try (var files = Files.walk(directory)) {
                for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    @Override
    public void removeSeeds(JobId id, List<CrawlUrl> urls) throws InvalidArgumentException {
        try {
            if (!fleet.removeSeeds(id, urls)) {
                throw new NoSuchJobException(id);
            }
        } catch (InvalidArgumentException e) {
            throw e;
        } catch (IOException e) {
            throw RedisUnavailableException.ofFrontier(e);
        }
        worker.wakeUp();
    }

    @Override
    public JobRecord pause(JobId id) throws IOException {
        return changeState(id, () -> fleet.pause(id));
    }

    /** The due pages of all workers are in Redis; counting them would read each one. */
    @Override
    public Optional<RevisitStatistics> revisits(JobRecord job) throws ConfigException {
        return config(job).revisit().isContinuous()
                ? Optional.empty()
                : Optional.of(RevisitStatistics.NONE);
    }

    @Override
    public JobRecord resume(JobId id) throws IOException {
        return changeState(id, () -> fleet.resume(id) || fleet.reopen(id));
    }

    @Override
    public JobRecord stop(JobId id) throws IOException {
        return changeState(id, () -> fleet.stop(id));
    }

    @Override
    public JobRecord change(JobRecord changed) throws ConfigException, IOException {
        var id = changed.id();
        var config = JobRules.config(changed, settings.settings, settings.allowPrivate);
        var before = callRedis(() -> fleet.job(id)).orElseThrow(() -> new NoSuchJobException(id));
        // The operator's settings at the time of submission are kept.
        var settingValues =
                new SettingValues()
                        .putAll(config.settingValues())
                        .putAll(
                                YamlFile.parse(before.settings(), "settings", table())
                                        .filter(name -> JobRules.isOperatorSetting(name, table())));
        return changeState(
                id,
                () ->
                        fleet.change(
                                id,
                                YamlFile.write(settingValues),
                                changed.weight(),
                                FleetJobMetadata.of(changed).toJson()));
    }

    @Override
    public void delete(JobId id) throws IOException {
        var _ = requireJob(id);
        var _ = callRedis(() -> fleet.stop(id)); // First: no worker may start it.
        records.markDeleted(id, worker.clock().instant());
        remover.schedule();
    }

    @Override
    public long retryDeadLetters(JobId id, Predicate<DeadLetter> which) throws IOException {
        var urls =
                worker.frontier()
                        .requeueDeadLetters(id, which, worker.clock().instant())
                        .requireStored();
        if (urls > 0 && !requireJob(id).state().isOpen()) {
            var _ = resume(id);
        }
        return urls;
    }

    @Override
    public void deadLetters(JobRecord job, Consumer<DeadLetter> out)
            throws ConfigException, IOException {
        var urls = config(job).withKey(worker.frontier().fingerprintKey()).urls();
        var tombstones = TombstoneFile.read(directory(job.id()), urls);
        var _ =
                callRedis(
                        () ->
                                worker.frontier()
                                        .deadLetters(
                                                job.id(),
                                                letter -> {
                                                    if (!tombstones.covers(letter.url())) {
                                                        out.accept(letter);
                                                    }
                                                }));
    }

    @Override
    public Optional<UrlExplanation> explain(JobRecord job, String url, Optional<PageLogIndex> index)
            throws ConfigException, IOException {
        var urlExplainer =
                new FleetUrlExplainer(settings.fleet, job.id(), directories(job.id()), table());
        var own = directory(job.id());
        var logs =
                urlExplainer.logs().stream()
                        .map(log -> log.directory().equals(own) ? log.with(index) : log)
                        .toList();
        return urlExplainer.explain(worker.frontier(), config(job), logs, url);
    }

    @Override
    public Optional<CrawlStatus> status(JobId id) {
        return worker.crawls().status(id);
    }

    @Override
    public List<SinkStatus> sinkStatus(JobId id) {
        return worker.crawls().sinkStatus(id);
    }

    @Override
    public TransferStats usage() {
        return worker.usage();
    }

    /**
     * Returns a job's statistics. After its end they are read again, because a snapshot may be a
     * second old.
     */
    @Override
    public FrontierStats stats(JobId id) {
        var job = find(id);
        var end = job.flatMap(JobRecord::ended);
        if (end.isEmpty() || job.get().state() == State.STOPPED) {
            return worker.frontier().stats(id);
        }
        var kept = finalStats.get(id);
        if (kept == null || !kept.end.equals(end.get())) {
            kept = new FinalStats(end.get(), fleet.stats(id, worker.clock().instant()));
            finalStats.put(id, kept);
        }
        return kept.stats;
    }

    @Override
    public FrontierStats stats() {
        return worker.frontier().stats();
    }

    @Override
    public List<ForeignSetting> foreignSettings(JobId id) {
        return worker.frontier().foreignSettings(id);
    }

    @Override
    public JobHosts hosts(JobId id, int max) {
        return worker.frontier().hosts(id, max, worker.clock().instant());
    }

    @Override
    public Optional<JobHosts.Host> host(JobId id, String name) {
        return worker.frontier().host(id, name, worker.clock().instant());
    }

    @Override
    public long committedLogBytes(JobId id) {
        try {
            return worker.directory().lengths(id).stream()
                    .filter(mark -> mark.name().equals(DirectoryLayout.PAGE_LOG))
                    .mapToLong(CommittedLength::length)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Path directory(JobId id) {
        return worker.directory().job(id);
    }

    @Override
    public List<Path> directories(JobId id) {
        var number = Integer.toString(id.number());
        var others =
                settings.otherDirectories.stream()
                        .map(each -> each.resolve(DirectoryLayout.JOBS).resolve(number));
        return Stream.concat(Stream.of(directory(id)), others)
                .filter(StoredCrawl::isCrawl)
                .toList();
    }

    @Override
    public CrawlConfig config(JobRecord job) throws ConfigException {
        var knownJob = records.find(job.id()).orElseThrow(() -> new NoSuchJobException(job.id()));
        return worker.config(knownJob.job());
    }

    @Override
    public Settings table() {
        return settings.settings.table();
    }

    @Override
    public int runningCrawls() {
        return worker.crawls().jobs().size();
    }

    @Override
    public Optional<FleetReport> fleet() {
        var now = worker.clock().instant();
        return Optional.of(
                callRedis(
                        () ->
                                new FleetReport(
                                        settings.fleet.fleet(),
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
    public Optional<String> problem() {
        return worker.problem();
    }

    @Override
    public boolean claimNotification(JobId job, Instant change) throws IOException {
        return fleet.claimNotification(job, change);
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
