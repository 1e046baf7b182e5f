package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;

import dev.orbweaver.internal.directory.SharedRevisits;
import dev.orbweaver.internal.engine.UrlHashes;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.ChangeGuard;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.CrawlHooks;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.DeferredLinks;
import dev.orbweaver.internal.frontier.EventLog;
import dev.orbweaver.internal.frontier.ForeignSetting;
import dev.orbweaver.internal.frontier.FrontierAdmin;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.frontier.HostPoliteness;
import dev.orbweaver.internal.frontier.IntakeLimits;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.NextWork;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.frontier.SeedBatch;
import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.internal.frontier.UrlLookup;
import dev.orbweaver.internal.frontier.UrlState;
import dev.orbweaver.internal.revisit.RevisitBudget;
import dev.orbweaver.internal.revisit.RevisitExplanation;
import dev.orbweaver.internal.revisit.RevisitSettings;
import dev.orbweaver.internal.revisit.SharedPages;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * One worker's view of a fleet's frontier.
 *
 * <p>{@link ClaimedHosts} makes the decisions about the hosts that this worker has claimed, the
 * shards about unclaimed ones. A call returns when Redis has its changes. If Redis is unreachable,
 * the call still takes effect, as with a full disk: its changes wait in {@link Shards}, and {@link
 * #flush} sends them. One lock serialises the calls to Redis, so that changes arrive in their
 * order.
 */
public final class RedisFrontier implements FrontierAdmin {

    private final WorkerState worker;
    private final FleetFigures figures;
    private final WorkerLeases leases;
    private final FleetJobAdmin jobs;
    private final WorkerRegistry registry;
    private static final Logger LOG = LoggerFactory.getLogger(RedisFrontier.class);

    /**
     * Changes that were not sent when a call failed half way are never sent: the claims expire
     * instead.
     */
    private final ChangeGuard guard = new ChangeGuard(() -> {});

    private RedisFrontier(
            FleetSettings settings,
            FleetCompatibility.Identity identity,
            RedisConnection link,
            Politeness politeness,
            Overflow.OverflowTimings overflowTimings,
            Consumer<Overflow.Step> witness,
            UnaryOperator<EventLog> log,
            Optional<InstantSource> clock,
            Instant now)
            throws IOException {
        var seen = new SeenCache(settings.seenCache());
        this.worker =
                new WorkerState(
                        settings,
                        identity.fingerprintKey(),
                        link,
                        politeness,
                        overflowTimings,
                        witness,
                        log,
                        seen,
                        now);
        this.figures = new FleetFigures(worker);
        this.leases = new WorkerLeases(worker, figures, seen, clock);
        this.jobs = new FleetJobAdmin(worker, leases);
        this.registry = new WorkerRegistry(worker, identity.incarnation());
    }

    /**
     * Joins a fleet, or creates one, as a worker that sends requests.
     *
     * @param clock the fleet's time, by which leases of gates are renewed
     */
    public static RedisFrontier open(
            FleetSettings settings, Politeness politeness, InstantSource clock) throws IOException {
        var usual = Overflow.OverflowTimings.DEFAULT;
        return open(
                settings,
                politeness,
                usual,
                _ -> {},
                UnaryOperator.identity(),
                Optional.of(clock),
                clock.instant());
    }

    /** Joins a fleet, or creates one. */
    public static RedisFrontier open(FleetSettings settings, Politeness politeness, Instant now)
            throws IOException {
        return open(settings, politeness, Overflow.OverflowTimings.DEFAULT, _ -> {}, now);
    }

    static RedisFrontier open(
            FleetSettings settings,
            Politeness politeness,
            Overflow.OverflowTimings overflowTimings,
            Consumer<Overflow.Step> witness,
            Instant now)
            throws IOException {
        return open(settings, politeness, overflowTimings, witness, UnaryOperator.identity(), now);
    }

    static RedisFrontier open(
            FleetSettings settings,
            Politeness politeness,
            Overflow.OverflowTimings overflowTimings,
            Consumer<Overflow.Step> witness,
            UnaryOperator<EventLog> log,
            Instant now)
            throws IOException {
        return open(settings, politeness, overflowTimings, witness, log, Optional.empty(), now);
    }

    private static RedisFrontier open(
            FleetSettings settings,
            Politeness politeness,
            Overflow.OverflowTimings overflowTimings,
            Consumer<Overflow.Step> witness,
            UnaryOperator<EventLog> log,
            Optional<InstantSource> clock,
            Instant now)
            throws IOException {
        var link = RedisConnection.open(settings.uri(), settings.timeout());
        try {
            var identity = FleetCompatibility.identify(link, settings);
            return new RedisFrontier(
                    settings,
                    identity,
                    link,
                    politeness,
                    overflowTimings,
                    witness,
                    log,
                    clock,
                    now);
        } catch (IOException | RuntimeException e) {
            link.close();
            throw e;
        }
    }

    /**
     * Returns the number of this worker, which identifies the lines of its log. A crawl reads it
     * before its first page.
     */
    public int number() throws IOException {
        return worker.number.get();
    }

    static byte[] fleetKey(FleetSettings settings, String name) {
        return bytes("ow:{" + settings.fleet() + "}:" + name);
    }

    synchronized void spillAll() throws IOException {
        worker.spillAll();
    }

    @Override
    public CrawlFrontier job(JobId job) {
        return new RedisJob(this, job);
    }

    public FingerprintKey fingerprintKey() {
        return worker.key;
    }

    synchronized CommitStatus offer(JobId job, List<Candidate> candidates, Instant now) {
        return guard.change(() -> jobs.offer(job, candidates, now));
    }

    synchronized CommitStatus offerSeeds(JobId job, SeedBatch batch, Instant now) {
        return guard.change(() -> jobs.offerSeeds(job, batch, now));
    }

    /** Makes this worker decide when pages of a job are visited again. */
    public synchronized void planRevisits(
            JobId job, SharedPages pages, SharedRevisits.PageWeight weight) {
        worker.claimedHosts.planners.put(
                job.number(), new RevisitPlanner(pages, weight, worker.key));
    }

    /** Takes no lock, because it is called for every settlement. */
    boolean plansRevisits(JobId job) {
        return worker.claimedHosts.planners.containsKey(job.number());
    }

    /** Explains when a page is visited again; empty if it is not waiting for that. */
    public synchronized Optional<RevisitExplanation> explainRevisit(
            JobId job, CrawlUrl url, RevisitSettings plan, Instant now) throws IOException {
        var found =
                ShardUrlReader.find(
                                worker.shards,
                                worker.spillLoader,
                                worker.settings,
                                job,
                                url,
                                worker.latestTime)
                        .scheduled();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        var budget = new RevisitBudget(plan);
        RevisitDuty.stored(worker.connection, worker.settings, job).ifPresent(budget::read);
        var page = found.get().page();
        var hashes = UrlHashes.of(page.url().url().url(), worker.key);
        return Optional.of(
                new SharedPages(plan, budget::lambda)
                        .explain(
                                KnownPage.policy(page.url().url().memo().state()),
                                hashes.url(),
                                hashes.pattern(),
                                found.get().rates(),
                                Optional.of(page.due()),
                                now));
    }

    /** Returns the duty to queue the due pages of a job. */
    public RevisitDuty revisitDuty(JobId job, String holder) {
        return new RevisitDuty(this, worker, job, holder);
    }

    /** Queues due pages; see {@link ShardRequest.QueueRevisits}. */
    synchronized List<ShardRequest.QueuedRevisits> queueRevisits(
            List<ShardRequest.QueueRevisits> requests, Instant now) {
        guard.check();
        var _ = worker.monotonic(now);
        var replies = worker.shards.query(requests, worker.latestTime);
        for (var i = 0; i < replies.size(); i++) {
            if (replies.get(i).queued() > 0) {
                worker.shards.get(requests.get(i).shard()).markReady(worker.latestTime);
            }
        }
        return replies;
    }

    /** Returns how many pages a job has that are due later, and how many are queued again. */
    synchronized RevisitCounts revisitCounts(JobId job) {
        guard.check();
        return figures.revisitCounts(job);
    }

    synchronized List<SeedPosition> seedPositions(JobId job) {
        guard.check();
        return SeedLists.positions(worker.connection, worker.shards, job.number());
    }

    synchronized List<String> seedHosts(JobId job, long from) {
        guard.check();
        return worker.seeds.hosts(job, from);
    }

    synchronized List<Lease> lease(int max, Instant now) {
        return guard.change(() -> leases.lease(max, Optional.empty(), now));
    }

    @Override
    public synchronized List<Lease> lease(int max, Map<JobId, Integer> wanted, Instant now) {
        return guard.change(() -> leases.lease(max, Optional.of(new HashMap<>(wanted)), now));
    }

    synchronized Optional<Instant> passGates(
            Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        return guard.change(() -> leases.passGates(lease, url, address, now));
    }

    synchronized void attach(JobId job, CrawlHooks hooks) {
        guard.run(() -> leases.attach(job, hooks));
    }

    synchronized void detach(JobId job) {
        worker.claimedHosts.planners.remove(job.number());
        leases.detach(job);
    }

    /**
     * Records that a request is being sent. Takes no lock that is held during calls of Redis,
     * because it is called on the path that sends requests.
     */
    void sent(Lease lease, Instant now) {
        leases.sent(lease, now);
    }

    synchronized CommitStatus extend(Lease lease, Instant deadline) {
        return guard.change(() -> leases.extend(lease, deadline));
    }

    synchronized CommitStatus release(Lease lease, ReleaseReason why, Instant now) {
        return guard.change(() -> leases.release(lease, why, now));
    }

    synchronized CommitStatus settle(CommitBatch commitBatch, Instant now) {
        return guard.change(() -> leases.settle(commitBatch, now));
    }

    synchronized CommitStatus stage(CommitBatch commitBatch, Instant now) {
        return guard.change(() -> leases.stage(commitBatch, now));
    }

    synchronized CommitStatus storeStaged(boolean force, Instant now) {
        return guard.change(() -> leases.storeStaged(force, now));
    }

    synchronized CommitStatus raiseCrawlDelay(String host, Duration delay) {
        return guard.change(() -> worker.crawlDelays.raise(host, delay));
    }

    @Override
    public synchronized void setWeight(JobId job, int weight) {
        guard.run(() -> jobs.setWeight(job, weight));
    }

    @Override
    public synchronized void setPoliteness(JobId job, Politeness politeness, Instant now) {
        guard.run(() -> jobs.setPoliteness(job, politeness, now));
    }

    @Override
    public synchronized void setActive(Collection<JobId> some, boolean active) {
        guard.run(() -> leases.setActive(some, active));
    }

    @Override
    public synchronized void setIntakeLimits(JobId job, IntakeLimits limits) {
        guard.run(() -> jobs.setIntakeLimits(job, limits));
    }

    @Override
    public synchronized CommitStatus exclude(JobId job, HostSet hosts, Instant now) {
        return guard.change(() -> jobs.exclude(job, hosts, now));
    }

    /** Records the last requests that another program made to hosts of a job's seed lists. */
    public synchronized CommitStatus requestedElsewhere(
            JobId job, Map<String, Instant> lastRequests, Instant now) {
        return guard.change(() -> jobs.requestedElsewhere(job, lastRequests, now));
    }

    @Override
    public synchronized CommitStatus deleteJob(JobId job, Instant now) {
        return guard.change(() -> jobs.deleteJob(job, now));
    }

    @Override
    public synchronized Requeued requeueDeadLetters(
            JobId job, Predicate<DeadLetter> which, Instant now) {
        return guard.change(() -> jobs.requeueDeadLetters(job, which, now));
    }

    synchronized CommitStatus flush() {
        return guard.change(worker::flush);
    }

    synchronized CommitStatus offerDeferred(
            JobId job,
            long capture,
            List<Candidate> found,
            Map<Refusal, Integer> refused,
            Instant now) {
        return guard.change(
                () ->
                        jobs.offerDeferred(
                                job, capture, figures.deferredLinks(job), found, refused, now));
    }

    synchronized DeferredLinks deferredLinks(JobId job) {
        guard.check();
        return figures.deferredLinks(job);
    }

    synchronized long queuedBytes() {
        guard.check();
        return figures.queuedBytes();
    }

    @Override
    public synchronized boolean isExhausted(JobId job) {
        guard.check();
        return figures.isExhausted(job);
    }

    @Override
    public synchronized NextWork nextWork(Instant now) {
        return guard.change(() -> figures.nextWork(now));
    }

    /**
     * Looks up a URL from a process that has not claimed its host.
     *
     * @param refused the number of refused URLs of the job, by reason
     */
    public synchronized UrlLookup lookUp(JobId job, CrawlUrl url, Map<Refusal, Long> refused) {
        var letter =
                ShardUrlReader.find(
                        worker.shards,
                        worker.spillLoader,
                        worker.settings,
                        job,
                        url,
                        worker.latestTime);
        return new UrlLookup(
                letter.state(),
                letter.url()
                        .map(
                                it ->
                                        new UrlLookup.Discovery(
                                                it.url().url(),
                                                it.url().hop(),
                                                it.url().depth(),
                                                it.url().parent(),
                                                Instant.ofEpochMilli(it.url().foundAt()))),
                worker.seeds.of(job),
                List.of(),
                refused,
                Set.of());
    }

    @Override
    public synchronized UrlState explain(JobId job, CrawlUrl url) {
        guard.check();
        return worker.claimedHosts.url(new UrlId(job.number(), url.key()), url.host()).isPresent()
                ? worker.claimedHosts.local.explain(job, url)
                : ShardUrlReader.find(
                                worker.shards,
                                worker.spillLoader,
                                worker.settings,
                                job,
                                url,
                                worker.latestTime)
                        .state();
    }

    synchronized List<CrawlUrl> seeds(JobId job) {
        guard.check();
        return worker.seeds.of(job);
    }

    synchronized List<CrawlUrl> seedsFrom(JobId job, int position) {
        guard.check();
        return worker.seeds.from(job, position);
    }

    @Override
    public synchronized List<CommittedLength> committedLengths() {
        guard.check();
        return worker.lengths.all();
    }

    @Override
    public synchronized Ledger ledger() {
        guard.check();
        return figures.ledger();
    }

    @Override
    public synchronized long leased() {
        guard.check();
        return worker.claimedHosts.local.leased();
    }

    synchronized Ledger ledger(JobId job) {
        guard.check();
        return figures.ledger(job);
    }

    @Override
    public synchronized FrontierStats stats() {
        guard.check();
        return figures.stats();
    }

    @Override
    public synchronized FrontierStats stats(JobId job) {
        guard.check();
        return figures.stats(job);
    }

    /** Returns whether this worker crawls a job, so that it knows the settings of the job. */
    public boolean isAttached(JobId job) {
        return leases.isAttached(job);
    }

    /** Returns the politeness on a host beside the jobs that this worker crawls. */
    @Override
    public synchronized HostPoliteness politeness(JobId job, String host) {
        guard.check();
        return worker.claimedHosts.local.politeness(job, host);
    }

    @Override
    public synchronized List<ForeignSetting> foreignSettings(JobId job) {
        guard.check();
        return worker.claimedHosts.local.foreignSettings(job);
    }

    @Override
    public synchronized JobHosts hosts(JobId job, int max, Instant now) {
        return guard.change(() -> figures.hosts(job, max, now));
    }

    /**
     * Passes the dead letters of a job from all workers; changes nothing.
     *
     * @return how many were omitted because they became dead letters while they were in files
     */
    public long deadLetters(JobId job, Consumer<DeadLetter> out) throws IOException {
        var packed = 0L;
        for (var shard : worker.shards.all()) {
            packed += ShardUrlReader.deadLetters(worker.connection, shard, job.number(), out);
        }
        return packed;
    }

    @Override
    public synchronized Optional<Instant> nextDue(Instant now) {
        return guard.change(() -> figures.nextDue(now));
    }

    /**
     * Sends a heartbeat with this worker's activity and its number of hosts; removes workers
     * without a recent one.
     *
     * @param crawling whether the worker crawls the fleet's jobs, so that it takes its share of the
     *     hosts
     * @return the version of the fleet's jobs, as {@link Fleet#jobsVersion}
     */
    public synchronized String heartbeat(String activity, boolean crawling, Instant now)
            throws RedisDataLostException {
        guard.check();
        return registry.heartbeat(activity, crawling, now);
    }

    public synchronized long spilledUrls(JobId job) {
        return figures.spilledUrls(job);
    }

    public long roundTrips() {
        return worker.connection.roundTrips();
    }

    /** Stops writing to Redis, which no longer has the fleet that this worker joined. */
    public void abandon() {
        leases.close();
        worker.connection.close();
    }

    /**
     * Leaves the fleet: every host is released; hosts with outstanding leases start their delay
     * again. After a failure nothing is sent, because the pending changes may be half of a
     * settlement; the claims expire after the host lease, like those of a killed process.
     */
    @Override
    public synchronized void close() {
        if (guard.hasFailed()) {
            leases.close();
            worker.connection.close();
            return;
        }
        var now = Instant.ofEpochMilli(worker.latestTime);
        try {
            var _ = worker.sendChanges(now); // Links before the hosts whose pages contain them.
            worker.shards.queue(
                    worker.claimedHosts.commitCalls(
                            List.copyOf(worker.claimedHosts.all()),
                            ClaimedHosts.ReleaseMode.ALL,
                            now));
            if (worker.shards.flush(worker.latestTime)
                    instanceof CommitStatus.Pending(var problem)) {
                LOG.warn(
                        "could not release claimed hosts on shutdown; they expire after the host"
                                + " lease: {}",
                        problem);
                return;
            }
            registry.leave();
        } catch (FrontierUnavailableException e) {
            LOG.warn(
                    "could not remove this worker from the fleet's list; it expires: {}",
                    e.getMessage());
        } finally {
            leases.close();
            worker.connection.close();
        }
    }
}
