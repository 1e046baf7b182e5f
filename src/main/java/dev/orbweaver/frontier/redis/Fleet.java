package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;
import static dev.orbweaver.frontier.redis.RedisLink.string;

import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.Ledger;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A fleet from outside: its jobs, its workers, and how it stands. */
public final class Fleet implements AutoCloseable {

    private final FleetSettings settings;
    private final RedisLink link;
    private final Shards shards;

    private Fleet(FleetSettings settings, RedisLink link) {
        this.settings = settings;
        this.link = link;
        this.shards = new Shards(link, settings);
    }

    /** Looks at a fleet, or begins one. */
    public static Fleet open(FleetSettings settings) throws IOException {
        var link = RedisLink.open(settings.uri(), settings.timeout());
        try {
            Charter.sign(link, settings);
            return new Fleet(settings, link);
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
        var number = link.ask(redis -> redis.incr(key("last-job")));
        var first = link.ask(redis -> redis.hsetnx(key("once"), bytes(once), bytes(number)));
        var job =
                first
                        ? new JobId(Math.toIntExact(number))
                        : new JobId(
                                Integer.parseInt(
                                        string(
                                                link.ask(
                                                        redis ->
                                                                redis.hget(
                                                                        key("once"),
                                                                        bytes(once))))));
        // Said again by whoever repeats it: the first may have died before it had said all.
        var fields = new IdentityHashMap<byte[], byte[]>();
        fields.put(bytes("settings"), bytes(text));
        fields.put(bytes("at"), bytes(now.toEpochMilli()));
        fields.put(bytes("seeds"), bytes(Integer.toString(seeds.size())));
        for (var i = 0; i < seeds.size(); i++) {
            fields.put(bytes("seed:" + i), bytes(seeds.get(i)));
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
        return job;
    }

    /** Every job, in the order in which they came. */
    public List<Job> jobs() throws IOException {
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
                        Instant.ofEpochMilli(Long.parseLong(fields.getOrDefault("at", "0")))));
    }

    /** A worker begins with a job; false when it is not queued. */
    public boolean begin(JobId job) throws IOException {
        return change(job, Job.State.RUNNING, Job.State.QUEUED);
    }

    /** Nothing of a job is handed out from now on; what workers hold they finish. */
    public boolean pause(JobId job) throws IOException {
        return change(job, Job.State.PAUSED, Job.State.QUEUED, Job.State.RUNNING)
                && everywhere(job, true);
    }

    /** A paused job goes on. */
    public boolean resume(JobId job) throws IOException {
        return change(job, Job.State.RUNNING, Job.State.PAUSED) && everywhere(job, false);
    }

    /** Ends a job for good; what it has stays to be looked at. */
    public boolean stop(JobId job) throws IOException {
        return change(job, Job.State.STOPPED, Job.State.QUEUED, Job.State.RUNNING, Job.State.PAUSED)
                && everywhere(job, true);
    }

    /** A job has come to its end. */
    public boolean finish(JobId job) throws IOException {
        return change(job, Job.State.FINISHED, Job.State.RUNNING) && everywhere(job, true);
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
        var _ = everywhere(job, false);
        return link.ask(redis -> redis.del(jobKey(job))) > 0;
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

    private boolean change(JobId job, Job.State to, Job.State... from) throws IOException {
        var args = new ArrayList<byte[]>();
        args.add(bytes(to.word()));
        for (var state : from) {
            args.add(bytes(state.word()));
        }
        return string(link.one(new RedisLink.Call(Script.STATE, string(jobKey(job)), args)))
                .equals("1");
    }

    /** Tells every shard to hand out nothing of a job, or to do so again. */
    private boolean everywhere(JobId job, boolean paused) throws IOException {
        for (var shard : shards.all()) {
            var set = bytes(string(shard.key) + ":paused");
            var member = bytes(job.number());
            var _ = link.ask(redis -> paused ? redis.sadd(set, member) : redis.srem(set, member));
        }
        return true;
    }

    /** The workers that were heard of lately, by name. */
    public List<Worker> workers() throws IOException {
        return link.ask(redis -> redis.hgetall(key("workers"))).entrySet().stream()
                .map(each -> Worker.of(string(each.getKey()), string(each.getValue())))
                .sorted(Comparator.comparing(Worker::name))
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
     */
    public record Figures(FrontierStats.Hosts hosts, Map<JobId, FrontierStats> jobs) {

        /** Keeps the parts unchangeable. */
        public Figures {
            jobs = Map.copyOf(jobs);
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
        return new Figures(hosts, jobs);
    }

    private Views views(Instant now) {
        var questions =
                shards.all().stream()
                        .map(shard -> Shards.question(shard.number, Script.VIEW))
                        .toList();
        // Whoever only looks tells no time: a clock that is ahead would set the fleet's.
        return Views.of(shards.ask(questions, 0), now.toEpochMilli());
    }

    /** How many bytes Redis uses, on all its servers. */
    public long memoryUsed() throws IOException {
        return link.infos("memory").stream()
                .mapToLong(info -> Long.parseLong(RedisLink.field(info, "used_memory")))
                .sum();
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
