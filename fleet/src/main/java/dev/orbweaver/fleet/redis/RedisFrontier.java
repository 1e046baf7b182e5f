package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.AcceptedUrl;
import dev.orbweaver.fleet.redis.ScriptConstants.Counter;
import dev.orbweaver.fleet.redis.ScriptConstants.CounterGroup;
import dev.orbweaver.fleet.redis.ScriptConstants.ShardKey;
import dev.orbweaver.internal.frontier.AdmissionHook;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.ChangeGuard;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.CrawlHooks;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.DeferredLinks;
import dev.orbweaver.internal.frontier.EventLog;
import dev.orbweaver.internal.frontier.FrontierAdmin;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.frontier.IntakeLimits;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Ledger;
import dev.orbweaver.internal.frontier.NextWork;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.UrlLookup;
import dev.orbweaver.internal.frontier.UrlState;
import dev.orbweaver.internal.frontier.WorkbenchFrontier;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * One worker's view of a fleet's frontier.
 *
 * <p>What this worker holds is decided in {@link ClaimedHosts}; what nobody holds, in the shards. A
 * call here does its part in both and returns when Redis has it. If Redis cannot be reached the
 * call has been made all the same, as with a disk that is full: its errands wait in {@link Shards},
 * and {@link #flush} runs them. One lock makes this one caller to Redis, so that errands arrive in
 * the order in which they were given.
 *
 * <p>Time only goes forward: a worker's clock is Redis's ({@link FleetClock}), and an older time
 * than the last is taken for that one.
 */
public final class RedisFrontier implements FrontierAdmin {

    private static final Logger LOG = LoggerFactory.getLogger(RedisFrontier.class);

    /** When to ask again for something that nobody knows the time of. */
    private static final long RETRY_MILLIS = 100;

    /** How often all that is held is looked through. */
    private static final long MAINTENANCE_MILLIS = 1000;

    private static final int HOSTS_AT_ONCE = 500;
    private static final int RENEWALS_PER_LEASE = 3;

    private final FleetSettings settings;
    private final FingerprintKey key;
    private final WorkerNumber number;
    private final JobSeeds seeds;
    private final RedisConnection connection;
    private final Shards shards;
    private final ClaimedHosts claimedHosts;
    private final HostClaimer hostClaimer;
    private final Offers offers;
    private final JobQuotas jobQuotas;
    private final PageQuotas quotas;
    private final Optional<Overflow> overflow;
    private final SpillLoader spillLoader;
    private final FleetGates gates;
    private final GateLeaseRenewer gateLeases;
    private final Map<Integer, Consumer<Lease>> abortListeners = new ConcurrentHashMap<>();

    /** By host; what robots.txt files asked for and Redis does not have yet. */
    private final Map<String, Duration> unsentDelays = new HashMap<>();

    private final Map<String, CommittedLength> committedLengths = new LinkedHashMap<>();

    /**
     * Whatever was not sent when a call failed half way is never sent: the hosts expire instead.
     */
    private final ChangeGuard guard = new ChangeGuard(() -> {});

    private long latestTime;

    /** What the whole fleet looked like a moment ago, for questions that are asked often. */
    private Optional<FleetSnapshot> cachedSnapshot = Optional.empty();

    private long cachedAt;
    private long maintainedAt;

    private RedisFrontier(
            FleetSettings settings,
            FingerprintKey key,
            RedisConnection link,
            Politeness politeness,
            Overflow.OverflowTimings overflowTimings,
            Consumer<Overflow.Step> witness,
            UnaryOperator<EventLog> log,
            Optional<InstantSource> clock,
            Instant now)
            throws IOException {
        this.settings = settings;
        this.connection = link;
        this.key = key;
        this.shards = new Shards(link, settings, key);
        this.claimedHosts = new ClaimedHosts(shards, settings, politeness, log, now);
        this.overflow =
                settings.overflowStore() instanceof OverflowStore.InFiles place
                        ? Optional.of(
                                new Overflow(
                                        link, shards, settings, place, overflowTimings, witness))
                        : Optional.empty();
        this.spillLoader =
                overflow.map(each -> each.spillLoader)
                        .orElseGet(() -> new SpillLoader(shards, OverflowFiles.NONE, witness));
        this.hostClaimer = new HostClaimer(shards, claimedHosts, settings, spillLoader);
        var seen = new SeenCache(settings.seenCache());
        this.number = new WorkerNumber(link, settings);
        this.seeds = new JobSeeds(link, settings);
        this.offers = new Offers(shards, number::current, seen, this::onOfferReply);
        this.jobQuotas = new JobQuotas(link, shards, settings, offers);
        shards.beforeFlush(jobQuotas::reserve);
        this.quotas = new PageQuotas(link, settings);
        this.gates = new FleetGates(link, settings, claimedHosts.local::sharedPoliteness);
        this.gateLeases =
                new GateLeaseRenewer(
                        gates.gateLease,
                        clock.orElse(() -> Instant.ofEpochMilli(latestTime)),
                        gates::renew,
                        lease ->
                                abortListeners
                                        .getOrDefault(lease.job().number(), _ -> {})
                                        .accept(lease));
        shards.onServerRestart(
                () -> {
                    seen.clear(); // What it forgot is not to be called known here.
                    gates.onServerRestart();
                });
        this.latestTime = now.toEpochMilli();
        hostClaimer.setPoliteness(politeness);
        link.execute(redis -> redis.hgetall(lengthsKey()))
                .forEach(
                        (name, mark) ->
                                committedLengths.put(
                                        string(name), committedLength(string(name), string(mark))));
    }

    /**
     * Joins a fleet, or begins one, as a worker that sends requests.
     *
     * @param clock the fleet's time, by which loans of gates are renewed meanwhile
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

    /** Joins a fleet, or begins one. */
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
            var key = FleetCompatibility.identify(link, settings).fingerprintKey();
            return new RedisFrontier(
                    settings, key, link, politeness, overflowTimings, witness, log, clock, now);
        } catch (IOException | RuntimeException e) {
            link.close();
            throw e;
        }
    }

    /**
     * The number of this worker, by which others name the lines of its log. Whoever crawls asks for
     * it before the first page.
     */
    public int number() throws IOException {
        return number.get();
    }

    private byte[] lengthsKey() {
        return fleetKey("marks:" + settings.worker());
    }

    private byte[] fleetKey(String name) {
        return bytes("ow:{" + settings.fleet() + "}:" + name);
    }

    private long advanceClock(Instant now) {
        latestTime = Math.max(latestTime, now.toEpochMilli());
        return latestTime;
    }

    private Instant monotonic(Instant now) {
        return now.toEpochMilli() < advanceClock(now) ? Instant.ofEpochMilli(latestTime) : now;
    }

    /** Redis answered an offer: a seed is noted as one, and a host that is held has more now. */
    private void onOfferReply(QueuedUrl url, boolean taken) {
        var facts = url.url();
        if (taken) {
            claimedHosts
                    .find(facts.url().host())
                    .ifPresent(mine -> mine.jobsWithMore.add(facts.job()));
            overflow.ifPresent(each -> each.offered(1));
            shards.get(shards.shardOf(facts.url().host())).markReady(latestTime);
        }
    }

    /** Sends every change of claimed hosts to its shard. */
    private CommitStatus sendChanges(Instant now) {
        CommitStatus status;
        do {
            shards.queue(claimedHosts.commitCalls(now));
            status = shards.flush(latestTime);
        } while (status.isStored() && claimedHosts.hasChanges());
        return status;
    }

    private CommitStatus sendOffers() {
        shards.queue(offers.takeCalls());
        var status = seeds.flush();
        return status.isStored() ? shards.flush(latestTime) : status;
    }

    /** Renews claims, and releases hosts that were held for long enough. */
    private CommitStatus runMaintenance(Instant now) {
        var lease = settings.hostLease().toMillis();
        if (latestTime - maintainedAt < Math.min(MAINTENANCE_MILLIS, lease / 10)) {
            return CommitStatus.durable();
        }
        maintainedAt = latestTime;
        var back = new ArrayList<ClaimedHost>();
        for (var mine : List.copyOf(claimedHosts.all())) {
            var claimState = claimedHosts.local.claimState(mine.host).orElseThrow();
            var far = Math.max(claimState.delayedUntil(), claimState.host().restUntil());
            if (claimState.leased() == 0
                    && (latestTime - mine.claimedAt > lease || far > latestTime + lease)) {
                back.add(mine);
            } else if (latestTime - mine.renewedAt > lease / RENEWALS_PER_LEASE) {
                mine.markChanged();
            }
        }
        if (!back.isEmpty()) {
            back.forEach(mine -> shards.get(shards.shardOf(mine.host)).markReady(latestTime));
            shards.queue(claimedHosts.commitCalls(back, ClaimedHosts.ReleaseMode.IDLE, now));
        }
        if (!back.isEmpty() || claimedHosts.hasChanges()) {
            var status = sendChanges(now);
            if (!status.isStored()) {
                return status;
            }
        }
        overflow.ifPresent(each -> each.runMaintenance(latestTime));
        return CommitStatus.durable();
    }

    /** Moves all that is queued and not claimed into files. */
    synchronized void spillAll() throws IOException {
        if (overflow.isPresent()) {
            overflow.get().spillAll(latestTime);
        }
    }

    @Override
    public CrawlFrontier job(JobId job) {
        return new RedisJob(this, job);
    }

    public FingerprintKey fingerprintKey() {
        return key;
    }

    synchronized CommitStatus offer(JobId job, List<Candidate> candidates, Instant now) {
        return guard.change(
                () -> {
                    var _ = advanceClock(now);
                    var some = overflow.map(Overflow::maxOfferBatch).orElse(Integer.MAX_VALUE);
                    for (var from = 0; from < candidates.size(); from += some) {
                        var to = (int) Math.min((long) from + some, candidates.size());
                        addOffers(job.number(), candidates.subList(from, to), 0);
                    }
                    var status = sendOffers();
                    if (status.isStored()) {
                        overflow.ifPresent(each -> each.runMaintenance(latestTime));
                    }
                    return status;
                });
    }

    private void addOffers(int job, List<Candidate> candidates, long parent) {
        seeds.collect(job, candidates);
        if (JobQuotas.isLimited(offers.limits(job))) {
            jobQuotas.enqueue(job, candidates, parent);
        } else {
            offers.add(job, candidates, parent, latestTime);
        }
        if (overflow.isPresent() && offers.size() >= overflow.get().maxOfferBatch()) {
            flushOffers(overflow.get());
        }
    }

    /** Sends what was found so far, and has room made for what follows. */
    private void flushOffers(Overflow room) {
        var _ = sendOffers(); // What is pending is reported when all is offered.
        room.runMaintenance(latestTime);
    }

    private <T> T query(
            Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends Future<T>> command) {
        try {
            return connection.execute(command);
        } catch (IOException e) {
            throw RedisUnavailableException.ofFrontier(e);
        }
    }

    /** Leases for all jobs, of each as much as there is. */
    synchronized List<Lease> lease(int max, Instant now) {
        return guard.change(() -> lease(max, Optional.empty(), now));
    }

    @Override
    public synchronized List<Lease> lease(int max, Map<JobId, Integer> wanted, Instant now) {
        return guard.change(() -> lease(max, Optional.of(new HashMap<>(wanted)), now));
    }

    private List<Lease> lease(int max, Optional<Map<JobId, Integer>> wanted, Instant now) {
        var time = monotonic(now);
        if (!flush().isStored() || !runMaintenance(time).isStored()) {
            return List.of();
        }
        var leases = new ArrayList<Lease>();
        try {
            if (wanted.isPresent()) {
                quotas.restrict(wanted.get(), this::pages, claimedHosts::leased, latestTime);
            }
            leases.addAll(leaseLocally(max, wanted, time));
            if (leases.size() < max) {
                hostClaimer.refill(time, latestTime);
                leases.addAll(leaseLocally(max - leases.size(), wanted, time));
            }
            // What was claimed for one job may turn out to have nothing for it but for another.
            for (var got = 1; leases.size() < max && got > 0; ) {
                var jobs = wanted.map(RedisFrontier::wantedJobs);
                got =
                        jobs.isPresent() && jobs.get().isEmpty()
                                ? 0
                                : hostClaimer.claim(max - leases.size(), jobs, latestTime);
                leases.addAll(leaseLocally(max - leases.size(), wanted, time));
            }
            if (claimedHosts.hasChanges()) {
                var _ = sendChanges(time); // Leases that expired.
            }
            return leases;
        } catch (FrontierUnavailableException e) {
            LOG.warn("no more is leased: {}", e.getMessage());
            return leases; // These are out, whatever else could not be asked.
        } catch (IOException e) {
            LOG.warn("how many pages may still be leased cannot be asked: {}", e.getMessage());
            return leases;
        }
    }

    private long pages(int job) {
        return FleetSnapshot.ledger(snapshot().jobCounters(job), 0).pages();
    }

    private static Set<Integer> wantedJobs(Map<JobId, Integer> wanted) {
        var jobs = new TreeSet<Integer>();
        wanted.forEach(
                (job, count) -> {
                    if (count > 0) {
                        jobs.add(job.number());
                    }
                });
        return jobs;
    }

    private List<Lease> leaseLocally(int max, Optional<Map<JobId, Integer>> wanted, Instant now) {
        var leases =
                wanted.isPresent()
                        ? claimedHosts.local.lease(max, wanted.get(), now)
                        : claimedHosts.local.lease(max, now);
        var own = new ArrayList<Lease>(leases.size());
        for (var lease : leases) {
            claimedHosts.recordLease(lease);
            quotas.countLease(lease.job().number());
            wanted.ifPresent(left -> left.merge(lease.job(), -1, Integer::sum));
            own.add(
                    lease.parent().worker() == number.current()
                            ? lease.withParent(CaptureRef.ofLine(lease.parent().line()))
                            : lease);
        }
        return own;
    }

    /** As {@link CrawlFrontier#passGates}. */
    synchronized Optional<Instant> passGates(
            Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        return guard.change(
                () -> {
                    var time = monotonic(now);
                    if (!flush().isStored() || !claimedHosts.isOutstanding(lease)) {
                        return Optional.of(time.plusMillis(RETRY_MILLIS));
                    }
                    if (claimedHosts
                            .find(lease.url().host())
                            .filter(this::mayHaveExpired)
                            .isPresent()) {
                        // This process may have stood still: another worker may have the host by
                        // now.
                        claimedHosts.find(lease.url().host()).ifPresent(ClaimedHost::markChanged);
                        return Optional.of(time.plusMillis(RETRY_MILLIS));
                    }
                    try {
                        if (claimedHosts.find(url.host()).isEmpty()) {
                            var claim = hostClaimer.claimHost(url.host(), false, latestTime);
                            if (claim.host().isEmpty()) {
                                return Optional.of(Instant.ofEpochMilli(claim.retryAt()));
                            }
                            var _ = claimedHosts.addClaimed(claim.host().get(), latestTime);
                        }
                        var again = gates.take(url.host(), address, latestTime);
                        var closed =
                                again.isPresent()
                                        ? again.map(Instant::ofEpochMilli)
                                        : claimedHosts.local.passGates(lease, url, address, time);
                        claimedHosts
                                .find(url.host())
                                .filter(mine -> !mine.host.equals(lease.url().host()))
                                .filter(_ -> closed.isPresent())
                                .ifPresent(ClaimedHost::markChanged);
                        if (claimedHosts.hasChanges() && !sendChanges(time).isStored()) {
                            return Optional.of(time.plusMillis(RETRY_MILLIS));
                        }
                        if (closed.isEmpty()) {
                            trackGateLeases(lease, url, address);
                        }
                        return closed;
                    } catch (IOException e) {
                        LOG.warn("a gate cannot be asked: {}", e.getMessage());
                        return Optional.of(time.plusMillis(RETRY_MILLIS));
                    } catch (FrontierUnavailableException e) {
                        LOG.warn("a host cannot be asked for: {}", e.getMessage());
                        return Optional.of(time.plusMillis(RETRY_MILLIS));
                    }
                });
    }

    private void trackGateLeases(Lease lease, CrawlUrl url, InetAddress address) {
        var held = gates.inFlightLimited(url.host(), address);
        if (held.isEmpty()) {
            gateLeases.requestEnded(lease.token()); // Of a request before this one.
        } else {
            gateLeases.requestStarted(lease, held, gates.leasedUntil(held));
        }
    }

    synchronized void attach(JobId job, CrawlHooks hooks) {
        abortListeners.put(job.number(), hooks.revoked());
        quotas.setLimit(job.number(), hooks.maxPages());
        guard.run(() -> offers.setAdmissionHook(job.number(), hooks.admission()));
    }

    /** The frontier outlives the crawl and must not keep it in memory. */
    synchronized void detach(JobId job) {
        abortListeners.remove(job.number());
        if (!guard.hasFailed()) {
            offers.setAdmissionHook(job.number(), AdmissionHook.NONE);
        }
    }

    private boolean mayHaveExpired(ClaimedHost mine) {
        return latestTime - mine.renewedAt > settings.hostLease().toMillis() * 2 / 3;
    }

    /** Takes no lock that is held while Redis is asked: this is called where requests go out. */
    void sent(Lease lease, Instant now) {
        claimedHosts.local.sent(lease, now);
    }

    synchronized CommitStatus extend(Lease lease, Instant deadline) {
        return guard.change(() -> claimedHosts.local.extend(lease, deadline));
    }

    synchronized CommitStatus release(Lease lease, ReleaseReason why, Instant now) {
        return guard.change(
                () -> {
                    var time = monotonic(now);
                    gateLeases.requestEnded(lease.token());
                    if (!claimedHosts.isOutstanding(lease)) {
                        return new CommitStatus.Rejected(1);
                    }
                    var released = claimedHosts.local.release(lease, why, time);
                    var sent = sendChanges(time);
                    var refused = claimedHosts.takeRefused();
                    if (!sent.isStored()) {
                        return sent;
                    }
                    return refused == 0 ? released : new CommitStatus.Rejected(1);
                });
    }

    synchronized CommitStatus settle(CommitBatch commitBatch, Instant now) {
        return guard.change(
                () -> {
                    var time = monotonic(now);
                    var valid = new ArrayList<Settlement>();
                    var seen = new HashSet<Long>();
                    for (var settlement : commitBatch.settlements()) {
                        gateLeases.requestEnded(settlement.lease().token());
                        if (claimedHosts.isOutstanding(settlement.lease())
                                && seen.add(settlement.lease().token())) {
                            valid.add(settlement);
                        }
                    }
                    var offered = offerLinks(valid); // Links are sent before what depends on them.
                    var settled =
                            claimedHosts.local.settle(
                                    new CommitBatch(
                                            valid.stream().map(this::withoutLinks).toList(),
                                            List.of()),
                                    time);
                    if (!offered.isStored()) {
                        shards.queue(claimedHosts.commitCalls(time));
                        var _ = claimedHosts.takeRefused();
                        return offered;
                    }
                    var sent = sendChanges(time);
                    if (!sent.isStored()) {
                        return sent;
                    }
                    committedLength(commitBatch.committedLengths());
                    overflow.ifPresent(each -> each.runMaintenance(latestTime));
                    var refused = settled instanceof CommitStatus.Rejected(var leases) ? leases : 0;
                    return CommitStatus.ofRejected(
                            commitBatch.settlements().size()
                                    - valid.size()
                                    + refused
                                    + claimedHosts.takeRefused());
                });
    }

    private CommitStatus offerLinks(List<Settlement> settlements) {
        for (var settlement : settlements) {
            var job = settlement.lease().job().number();
            addOffers(job, settlement.outlinks(), settlement.capture());
            if (settlement.linksDeferred()) {
                offers.count(job, CounterGroup.DEFERRED.of(settings.worker()), 1);
            }
            if (settlement.outcome() instanceof Outcome.EquivalentRedirect(var url)
                    && !url.host().equals(settlement.lease().url().host())) {
                claimedHosts.markMoving(settlement.lease());
                moveToOtherHost(settlement.lease(), url);
            }
        }
        return sendOffers();
    }

    private void moveToOtherHost(Lease lease, CrawlUrl url) {
        var id = new UrlId(lease.job().number(), lease.url().key());
        var before = claimedHosts.url(id, lease.url().host()).orElseThrow();
        offers.addMoved(
                new QueuedUrl(before.url().redirectedTo(url), true, 0, before.expiredLeases(), 0));
    }

    /** What is left of a settlement when its links are with their shards. */
    private Settlement withoutLinks(Settlement settlement) {
        var lease = settlement.lease();
        settlement
                .refusedLinks()
                .forEach(
                        (why, count) ->
                                claimedHosts.count(lease, CounterGroup.refused(why), count));
        var elsewhere =
                settlement.outcome() instanceof Outcome.EquivalentRedirect(var url)
                        && !url.host().equals(lease.url().host());
        return Settlement.of(
                lease,
                elsewhere ? new Outcome.Withdrawn(Refusal.SCOPE) : settlement.outcome(),
                settlement.signal());
    }

    private static CommittedLength committedLength(String name, String text) {
        var space = text.indexOf(' ');
        return new CommittedLength(
                name,
                Long.parseLong(text.substring(0, space)),
                Integer.parseInt(text.substring(space + 1)));
    }

    private void committedLength(List<CommittedLength> files) {
        if (files.isEmpty()) {
            return;
        }
        var changed = new IdentityHashMap<byte[], byte[]>();
        for (var file : files) {
            committedLengths.put(file.name(), file);
            changed.put(bytes(file.name()), bytes(file.length() + " " + file.checksum()));
        }
        var _ = query(redis -> redis.hset(lengthsKey(), changed));
    }

    /** Raises the minimum delay of a host: other workers may have read a longer one. */
    synchronized CommitStatus raiseCrawlDelay(String host, Duration delay) {
        return guard.change(
                () -> {
                    if (delay.isPositive()) {
                        unsentDelays.merge(
                                host,
                                WorkbenchFrontier.clamp(delay),
                                (a, b) -> a.compareTo(b) > 0 ? a : b);
                    }
                    return flush();
                });
    }

    /** Each stays until it is sent. */
    private CommitStatus sendCrawlDelays() {
        var status = CommitStatus.durable();
        for (var left = unsentDelays.entrySet().iterator(); left.hasNext() && status.isStored(); ) {
            var next = left.next();
            status = setCrawlDelay(next.getKey(), next.getValue());
            left.remove();
        }
        return status;
    }

    private CommitStatus setCrawlDelay(String host, Duration delay) {
        var time = Instant.ofEpochMilli(latestTime);
        if (claimedHosts.find(host).isEmpty()) {
            var claim = hostClaimer.claimHost(host, true, latestTime);
            if (claim.host().isEmpty()) {
                sendCrawlDelay(host, delay);
                return CommitStatus.durable();
            }
            claimedHosts.addClaimed(claim.host().get(), latestTime).markChanged();
        }
        var local = claimedHosts.local.raiseCrawlDelay(host, delay);
        return claimedHosts.hasChanges() ? sendChanges(time) : local;
    }

    private void sendCrawlDelay(String host, Duration delay) {
        var shard = shards.shardOf(host);
        var _ =
                shards.query(
                        new ShardRequest.ReportCrawlDelay(shard, host, delay.toMillis()),
                        latestTime);
    }

    @Override
    public synchronized void setWeight(JobId job, int weight) {
        guard.run(
                () -> {
                    claimedHosts.local.setWeight(job, weight);
                    hostClaimer.setWeight(job.number(), weight);
                });
    }

    @Override
    public synchronized void setPoliteness(JobId job, Politeness politeness, Instant now) {
        guard.run(
                () -> {
                    claimedHosts.local.setPoliteness(job, politeness, monotonic(now));
                    hostClaimer.setPoliteness(politeness);
                });
    }

    @Override
    public synchronized void setIntakeLimits(JobId job, IntakeLimits limits) {
        guard.run(
                () -> {
                    offers.setLimits(job.number(), limits);
                    if (JobQuotas.isLimited(limits)) {
                        try {
                            jobQuotas.initialise(job.number());
                        } catch (IOException e) {
                            throw RedisUnavailableException.ofFrontier(e);
                        }
                    }
                });
    }

    @Override
    public synchronized CommitStatus exclude(JobId job, HostSet hosts, Instant now) {
        return guard.change(
                () -> {
                    var time = monotonic(now);
                    if (hosts.isEmpty() && !offers.hasExclusions(job.number())) {
                        // Others may have a list; this worker has none.
                        return CommitStatus.durable();
                    }
                    offers.exclude(job.number(), hosts);
                    var status = releaseIdleHosts(time);
                    var _ = claimedHosts.local.exclude(job, hosts, time);
                    for (var shard : shards.all()) {
                        var key = JobQuotas.acceptedKey(shard, job.number());
                        var in = new ArrayList<String>();
                        var out = new ArrayList<String>();
                        for (var host : query(redis -> redis.hkeys(key))) {
                            (hosts.contains(string(host)) ? out : in).add(string(host));
                        }
                        excludeInShard(shard, job, true, out);
                        excludeInShard(shard, job, false, in);
                        shard.markReady(latestTime);
                    }
                    return status;
                });
    }

    private void excludeInShard(Shards.Shard shard, JobId job, boolean out, List<String> hosts) {
        for (var from = 0; from < hosts.size(); from += HOSTS_AT_ONCE) {
            var some = hosts.subList(from, Math.min(from + HOSTS_AT_ONCE, hosts.size()));
            var _ =
                    shards.query(
                            new ShardRequest.Exclude(shard.number, job.number(), out, some),
                            latestTime);
        }
    }

    /** Gives back every host of which nothing is out. */
    private CommitStatus releaseIdleHosts(Instant now) {
        var idle =
                claimedHosts.all().stream()
                        .filter(
                                mine ->
                                        claimedHosts
                                                        .local
                                                        .claimState(mine.host)
                                                        .orElseThrow()
                                                        .leased()
                                                == 0)
                        .toList();
        idle.forEach(mine -> shards.get(shards.shardOf(mine.host)).markReady(latestTime));
        shards.queue(claimedHosts.commitCalls(idle, ClaimedHosts.ReleaseMode.IDLE, now));
        return sendChanges(now);
    }

    @Override
    public synchronized CommitStatus deleteJob(JobId job, Instant now) {
        return guard.change(
                () -> {
                    var time = monotonic(now);
                    var _ = releaseIdleHosts(time);
                    var _ = claimedHosts.local.deleteJob(job, time);
                    claimedHosts.removeJob(job.number());
                    offers.removeJob(job.number());
                    jobQuotas.removeJob(job.number());
                    quotas.removeJob(job.number());
                    abortListeners.remove(job.number());
                    for (var shard : shards.all()) {
                        var request =
                                new ShardRequest.DeleteJob(
                                        shard.number, job.number(), HOSTS_AT_ONCE);
                        while (shards.query(request, latestTime)) {
                            shard.markReady(latestTime);
                        }
                    }
                    var _ = query(redis -> redis.del(seeds.key(job.number())));
                    var _ = query(redis -> redis.del(jobQuotas.key(job.number())));
                    var _ =
                            query(
                                    redis ->
                                            redis.del(
                                                    bytes(
                                                            SharedJobCache.trapsKey(
                                                                    settings, job.number()))));
                    var _ = query(redis -> redis.del(PageQuotas.key(settings, job.number())));
                    return sendChanges(time);
                });
    }

    @Override
    public synchronized Requeued requeueDeadLetters(
            JobId job, Predicate<DeadLetter> which, Instant now) {
        return guard.change(
                () -> {
                    var time = monotonic(now);
                    var deadLetterRequeue =
                            new DeadLetterRequeue(
                                    connection,
                                    shards,
                                    claimedHosts,
                                    hostClaimer,
                                    spillLoader,
                                    job,
                                    which);
                    var urls =
                            deadLetterRequeue.run(
                                    () -> {
                                        var _ = releaseIdleHosts(time);
                                    },
                                    latestTime);
                    return new Requeued(urls, shards.flush(latestTime));
                });
    }

    /** As {@link CrawlFrontier#flush}. */
    synchronized CommitStatus flush() {
        return guard.change(
                () -> {
                    var status = sendPending();
                    if (status instanceof CommitStatus.Pending(var problem)
                            && !problem.unreachable()) {
                        // It may have no memory left, which moving URLs to files can change.
                        overflow.ifPresent(each -> each.reduceMemory(latestTime));
                    }
                    return status;
                });
    }

    private CommitStatus sendPending() {
        try {
            var status = seeds.flush();
            status = status.isStored() ? shards.flush(latestTime) : status;
            return status.isStored() ? sendCrawlDelays() : status;
        } catch (FrontierUnavailableException e) {
            return new CommitStatus.Pending(e.problem());
        }
    }

    synchronized CommitStatus offerDeferred(
            JobId job,
            long capture,
            List<Candidate> found,
            Map<Refusal, Integer> refused,
            Instant now) {
        return guard.change(
                () -> {
                    var _ = monotonic(now);
                    var before = deferredLinks(job);
                    offers.countRefused(job.number(), refused);
                    addOffers(job.number(), found, capture);
                    offers.count(job.number(), CounterGroup.DEFERRED.of(settings.worker()), -1);
                    offers.count(
                            job.number(),
                            CounterGroup.LAST_OFFERED.of(settings.worker()),
                            Math.max(0, capture - before.lastOfferedCapture()));
                    return sendOffers();
                });
    }

    synchronized DeferredLinks deferredLinks(JobId job) {
        guard.check();
        var deferred = CounterGroup.DEFERRED.of(settings.worker());
        if (!cachedSnapshot().jobCounters(job.number()).containsKey(deferred)) {
            return DeferredLinks.NONE;
        }
        var counters = snapshot().jobCounters(job.number());
        return new DeferredLinks(
                counters.getOrDefault(deferred, 0L),
                counters.getOrDefault(CounterGroup.LAST_OFFERED.of(settings.worker()), 0L));
    }

    synchronized long queuedBytes() {
        guard.check();
        return ledger().queued() * 100;
    }

    private FleetSnapshot snapshot() {
        var requests =
                shards.all().stream().map(shard -> new ShardRequest.View(shard.number)).toList();
        return FleetSnapshot.of(shards.query(requests, latestTime), latestTime);
    }

    /**
     * The same as it was a moment ago. While Redis is away this is what was seen last: whoever asks
     * for figures is not to fail for it.
     */
    private FleetSnapshot cachedSnapshot() {
        if (cachedSnapshot.isEmpty()
                || latestTime - cachedAt >= settings.maxStatsAge().toMillis()) {
            try {
                cachedSnapshot = Optional.of(snapshot());
            } catch (FrontierUnavailableException e) {
                if (cachedSnapshot.isEmpty()) {
                    throw e;
                }
                LOG.debug("the fleet is told of as it was: {}", e.getMessage());
            }
            cachedAt = latestTime;
        }
        return cachedSnapshot.get();
    }

    /**
     * Read one after another, shards do not show one moment: a page may be settled on the second
     * after the first was read, and its links with it. But what was accepted and what has ended
     * only ever grow. So what has ended is counted first and what was ever accepted second; when
     * these are the same, nothing was left at the moment between.
     */
    @Override
    public synchronized boolean isExhausted(JobId job) {
        guard.check();
        try {
            return hasNothingLeft(job);
        } catch (FrontierUnavailableException e) {
            LOG.debug("nobody can say whether anything is left", e);
            return false;
        }
    }

    private boolean hasNothingLeft(JobId job) {
        var seen = ledger(job);
        if (seen.queued() > 0 || seen.leased() > 0) {
            return false;
        }
        var fleet = snapshot();
        if (fleet.leasingPausedUntil() > 0) {
            return false; // What a server forgot may not have been offered again yet.
        }
        var counters = fleet.jobCounters(job.number());
        var deferred =
                counters.entrySet().stream()
                        .filter(each -> each.getKey().startsWith(CounterGroup.DEFERRED.text()))
                        .anyMatch(each -> each.getValue() > 0);
        if (deferred) {
            return false;
        }
        var before = FleetSnapshot.ledger(counters, 0);
        var after = FleetSnapshot.ledger(snapshot().jobCounters(job.number()), 0);
        return before.done() + before.dead() + before.withdrawn() == after.accepted();
    }

    @Override
    public synchronized NextWork nextWork(Instant now) {
        return guard.change(
                () -> {
                    var time = monotonic(now);
                    try {
                        if (flush().isStored() && runMaintenance(time).isStored()) {
                            return cachedSnapshot()
                                    .nextWork(localOutlook(time), claimedHosts.all().size(), time);
                        }
                    } catch (FrontierUnavailableException e) {
                        LOG.warn("the fleet cannot be seen: {}", e.getMessage());
                    }
                    return NextWork.unknown(claimedHosts.local.nextWork(time).leased());
                });
    }

    /** What this worker holds is not used up while there is more of it in Redis. */
    private NextWork localOutlook(Instant now) {
        var own = claimedHosts.local.nextWork(now);
        var due = own.nextDue();
        var on = own.restingHost();
        var delayed = own.delayed();
        for (var mine : claimedHosts.all()) {
            var claimState = claimedHosts.local.claimState(mine.host).orElseThrow();
            if (!mine.jobsWithMore.isEmpty()
                    && claimState.leased() == 0
                    && claimState.waiting().isEmpty()) {
                var rest = Math.max(claimState.host().restUntil(), mine.spilledRetryAt);
                var turn = Instant.ofEpochMilli(Math.max(claimState.delayedUntil(), rest));
                delayed += rest > claimState.delayedUntil() ? 0 : 1;
                if (due.isEmpty() || turn.isBefore(due.get())) {
                    due = Optional.of(turn);
                    on = rest > claimState.delayedUntil() ? mine.host : on;
                }
            }
        }
        var because = on.equals(own.restingHost()) ? own.restReason() : "";
        return new NextWork(own.ready(), own.leased(), delayed, due, on, because);
    }

    /**
     * Where a URL stands that this process does not hold, for whoever looks on.
     *
     * @param refused how many URLs of the job were turned away for what reason
     */
    public synchronized UrlLookup lookUp(JobId job, CrawlUrl url, Map<Refusal, Long> refused) {
        var letter = ShardUrlReader.find(shards, spillLoader, settings, job, url, latestTime);
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
                seeds(job),
                List.of(),
                refused);
    }

    @Override
    public synchronized UrlState explain(JobId job, CrawlUrl url) {
        guard.check();
        return claimedHosts.url(new UrlId(job.number(), url.key()), url.host()).isPresent()
                ? claimedHosts.local.explain(job, url)
                : ShardUrlReader.find(shards, spillLoader, settings, job, url, latestTime).state();
    }

    synchronized List<CrawlUrl> seeds(JobId job) {
        guard.check();
        return seeds.of(job);
    }

    @Override
    public synchronized List<CommittedLength> committedLengths() {
        guard.check();
        return List.copyOf(committedLengths.values());
    }

    @Override
    public synchronized Ledger ledger() {
        guard.check();
        return ledger(cachedSnapshot());
    }

    private Ledger ledger(FleetSnapshot fleet) {
        var leased = claimedHosts.local.nextWork(Instant.ofEpochMilli(latestTime)).leased();
        return FleetSnapshot.ledger(fleet.totalCounters(), leased);
    }

    synchronized Ledger ledger(JobId job) {
        guard.check();
        return FleetSnapshot.ledger(
                cachedSnapshot().jobCounters(job.number()), claimedHosts.leased(job.number()));
    }

    @Override
    public synchronized FrontierStats stats() {
        guard.check();
        var fleet = cachedSnapshot();
        return new FrontierStats(
                ledger(fleet),
                fleet.hosts(claimedHosts.local.stats().hosts()),
                FleetSnapshot.deadByCause(fleet.totalCounters()),
                FleetSnapshot.refusedByReason(fleet.totalCounters()));
    }

    @Override
    public synchronized FrontierStats stats(JobId job) {
        guard.check();
        var fleet = cachedSnapshot();
        var counters = fleet.jobCounters(job.number());
        return new FrontierStats(
                FleetSnapshot.ledger(counters, claimedHosts.leased(job.number())),
                fleet.hosts(claimedHosts.local.stats().hosts()),
                FleetSnapshot.deadByCause(counters),
                FleetSnapshot.refusedByReason(counters));
    }

    /**
     * Those that this worker holds by name; of the others only how many there are is known, and not
     * how many other workers hold.
     */
    @Override
    public synchronized JobHosts hosts(JobId job, int max, Instant now) {
        return guard.change(
                () -> {
                    var own = claimedHosts.local.hosts(job, max, monotonic(now));
                    var glance = cachedSnapshot();
                    var others =
                            glance.hostCounts()
                                    .getOrDefault(job.number(), FleetSnapshot.JobHostCounts.NONE);
                    var counts = own.counts();
                    return new JobHosts(
                            new FrontierStats.Hosts(
                                    counts.idle(),
                                    counts.waiting() + others.waiting(),
                                    counts.ready() + others.ready(),
                                    counts.busy(),
                                    counts.resting()),
                            own.first(),
                            Stream.concat(
                                            own.blocked().stream(),
                                            glance.blocked(job.number()).stream())
                                    .sorted(JobHosts.LATEST_FIRST)
                                    .limit(JobHosts.BLOCKED_MAX)
                                    .toList());
                });
    }

    /**
     * Hands on the dead letters of a job, wherever they came from; nothing is changed.
     *
     * @return how many were left out, as they were given up while they lay in files
     */
    public long deadLetters(JobId job, Consumer<DeadLetter> out) throws IOException {
        var packed = 0L;
        for (var shard : shards.all()) {
            packed += ShardUrlReader.deadLetters(connection, shard, job.number(), out);
        }
        return packed;
    }

    /** Says that this worker is there, and what it does; those not heard of for long are struck. */
    public synchronized void heartbeat(String doing, Instant now) {
        guard.run(
                () -> {
                    var time = advanceClock(now);
                    var sign = bytes(time + " " + doing);
                    var _ =
                            query(
                                    redis ->
                                            redis.hset(
                                                    workersKey(), bytes(settings.worker()), sign));
                    for (var each : query(redis -> redis.hgetall(workersKey())).entrySet()) {
                        var seen =
                                Fleet.parseHeartbeat(
                                        string(each.getKey()), string(each.getValue()));
                        if (seen.lastSeen().plus(settings.workerTimeout()).toEpochMilli() < time) {
                            var _ = query(redis -> redis.hdel(workersKey(), each.getKey()));
                            removeLastCall(each.getKey());
                        }
                    }
                });
    }

    /** What shards keep so that a call can be repeated is of no use once its worker has gone. */
    private void removeLastCall(byte[] worker) {
        for (var shard : shards.all()) {
            var _ = query(redis -> redis.hdel(ShardKey.LAST_CALLS.of(shard), worker));
        }
    }

    private byte[] workersKey() {
        return fleetKey("workers");
    }

    /** How many of a job's queued URLs lie in files. */
    public synchronized long spilledUrls(JobId job) {
        return FleetSnapshot.count(cachedSnapshot().jobCounters(job.number()), Counter.SPILLED);
    }

    /** How often Redis's answer was waited for. */
    public long roundTrips() {
        return connection.roundTrips();
    }

    /** Writes nothing more to Redis, where the fleet that this worker joined is no longer. */
    public void abandon() {
        gateLeases.close();
        connection.close();
    }

    /**
     * Leaves the fleet: every host goes back, those with leases out with their delay begun anew.
     * After a failure nothing is sent, as what waits here may be half of a settlement; the claims
     * expire after the host lease, as those of a process that was killed.
     */
    @Override
    public synchronized void close() {
        if (guard.hasFailed()) {
            gateLeases.close();
            connection.close();
            return;
        }
        var now = Instant.ofEpochMilli(latestTime);
        try {
            shards.queue(
                    claimedHosts.commitCalls(
                            List.copyOf(claimedHosts.all()), ClaimedHosts.ReleaseMode.ALL, now));
            if (shards.flush(latestTime) instanceof CommitStatus.Pending(var problem)) {
                LOG.warn(
                        "could not release claimed hosts on shutdown; they expire after the host"
                                + " lease: {}",
                        problem);
                return;
            }
            var _ = query(redis -> redis.hdel(workersKey(), bytes(settings.worker())));
            removeLastCall(bytes(settings.worker()));
        } catch (FrontierUnavailableException e) {
            LOG.warn(
                    "could not remove this worker from the fleet's list; it expires: {}",
                    e.getMessage());
        } finally {
            gateLeases.close();
            connection.close();
        }
    }
}
