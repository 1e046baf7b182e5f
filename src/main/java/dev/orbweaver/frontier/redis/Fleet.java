package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;
import static dev.orbweaver.frontier.redis.RedisLink.string;

import dev.orbweaver.FleetReport;
import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.JobHosts;
import dev.orbweaver.frontier.Ledger;
import dev.orbweaver.model.JobId;
import dev.orbweaver.url.FingerprintKey;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A fleet from outside: its jobs, its workers, and how it stands. */
public final class Fleet implements AutoCloseable {

    /** How often a job may be changed while its change is told. */
    private static final int ARRANGED_MAX = 10;

    private final FleetSettings settings;
    private final RedisLink link;
    private final String incarnation;
    private final FingerprintKey key;
    private final Shards shards;

    private Fleet(FleetSettings settings, RedisLink link, Charter.Identity identity) {
        this.incarnation = identity.incarnation();
        this.settings = settings;
        this.link = link;
        this.key = identity.fingerprintKey();
        this.shards = new Shards(link, settings, key);
    }

    /** The key under which the fleet takes fingerprints and deals hosts to shards. */
    public FingerprintKey fingerprintKey() {
        return key;
    }

    /** Looks at a fleet, or begins one. */
    public static Fleet open(FleetSettings settings) throws IOException {
        var link = RedisLink.open(settings.uri(), settings.timeout());
        try {
            return new Fleet(settings, link, Charter.sign(link, settings));
        } catch (IOException | RuntimeException e) {
            link.close();
            throw e;
        }
    }

    /**
     * Has a worker join: its terms must be those of the others. It shows itself first, so that of
     * two that come at the same time one sees the other.
     */
    public void join(Instant now) throws IOException {
        requireNoEviction();
        var own = bytes(settings.worker());
        var sign = bytes(now.toEpochMilli() + " joining");
        var _ = link.ask(redis -> redis.hset(key("workers"), own, sign));
        var since = now.minus(settings.absence());
        var alone =
                workers().stream()
                        .noneMatch(
                                each ->
                                        !each.name().equals(settings.worker())
                                                && each.seen().isAfter(since));
        try {
            Charter.join(link, settings, alone);
        } catch (IOException e) {
            var _ = link.ask(redis -> redis.hdel(key("workers"), own));
            throw e;
        }
    }

    /** Identifies the data in Redis: another one after it has lost them. */
    public String incarnation() {
        return incarnation;
    }

    /** Fails when Redis no longer has the data that were there when the fleet was opened. */
    public void requireData() throws IOException {
        if (!Charter.incarnation(link, settings).equals(incarnation)) {
            throw new RedisDataLostException(settings.fleet());
        }
    }

    /** Fails when Redis is set up to drop keys when its memory is used up. */
    public void requireNoEviction() throws IOException {
        RedisCheck.requireNoEviction(link);
    }

    /** Whether a server of Redis has used its maxmemory. */
    public boolean isFull() throws IOException {
        for (var info : link.infos("memory")) {
            var max = Long.parseLong(RedisLink.field(info, "maxmemory"));
            if (max > 0 && Long.parseLong(RedisLink.field(info, "used_memory")) >= max) {
                return true;
            }
        }
        return false;
    }

    private byte[] key(String name) {
        return bytes("ow:{" + settings.fleet() + "}:" + name);
    }

    private byte[] jobKey(JobId job) {
        return key("job:" + job.number());
    }

    /**
     * Gives a job to the fleet.
     *
     * @param once whoever submits with the same words again gets the same job
     */
    public JobId submit(String once, String text, List<String> seeds, Instant now)
            throws IOException {
        return submit(once, new Wish(text, seeds, 1, ""), now);
    }

    /**
     * A job as its sender wants it.
     *
     * @param settings for its workers
     * @param weight its share of the turns against those of other jobs
     * @param note whatever is to be kept with it
     */
    public record Wish(String settings, List<String> seeds, int weight, String note) {

        /** Keeps the list unchangeable. */
        public Wish {
            seeds = List.copyOf(seeds);
        }
    }

    /** The same with more to say of it. */
    public JobId submit(String once, Wish wish, Instant now) throws IOException {
        requireData();
        var call = new RedisLink.Call(Script.NUMBER, string(key("last-job")), List.of());
        var number = Integer.parseInt(string(link.one(call)));
        var first = link.ask(redis -> redis.hsetnx(key("once"), bytes(once), bytes(number)));
        var job =
                first
                        ? new JobId(number)
                        : sentUnder(once).orElseThrow(() -> new IOException("it was just deleted"));
        // Said again by whoever repeats it: the first may have died before it had said all.
        var fields = new IdentityHashMap<byte[], byte[]>();
        fields.put(bytes("once"), bytes(once));
        fields.put(bytes("nonce"), bytes(UUID.randomUUID().toString()));
        fields.put(bytes("settings"), bytes(wish.settings));
        fields.put(bytes("weight"), bytes(wish.weight));
        fields.put(bytes("note"), bytes(wish.note));
        fields.put(bytes("at"), bytes(now.toEpochMilli()));
        fields.put(bytes("seeds"), bytes(Integer.toString(wish.seeds.size())));
        for (var i = 0; i < wish.seeds.size(); i++) {
            fields.put(bytes("seed:" + i), bytes(wish.seeds.get(i)));
        }
        if (link.ask(redis -> redis.hexists(jobKey(job), bytes("state")))) {
            return job;
        }
        var _ = link.ask(redis -> redis.hset(jobKey(job), fields));
        var _ =
                link.ask(
                        redis ->
                                redis.hsetnx(
                                        jobKey(job),
                                        bytes("state"),
                                        bytes(Job.State.QUEUED.word())));
        var _ = link.ask(redis -> redis.sadd(key("jobs"), bytes(job.number())));
        var _ = link.ask(redis -> redis.incr(key("news")));
        return job;
    }

    /**
     * Is another whenever a job came, went or was changed, so that nobody needs to read all jobs to
     * see that nothing happened. Ask for this first and for {@link #jobs} second.
     */
    public String news() throws IOException {
        requireData();
        var count = link.ask(redis -> redis.get(key("news")));
        return count == null ? "" : string(count);
    }

    /** The job that was submitted with these words. */
    public Optional<JobId> sentUnder(String once) throws IOException {
        return Optional.ofNullable(link.ask(redis -> redis.hget(key("once"), bytes(once))))
                .map(number -> new JobId(Integer.parseInt(string(number))));
    }

    /** Every job, in the order in which they came. */
    public List<Job> jobs() throws IOException {
        requireData();
        var jobs = new ArrayList<Job>();
        for (var number : link.ask(redis -> redis.smembers(key("jobs")))) {
            job(new JobId(Integer.parseInt(string(number)))).ifPresent(jobs::add);
        }
        jobs.sort(Comparator.comparingInt(job -> job.id().number()));
        return jobs;
    }

    /** One job. */
    public Optional<Job> job(JobId id) throws IOException {
        var fields = new HashMap<String, String>();
        link.ask(redis -> redis.hgetall(jobKey(id)))
                .forEach((name, value) -> fields.put(string(name), string(value)));
        var state = fields.get("state");
        if (state == null) {
            requireData(); // Who asks for a job is not to be told that it was deleted.
            return Optional.empty();
        }
        var seeds = new ArrayList<String>();
        for (var i = 0; i < Integer.parseInt(fields.getOrDefault("seeds", "0")); i++) {
            seeds.add(fields.getOrDefault("seed:" + i, ""));
        }
        return Optional.of(
                new Job(
                        id,
                        Job.State.of(state),
                        fields.getOrDefault("settings", ""),
                        seeds,
                        Instant.ofEpochMilli(Long.parseLong(fields.getOrDefault("at", "0"))),
                        Integer.parseInt(fields.getOrDefault("version", "0")),
                        Integer.parseInt(fields.getOrDefault("weight", "1")),
                        fields.getOrDefault("note", ""),
                        new Job.Course(
                                fields.getOrDefault("reason", ""),
                                fields.getOrDefault("failed", "").equals("1"),
                                time(fields, "begun"),
                                time(fields, "since")),
                        incarnation + "/" + id.number() + "/" + fields.getOrDefault("nonce", "")));
    }

    private static Optional<Instant> time(Map<String, String> fields, String name) {
        return Optional.ofNullable(fields.get(name))
                .map(text -> Instant.ofEpochMilli(Long.parseLong(text)));
    }

    /** A worker begins with a job; false when it is not queued. */
    public boolean begin(JobId job) throws IOException {
        return change(job, new Turn(Job.State.RUNNING), Job.State.QUEUED);
    }

    /** Nothing of a job is handed out from now on; what workers hold they finish. */
    public boolean pause(JobId job) throws IOException {
        return reach(job, new Turn(Job.State.PAUSED), Job.State.QUEUED, Job.State.RUNNING)
                && arrange(job);
    }

    /** A paused job goes on. */
    public boolean resume(JobId job) throws IOException {
        return reach(job, new Turn(Job.State.RUNNING), Job.State.PAUSED) && arrange(job);
    }

    /** A job that had ended is taken up again. */
    public boolean reopen(JobId job) throws IOException {
        var turn = new Turn(Job.State.QUEUED, "", false, "", true);
        return change(job, turn, Job.State.STOPPED, Job.State.FINISHED) && arrange(job);
    }

    /** Ends a job; what it has stays to be looked at. */
    public boolean stop(JobId job) throws IOException {
        var turn = new Turn(Job.State.STOPPED, "It was stopped by hand.", false, "", false);
        return reach(job, turn, Job.State.QUEUED, Job.State.RUNNING, Job.State.PAUSED)
                && arrange(job);
    }

    /**
     * A job has come to its end, unless it was changed or taken up again since.
     *
     * @param version of the job that has ended
     */
    public boolean finish(JobId job, int version, String reason, boolean failed)
            throws IOException {
        var turn = new Turn(Job.State.FINISHED, reason, failed, Integer.toString(version), false);
        return change(job, turn, Job.State.RUNNING) && arrange(job);
    }

    /** Gives a job other settings, which its workers take up; false when there is no such job. */
    public boolean change(JobId job, String text, int weight, String note) throws IOException {
        var args = List.of(bytes(text), bytes(note), bytes(weight));
        return string(link.one(new RedisLink.Call(Script.CHANGE, string(jobKey(job)), args)))
                .equals("1");
    }

    /** Whether the caller is the one to tell others of a job's end: of all who ask, one is. */
    public boolean tells(JobId job, Instant end) throws IOException {
        var args = List.of(bytes(end.toEpochMilli()));
        return string(link.one(new RedisLink.Call(Script.TELL, string(jobKey(job)), args)))
                .equals("1");
    }

    /**
     * Takes a job that has ended off the list, once {@link RedisFrontier#deleteJob} has forgotten
     * what the frontier has of it.
     */
    public boolean delete(JobId job) throws IOException {
        if (!hasEnded(job)) {
            return false;
        }
        var _ = link.ask(redis -> redis.srem(key("jobs"), bytes(job.number())));
        everywhere(job, false);
        var once = link.ask(redis -> redis.hget(jobKey(job), bytes("once")));
        if (once != null) {
            // Whoever sends the same again wants it crawled, not to hear of what is gone.
            var _ = link.ask(redis -> redis.hdel(key("once"), once));
        }
        var deleted = link.ask(redis -> redis.del(jobKey(job))) > 0;
        var _ = link.ask(redis -> redis.incr(key("news")));
        return deleted;
    }

    /**
     * Has every shard turn away whatever is still said of a job, by workers that have not heard of
     * its end: before it is forgotten, so that it does not come back.
     */
    public void forbid(JobId job) throws IOException {
        for (var shard : shards.all()) {
            var _ = link.ask(redis -> redis.sadd(bytes(shard.base + ":gone"), bytes(job.number())));
        }
    }

    /** Whether a job was stopped or has come to its end. */
    public boolean hasEnded(JobId job) throws IOException {
        var state = job(job).map(Job::state);
        return state.filter(Job.State.STOPPED::equals).isPresent()
                || state.filter(Job.State.FINISHED::equals).isPresent();
    }

    /**
     * Has a job come to a state in which it may be already: whoever changed it may not have come to
     * all the shards before Redis went away, and they are told again.
     */
    private boolean reach(JobId job, Turn turn, Job.State... from) throws IOException {
        return change(job, turn, from) || job(job).filter(it -> it.state() == turn.to).isPresent();
    }

    /**
     * A change of a job's state.
     *
     * @param version of the job that is meant; empty for any
     * @param anew whether workers are to begin anew
     */
    private record Turn(Job.State to, String reason, boolean failed, String version, boolean anew) {
        Turn(Job.State to) {
            this(to, "", false, "", false);
        }
    }

    private boolean change(JobId job, Turn turn, Job.State... from) throws IOException {
        var args = new ArrayList<byte[]>();
        args.add(bytes(turn.to.word()));
        args.add(bytes(turn.reason));
        args.add(bytes(turn.failed ? "1" : ""));
        args.add(bytes(turn.version));
        args.add(bytes(turn.anew ? "1" : ""));
        for (var state : from) {
            args.add(bytes(state.word()));
        }
        return string(link.one(new RedisLink.Call(Script.STATE, string(jobKey(job)), args)))
                .equals("1");
    }

    /**
     * Tells every shard whether to hand out anything of a job, as its state is now. That takes a
     * while, and somebody else may change the state meanwhile: then it is told once more.
     */
    private boolean arrange(JobId job) throws IOException {
        for (var tries = 0; tries < ARRANGED_MAX; tries++) {
            var rests = rests(job);
            everywhere(job, rests);
            if (rests(job) == rests) {
                break;
            }
        }
        return true;
    }

    private boolean rests(JobId job) throws IOException {
        return job(job).map(Job::state)
                .filter(state -> state == Job.State.QUEUED || state == Job.State.RUNNING)
                .isEmpty();
    }

    /** Tells every shard to hand out nothing of a job, or to do so again. */
    private void everywhere(JobId job, boolean paused) throws IOException {
        for (var shard : shards.all()) {
            var set = bytes(string(shard.key) + ":paused");
            var member = bytes(job.number());
            var _ = link.ask(redis -> paused ? redis.sadd(set, member) : redis.srem(set, member));
        }
    }

    /** A worker, from its name and the heartbeat that is stored under it. */
    static FleetReport.Worker heard(String name, String heartbeat) {
        var space = heartbeat.indexOf(' ');
        return new FleetReport.Worker(
                name,
                Instant.ofEpochMilli(Long.parseLong(heartbeat, 0, space, 10)),
                heartbeat.substring(space + 1));
    }

    /** The workers that were heard of lately, by name. */
    public List<FleetReport.Worker> workers() throws IOException {
        return link.ask(redis -> redis.hgetall(key("workers"))).entrySet().stream()
                .map(each -> heard(string(each.getKey()), string(each.getValue())))
                .sorted(Comparator.comparing(FleetReport.Worker::name))
                .toList();
    }

    /** Hosts by state; those that workers hold are busy. */
    public FrontierStats.Hosts hosts(Instant now) {
        return hosts(views(now));
    }

    private static FrontierStats.Hosts hosts(Views fleet) {
        return new FrontierStats.Hosts(
                fleet.hosts() - fleet.held() - fleet.ready() - fleet.waiting(),
                fleet.waiting() - fleet.resting(),
                fleet.ready(),
                fleet.held(),
                fleet.resting());
    }

    /** Where every URL of a job is; what workers hold counts as leased. */
    public Ledger ledger(JobId job, Instant now) {
        var counters = views(now).ofJob(job.number());
        return Views.ledger(counters, counters.getOrDefault("c", 0L));
    }

    /** The figures of a job as they are now. */
    public FrontierStats stats(JobId job, Instant now) {
        var fleet = views(now);
        var counters = fleet.ofJob(job.number());
        return new FrontierStats(
                Views.ledger(counters, counters.getOrDefault("c", 0L)),
                hosts(fleet),
                Views.dead(counters),
                Views.refusals(counters));
    }

    /** The ledger of every job that has one. */
    public Map<JobId, Ledger> ledgers(Instant now) {
        var ledgers = new HashMap<JobId, Ledger>();
        views(now)
                .counters()
                .forEach(
                        (job, counters) ->
                                ledgers.put(
                                        new JobId(job),
                                        Views.ledger(counters, counters.getOrDefault("c", 0L))));
        return ledgers;
    }

    /**
     * A fleet's figures.
     *
     * @param jobs of each; hosts, which jobs share, are those of all
     * @param blocked of each job that has one, the host that keeps it waiting for longest because
     *     it asked for quiet or failed
     */
    public record Figures(
            FrontierStats.Hosts hosts,
            Map<JobId, FrontierStats> jobs,
            Map<JobId, JobHosts.Host> blocked) {

        /** Keeps the parts unchangeable. */
        public Figures {
            jobs = Map.copyOf(jobs);
            blocked = Map.copyOf(blocked);
        }
    }

    /** All of them, asked for once. */
    public Figures figures(Instant now) {
        var views = views(now);
        var hosts = hosts(views);
        var jobs = new HashMap<JobId, FrontierStats>();
        views.counters()
                .forEach(
                        (job, counters) ->
                                jobs.put(
                                        new JobId(job),
                                        new FrontierStats(
                                                Views.ledger(
                                                        counters, counters.getOrDefault("c", 0L)),
                                                hosts,
                                                Views.dead(counters),
                                                Views.refusals(counters))));
        var blocked = new HashMap<JobId, JobHosts.Host>();
        for (var job : jobs.keySet()) {
            views.blocked(job.number()).stream()
                    .min(JobHosts.LATEST_FIRST)
                    .ifPresent(host -> blocked.put(job, host));
        }
        return new Figures(hosts, jobs, blocked);
    }

    private Views views(Instant now) {
        return Views.of(answers(), now.toEpochMilli());
    }

    /** One at a time: what is known of a shard's server is noted while it answers. */
    private synchronized List<Object> answers() {
        var questions =
                shards.all().stream()
                        .map(shard -> Shards.question(shard.number, Script.VIEW))
                        .toList();
        // Whoever only looks tells no time: a clock that is ahead would set the fleet's.
        return shards.ask(questions, 0);
    }

    /** How every shard stands. */
    public List<FleetReport.Shard> shards(Instant now) {
        var all = new ArrayList<FleetReport.Shard>();
        for (var answer : answers()) {
            var view = Views.of(List.of(answer), now.toEpochMilli());
            var total = view.total();
            var queued = total.getOrDefault("q", 0L) + total.getOrDefault("c", 0L);
            all.add(new FleetReport.Shard(all.size(), view.hosts(), view.held(), queued));
        }
        return all;
    }

    /** How many bytes Redis uses, on all its servers. */
    public long memoryUsed() throws IOException {
        return memory().usedBytes();
    }

    /** How much memory Redis uses, and may. */
    public FleetReport.Memory memory() throws IOException {
        var used = 0L;
        var most = 0L;
        for (var info : link.infos("memory")) {
            used += Long.parseLong(RedisLink.field(info, "used_memory"));
            var limit = RedisLink.field(info, "maxmemory");
            most += limit.isEmpty() ? 0 : Long.parseLong(limit);
        }
        var bound = settings.longTail() instanceof LongTail.InFiles files ? files.redisBytes() : 0L;
        var version = RedisLink.field(link.infos("server").getFirst(), "redis_version");
        return new FleetReport.Memory(
                used, bound > 0 && (most == 0 || bound < most) ? bound : most, version);
    }

    /** What is wrong with how Redis is set up, as sentences; none when all is well. */
    public List<String> warnings() throws IOException {
        return RedisCheck.warnings(link);
    }

    @Override
    public void close() {
        link.close();
    }
}
