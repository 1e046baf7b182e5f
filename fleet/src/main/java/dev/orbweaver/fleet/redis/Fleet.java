package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.fleet.redis.ScriptConstants.Counter;
import dev.orbweaver.fleet.redis.ScriptConstants.JobField;
import dev.orbweaver.fleet.redis.ScriptConstants.ShardKey;
import dev.orbweaver.internal.config.InvalidArgumentException;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.jobs.FleetReport;
import dev.orbweaver.internal.seeds.RemovedSeeds;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** An administrative client of a fleet: its jobs, its workers and its statistics. */
public final class Fleet implements AutoCloseable {

    /** Maximum number of changes of a job while its state is sent to the shards. */
    private static final int PROPAGATE_ATTEMPTS = 10;

    /** Precedes a job's number in the key of its record. */
    static final String JOB_KEY = ":job:";

    /** The field of the charter that is incremented with every change of a job. */
    static final String JOBS_VERSION = "news";

    /** The number of hosts in the heartbeat of a worker that crawls no job. */
    static final int NOT_CRAWLING = -1;

    private final FleetSettings settings;
    private final RedisConnection connection;
    private final String incarnation;
    private final FingerprintKey key;
    private final Shards shards;
    private final SeedPieces seedPieces;

    private Fleet(
            FleetSettings settings, RedisConnection link, FleetCompatibility.Identity identity) {
        this.incarnation = identity.incarnation();
        this.settings = settings;
        this.connection = link;
        this.key = identity.fingerprintKey();
        this.shards = new Shards(link, settings, key);
        this.seedPieces = new SeedPieces(link, settings);
    }

    /** Returns the key of the fleet's fingerprints, which also assigns hosts to shards. */
    public FingerprintKey fingerprintKey() {
        return key;
    }

    /** Connects to a fleet, or creates one. */
    public static Fleet open(FleetSettings settings) throws IOException {
        var link = RedisConnection.open(settings.uri(), settings.timeout());
        try {
            return new Fleet(settings, link, FleetCompatibility.identify(link, settings));
        } catch (IOException | RuntimeException e) {
            link.close();
            throw e;
        }
    }

    /**
     * Joins as a worker, after checking that the settings match those of the others. It registers
     * first, so that of two workers that join at the same time one sees the other.
     */
    public void join(Instant now) throws IOException {
        requireNoEviction();
        var own = bytes(settings.worker());
        var sign = bytes(heartbeat(now.toEpochMilli(), NOT_CRAWLING, "joining"));
        var _ = connection.execute(redis -> redis.hset(key("workers"), own, sign));
        var since = now.minus(settings.workerTimeout());
        var alone =
                workers().stream()
                        .noneMatch(
                                each ->
                                        !each.name().equals(settings.worker())
                                                && each.lastSeen().isAfter(since));
        try {
            FleetCompatibility.requireSameTerms(connection, settings, alone);
        } catch (IOException e) {
            var _ = connection.execute(redis -> redis.hdel(key("workers"), own));
            throw e;
        }
    }

    /** Identifies the data in Redis: changes if Redis loses them. */
    public String incarnation() {
        return incarnation;
    }

    /**
     * Checks that Redis still has the data that it had when the fleet was opened.
     *
     * @throws IOException if it does not
     */
    public void requireData() throws IOException {
        if (!FleetCompatibility.incarnation(connection, settings).equals(incarnation)) {
            throw new RedisDataLostException(settings.fleet());
        }
    }

    /**
     * Checks that Redis is not configured to evict keys when its memory is full.
     *
     * @throws IOException if it is
     */
    public void requireNoEviction() throws IOException {
        RedisCheck.requireNoEviction(connection);
    }

    /** Returns whether a server of Redis has used its maxmemory. */
    public boolean isFull() throws IOException {
        for (var info : connection.serverInfos("memory")) {
            var max = Long.parseLong(RedisConnection.field(info, "maxmemory"));
            if (max > 0 && Long.parseLong(RedisConnection.field(info, "used_memory")) >= max) {
                return true;
            }
        }
        return false;
    }

    /** Returns the memory of Redis, without creating a fleet there. */
    public static FleetReport.Memory memory(FleetSettings settings) throws IOException {
        try (var link = RedisConnection.open(settings.uri(), settings.timeout())) {
            return memory(link, settings);
        }
    }

    private byte[] key(String name) {
        return bytes("ow:{" + settings.fleet() + "}:" + name);
    }

    private String jobKey(JobId job) {
        return "ow:{" + settings.fleet() + "}" + JOB_KEY + job.number();
    }

    /**
     * Submits a job with weight 1 and without a note.
     *
     * @param once idempotency key: a second submission with the same key returns the same job
     */
    public JobId submit(String once, String text, List<String> seeds, Instant now)
            throws IOException {
        return submit(once, new JobSpec(text, seeds, List.of(), 1, ""), now);
    }

    /**
     * A job as submitted by a client.
     *
     * @param settings for its workers
     * @param seedFiles lists that the workers read while they crawl
     * @param weight its share of the turns relative to other jobs
     * @param note metadata of the client, stored with the job
     */
    public record JobSpec(
            String settings,
            List<String> seeds,
            List<SeedFile> seedFiles,
            int weight,
            String note) {

        public JobSpec {
            seeds = List.copyOf(seeds);
            seedFiles = List.copyOf(seedFiles);
        }
    }

    /**
     * A long list of seeds.
     *
     * @param label what it contains, in small letters, digits and hyphens
     * @param file its lines, as in a seed list of a crawl
     */
    public record SeedFile(String label, Path file) {}

    public JobId submit(String once, JobSpec jobSpec, Instant now) throws IOException {
        return submit(once, jobSpec, FleetJob.State.QUEUED, now);
    }

    /**
     * Creates a job into which a crawl is imported, or returns it. Workers see it, but claim none
     * of its URLs before {@link #finishImport}.
     *
     * @param once idempotency key of the import
     */
    public JobId beginImport(String once, JobSpec jobSpec, Instant now) throws IOException {
        var job = submit(once, jobSpec, FleetJob.State.IMPORTING, now);
        if (isImporting(job)) {
            setPausedOnShards(job, true);
        }
        return job;
    }

    public boolean isImporting(JobId job) throws IOException {
        return job(job).filter(it -> it.state() == FleetJob.State.IMPORTING).isPresent();
    }

    /**
     * Lets workers crawl a job that was imported. If a call was interrupted, it is repeated; then
     * it changes the state of a job only if it is still being imported.
     *
     * @param seedLists how many lists were imported
     */
    public void finishImport(JobId job, int seedLists) throws IOException {
        if (isImporting(job)) {
            // Not 0, so that workers read the hosts of its scope.
            var lists = bytes(Integer.toString(seedLists));
            var key = bytes(jobKey(job));
            var _ =
                    connection.execute(
                            redis -> redis.hset(key, JobField.SEED_LISTS.bytes(), lists));
            var _ = change(job, new StateChange(FleetJob.State.QUEUED), FleetJob.State.IMPORTING);
        }
        var _ = propagateState(job);
    }

    private JobId submit(String once, JobSpec jobSpec, FleetJob.State state, Instant now)
            throws IOException {
        requireData();
        var number = connection.call(new KeyRequest.NextJobNumber(string(key("last-job"))));
        var first =
                connection.execute(redis -> redis.hsetnx(key("once"), bytes(once), bytes(number)));
        var job =
                first
                        ? new JobId(number)
                        : findByIdempotencyKey(once)
                                .orElseThrow(
                                        () ->
                                                new IOException(
                                                        "the job was deleted while it was"
                                                                + " submitted"));
        var record = bytes(jobKey(job));
        // Written again by a caller that repeats the call: the first call may have died half way.
        var fields = new IdentityHashMap<byte[], byte[]>();
        fields.put(bytes("once"), bytes(once));
        fields.put(bytes("nonce"), bytes(UUID.randomUUID().toString()));
        fields.put(JobField.SETTINGS.bytes(), bytes(jobSpec.settings));
        fields.put(JobField.WEIGHT.bytes(), bytes(jobSpec.weight));
        fields.put(JobField.NOTE.bytes(), bytes(jobSpec.note));
        fields.put(bytes("at"), bytes(now.toEpochMilli()));
        fields.put(bytes("seeds"), bytes(Integer.toString(jobSpec.seeds.size())));
        for (var i = 0; i < jobSpec.seeds.size(); i++) {
            fields.put(bytes("seed:" + i), bytes(jobSpec.seeds.get(i)));
        }
        if (connection.execute(redis -> redis.hexists(record, JobField.STATE.bytes()))) {
            return job;
        }
        // Before the job: no worker may end it without having read them.
        for (var seedFile : jobSpec.seedFiles) {
            store(job, seedFile);
        }
        fields.put(JobField.SEED_LISTS.bytes(), bytes(Integer.toString(jobSpec.seedFiles.size())));
        var _ = connection.execute(redis -> redis.hset(record, fields));
        var _ =
                connection.execute(
                        redis -> redis.hsetnx(record, JobField.STATE.bytes(), bytes(state.id())));
        var _ = connection.execute(redis -> redis.sadd(key("jobs"), bytes(job.number())));
        incrementJobsVersion();
        return job;
    }

    /**
     * Adds a list of seeds to a job. A job that has ended continues with it.
     *
     * @return whether the job exists
     */
    public boolean addSeeds(JobId job, SeedFile seedFile) throws IOException {
        if (job(job).isEmpty()) {
            return false;
        }
        if (isImporting(job)) {
            throw new IOException(
                    "job %d is being imported; add seeds when its import is complete"
                            .formatted(job.number()));
        }
        store(job, seedFile);
        // Second, and the state third: a worker that does not see the list either does not end the
        // job, because the number has changed, or has ended it, which is seen here.
        var key = bytes(jobKey(job));
        var _ = connection.execute(redis -> redis.hincrby(key, JobField.SEED_LISTS.bytes(), 1));
        incrementJobsVersion();
        return !hasEnded(job) || reopen(job);
    }

    private void store(JobId job, SeedFile seedFile) throws IOException {
        var stored = seedPieces.store(seedFile.file);
        var request =
                new ShardRequest.AddSeeds(
                        SeedLists.shard(shards, job.number()),
                        job.number(),
                        seedFile.label,
                        stored.id(),
                        stored.pieces());
        if (!shards.query(request, fleetTime())) {
            throw new IOException(
                    "job %d was deleted while seeds were added to it".formatted(job.number()));
        }
    }

    /** Returns whether seed lists of a job were not read to their end. */
    public boolean hasUnreadSeeds(JobId job) throws IOException {
        return !seedPieces.lists(job).isEmpty();
    }

    /**
     * Returns a version that changes whenever a job is added, removed or changed, so that a caller
     * need not read all jobs. Read this first and {@link #jobs} second.
     *
     * @throws RedisDataLostException if Redis has lost its data
     */
    public String jobsVersion() throws IOException {
        var charter = connection.execute(redis -> FleetCompatibility.readCharter(redis, settings));
        return FleetCompatibility.jobsVersion(charter, settings, incarnation);
    }

    private void incrementJobsVersion() throws IOException {
        var charter = FleetCompatibility.key(settings);
        var _ = connection.execute(redis -> redis.hincrby(charter, bytes(JOBS_VERSION), 1));
    }

    public Optional<JobId> findByIdempotencyKey(String once) throws IOException {
        return Optional.ofNullable(
                        connection.execute(redis -> redis.hget(key("once"), bytes(once))))
                .map(number -> new JobId(Integer.parseInt(string(number))));
    }

    /** Returns all jobs in the order of submission. */
    public List<FleetJob> jobs() throws IOException {
        requireData();
        var fleetJobs = new ArrayList<FleetJob>();
        for (var number : connection.execute(redis -> redis.smembers(key("jobs")))) {
            job(new JobId(Integer.parseInt(string(number)))).ifPresent(fleetJobs::add);
        }
        fleetJobs.sort(Comparator.comparingInt(fleetJob -> fleetJob.id().number()));
        return fleetJobs;
    }

    public Optional<FleetJob> job(JobId id) throws IOException {
        var fields = new HashMap<String, String>();
        connection
                .execute(redis -> redis.hgetall(bytes(jobKey(id))))
                .forEach((name, value) -> fields.put(string(name), string(value)));
        var state = fields.get(JobField.STATE.text());
        if (state == null) {
            requireData(); // If Redis lost its data, the job was not deleted.
            return Optional.empty();
        }
        var seeds = new ArrayList<String>();
        for (var i = 0; i < Integer.parseInt(fields.getOrDefault("seeds", "0")); i++) {
            seeds.add(fields.getOrDefault("seed:" + i, ""));
        }
        return Optional.of(
                new FleetJob(
                        id,
                        FleetJob.State.of(state),
                        JobField.SETTINGS.of(fields, ""),
                        seeds,
                        Instant.ofEpochMilli(Long.parseLong(fields.getOrDefault("at", "0"))),
                        Integer.parseInt(JobField.VERSION.of(fields, "0")),
                        Integer.parseInt(JobField.WEIGHT.of(fields, "1")),
                        JobField.NOTE.of(fields, ""),
                        new FleetJob.StateDetail(
                                JobField.REASON.of(fields, ""),
                                JobField.FAILED.of(fields, "").equals("1"),
                                time(fields, JobField.BEGUN),
                                time(fields, JobField.SINCE)),
                        incarnation + "/" + id.number() + "/" + fields.getOrDefault("nonce", ""),
                        Integer.parseInt(JobField.SEED_LISTS.of(fields, "0"))));
    }

    private static Optional<Instant> time(Map<String, String> fields, JobField field) {
        return Optional.ofNullable(fields.get(field.text()))
                .map(text -> Instant.ofEpochMilli(Long.parseLong(text)));
    }

    /** Starts a job; returns false if it is not queued. */
    public boolean start(JobId job) throws IOException {
        return change(job, new StateChange(FleetJob.State.RUNNING), FleetJob.State.QUEUED);
    }

    /**
     * Pauses a job: none of its URLs is claimed from now on; workers finish those that they have.
     */
    public boolean pause(JobId job) throws IOException {
        return ensureState(
                        job,
                        new StateChange(FleetJob.State.PAUSED),
                        FleetJob.State.QUEUED,
                        FleetJob.State.RUNNING)
                && propagateState(job);
    }

    public boolean resume(JobId job) throws IOException {
        return ensureState(job, new StateChange(FleetJob.State.RUNNING), FleetJob.State.PAUSED)
                && propagateState(job);
    }

    /** Continues a job that has ended. */
    public boolean reopen(JobId job) throws IOException {
        var stateChange = new StateChange(FleetJob.State.QUEUED, "", false, "", "", true);
        return change(job, stateChange, FleetJob.State.STOPPED, FleetJob.State.FINISHED)
                && propagateState(job);
    }

    /** Ends a job; its data is kept. */
    public boolean stop(JobId job) throws IOException {
        var stateChange =
                new StateChange(
                        FleetJob.State.STOPPED, "Stopped on request.", false, "", "", false);
        return ensureState(
                        job,
                        stateChange,
                        FleetJob.State.QUEUED,
                        FleetJob.State.RUNNING,
                        FleetJob.State.PAUSED)
                && propagateState(job);
    }

    /**
     * Ends a job, unless it was changed or resumed since.
     *
     * @param version of the job that has ended
     */
    public boolean finish(JobId job, int version, String reason, boolean failed)
            throws IOException {
        return finish(job, version, "", reason, failed);
    }

    /**
     * Ends a job of which all is read, unless seeds were added since.
     *
     * @param fleetJob as it was before the caller checked that all seed lists are read
     */
    public boolean finishComplete(FleetJob fleetJob, String reason, boolean failed)
            throws IOException {
        return finish(
                fleetJob.id(),
                fleetJob.version(),
                Integer.toString(fleetJob.seedLists()),
                reason,
                failed);
    }

    private boolean finish(JobId job, int version, String seedLists, String reason, boolean failed)
            throws IOException {
        var stateChange =
                new StateChange(
                        FleetJob.State.FINISHED,
                        reason,
                        failed,
                        Integer.toString(version),
                        seedLists,
                        false);
        return change(job, stateChange, FleetJob.State.RUNNING) && propagateState(job);
    }

    /** Replaces a job's settings for its workers; returns false if the job does not exist. */
    public boolean change(JobId job, String text, int weight, String note) throws IOException {
        return connection.call(new KeyRequest.ChangeSettings(jobKey(job), text, note, weight));
    }

    /**
     * Claims the notification of a change of a job's state; of all callers, one gets true, and none
     * after that of a later change was claimed.
     */
    public boolean claimNotification(JobId job, Instant change) throws IOException {
        return connection.call(
                new KeyRequest.ClaimNotification(jobKey(job), change.toEpochMilli()));
    }

    /**
     * Removes a job that has ended from the list, after {@link RedisFrontier#deleteJob} has deleted
     * its data in the frontier.
     */
    public boolean delete(JobId job) throws IOException {
        if (!mayBeDeleted(job)) {
            return false;
        }
        var _ = connection.execute(redis -> redis.srem(key("jobs"), bytes(job.number())));
        setPausedOnShards(job, false);
        var once = connection.execute(redis -> redis.hget(bytes(jobKey(job)), bytes("once")));
        if (once != null) {
            // A client that submits the same key again then gets a new crawl.
            var _ = connection.execute(redis -> redis.hdel(key("once"), once));
        }
        var deleted = connection.execute(redis -> redis.del(bytes(jobKey(job)))) > 0;
        incrementJobsVersion();
        return deleted;
    }

    /**
     * Makes every shard reject late updates of a job by workers that have not seen its end. Called
     * before its data is deleted, so that late updates do not recreate it.
     */
    public void rejectUpdates(JobId job) throws IOException {
        connection.executeAll(
                shards.all(),
                (redis, shard) -> redis.sadd(ShardKey.DELETED.of(shard), bytes(job.number())));
    }

    public boolean hasEnded(JobId job) throws IOException {
        var state = job(job).map(FleetJob::state);
        return state.filter(FleetJob.State.STOPPED::equals).isPresent()
                || state.filter(FleetJob.State.FINISHED::equals).isPresent();
    }

    /** Returns whether no worker crawls a job. */
    public boolean mayBeDeleted(JobId job) throws IOException {
        return hasEnded(job) || isImporting(job);
    }

    /** Returns the lines of jobs that every worker has in a file. */
    public JobLines lines() {
        return new JobLines(connection, settings);
    }

    /** Excludes hosts from a job; each is a line of a list of excluded hosts. */
    public void exclude(JobId job, Collection<String> hosts) throws IOException {
        lines().add(job, JobLines.Topic.EXCLUDED_HOSTS, hosts);
        incrementJobsVersion();
    }

    /**
     * Removes URLs from a job before they are fetched. They stay queued, and workers withdraw them.
     *
     * @return whether the job exists
     * @throws InvalidArgumentException if they are too many with those before; then none is removed
     */
    public boolean removeSeeds(JobId job, Collection<CrawlUrl> urls) throws IOException {
        if (job(job).isEmpty()) {
            return false;
        }
        var topic = JobLines.Topic.REMOVED_URLS;
        RemovedSeeds.requireRoom(lines().count(job, topic), urls.size());
        lines().add(job, topic, urls.stream().map(CrawlUrl::text).toList());
        incrementJobsVersion();
        return true;
    }

    /**
     * Brings a job to a state that it may already have, and sends the state to all shards. The
     * worker that changed it may not have reached all of them before Redis became unreachable.
     */
    private boolean ensureState(JobId job, StateChange stateChange, FleetJob.State... from)
            throws IOException {
        return change(job, stateChange, from)
                || job(job).filter(it -> it.state() == stateChange.to).isPresent();
    }

    /**
     * @param version the expected version of the job; empty for any
     * @param restart whether workers restart the crawl
     */
    private record StateChange(
            FleetJob.State to,
            String reason,
            boolean failed,
            String version,
            String seedLists,
            boolean restart) {
        StateChange(FleetJob.State to) {
            this(to, "", false, "", "", false);
        }
    }

    private boolean change(JobId job, StateChange stateChange, FleetJob.State... from)
            throws IOException {
        return connection.call(
                new KeyRequest.ChangeState(
                        jobKey(job),
                        stateChange.to,
                        stateChange.reason,
                        stateChange.failed,
                        stateChange.version,
                        stateChange.seedLists,
                        stateChange.restart,
                        List.of(from)));
    }

    /**
     * Sends every shard whether URLs of a job may be claimed, according to its current state. If
     * the state changes in the meantime, it is sent again.
     */
    private boolean propagateState(JobId job) throws IOException {
        for (var tries = 0; tries < PROPAGATE_ATTEMPTS; tries++) {
            var rests = isPaused(job);
            setPausedOnShards(job, rests);
            if (!rests) {
                shards.agenda.enterAll(fleetTime()); // Its hosts may be due.
            }
            if (isPaused(job) == rests) {
                break;
            }
        }
        return true;
    }

    private long fleetTime() throws IOException {
        var clock = "ow:{" + settings.fleet() + "}:clock";
        return connection.call(new KeyRequest.ReadClock(clock)) / 1000;
    }

    private boolean isPaused(JobId job) throws IOException {
        return job(job).map(FleetJob::state)
                .filter(state -> state == FleetJob.State.QUEUED || state == FleetJob.State.RUNNING)
                .isEmpty();
    }

    private void setPausedOnShards(JobId job, boolean paused) throws IOException {
        var member = bytes(job.number());
        connection.executeAll(
                shards.all(),
                (redis, shard) -> {
                    var set = ShardKey.PAUSED.of(shard);
                    return paused ? redis.sadd(set, member) : redis.srem(set, member);
                });
    }

    /** Returns the text of a heartbeat: time, number of hosts, activity. */
    static String heartbeat(long time, int hosts, String activity) {
        return time + " " + hosts + " " + activity;
    }

    static FleetReport.Worker parseHeartbeat(String name, String heartbeat) {
        var words = heartbeat.split(" ", 3);
        return new FleetReport.Worker(
                name, Instant.ofEpochMilli(Long.parseLong(words[0])), words[2]);
    }

    /** Returns the number of hosts of the worker with a heartbeat. */
    static int hostsOf(String heartbeat) {
        return Integer.parseInt(heartbeat.split(" ", 3)[1]);
    }

    /** Returns the workers with a recent heartbeat, by name. */
    public List<FleetReport.Worker> workers() throws IOException {
        return connection.execute(redis -> redis.hgetall(key("workers"))).entrySet().stream()
                .map(each -> parseHeartbeat(string(each.getKey()), string(each.getValue())))
                .sorted(Comparator.comparing(FleetReport.Worker::name))
                .toList();
    }

    /** Returns the number of hosts by state; those that workers have claimed are busy. */
    public FrontierStats.Hosts hosts(Instant now) {
        return snapshot(now).hostsByState();
    }

    /** Returns the ledger of a job; URLs that workers have claimed count as leased. */
    public Ledger ledger(JobId job, Instant now) {
        return stats(job, now).ledger();
    }

    public FrontierStats stats(JobId job, Instant now) {
        return snapshot(now).stats(job.number());
    }

    public Map<JobId, Ledger> ledgers(Instant now) {
        var ledgers = new HashMap<JobId, Ledger>();
        fleetStats(now).jobs().forEach((job, stats) -> ledgers.put(job, stats.ledger()));
        return ledgers;
    }

    /**
     * The statistics of a fleet.
     *
     * @param jobs by job; hosts are shared between jobs, so they count for all jobs
     * @param blocked by job, the host that blocks it for longest because of Retry-After or failures
     */
    public record FleetStats(
            FrontierStats.Hosts hosts,
            Map<JobId, FrontierStats> jobs,
            Map<JobId, JobHosts.Host> blocked) {

        public FleetStats {
            jobs = Map.copyOf(jobs);
            blocked = Map.copyOf(blocked);
        }
    }

    /** Returns all statistics with one request to each shard. */
    public FleetStats fleetStats(Instant now) {
        var fleet = snapshot(now);
        var jobs = new HashMap<JobId, FrontierStats>();
        var blocked = new HashMap<JobId, JobHosts.Host>();
        for (var number : fleet.counters().keySet()) {
            var job = new JobId(number);
            jobs.put(job, fleet.stats(number));
            fleet.blocked(number).stream()
                    .min(JobHosts.LATEST_FIRST)
                    .ifPresent(host -> blocked.put(job, host));
        }
        return new FleetStats(fleet.hostsByState(), jobs, blocked);
    }

    private FleetSnapshot snapshot(Instant now) {
        return FleetSnapshot.of(shardReplies(), now.toEpochMilli());
    }

    /**
     * Queries all shards. One caller at a time, because each reply updates the state of a shard's
     * server.
     */
    private synchronized List<ShardRequest.ShardView> shardReplies() {
        var requests =
                shards.all().stream().map(shard -> new ShardRequest.View(shard.number)).toList();
        // Without a time: a clock that is ahead would advance the fleet's clock.
        return shards.query(requests, 0);
    }

    public List<FleetReport.Shard> shards(Instant now) {
        var all = new ArrayList<FleetReport.Shard>();
        for (var answer : shardReplies()) {
            var view = FleetSnapshot.of(List.of(answer), now.toEpochMilli());
            var total = view.totalCounters();
            var queued =
                    FleetSnapshot.count(total, Counter.QUEUED)
                            + FleetSnapshot.count(total, Counter.CLAIMED);
            all.add(new FleetReport.Shard(all.size(), view.hosts(), view.claimed(), queued));
        }
        return all;
    }

    /** Returns the bytes used by all servers of Redis. */
    public long memoryUsed() throws IOException {
        return memory().usedBytes();
    }

    public FleetReport.Memory memory() throws IOException {
        return memory(connection, settings);
    }

    private static FleetReport.Memory memory(RedisConnection connection, FleetSettings settings)
            throws IOException {
        var memory = connection.memory(settings.overflowStore().redisBytes());
        var version =
                RedisConnection.field(connection.serverInfos("server").getFirst(), "redis_version");
        return new FleetReport.Memory(memory.used(), memory.limit(), version);
    }

    /** Returns problems of Redis's configuration, as sentences. */
    public List<String> warnings() throws IOException {
        return RedisCheck.warnings(connection);
    }

    public long roundTrips() {
        return connection.roundTrips();
    }

    @Override
    public void close() {
        connection.close();
    }
}
