package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.internal.frontier.EventLog;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.FrontierEvent.Accepted;
import dev.orbweaver.internal.frontier.FrontierEvent.QueuedUrlState;
import dev.orbweaver.internal.frontier.HostClaim;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Workbench;
import dev.orbweaver.internal.frontier.WorkbenchFrontier;
import dev.orbweaver.model.FailureCause;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The hosts that this worker holds, in a frontier of its own.
 *
 * <p>That frontier decides everything about them, as it does for a crawl on one machine: whose turn
 * it is, how a delay follows its host, who rests, what is given up. It says what it did as events,
 * and these are put here into the few words that the fleet's shard understands: this URL is done,
 * that one has another record now. So the rules of politeness are written once.
 */
final class ClaimedHosts implements EventLog {

    /** A lease that is out: of which host and URL, and which other host its holder visits. */
    private static final class OutstandingLease {
        private final ClaimedHost claimedHost;
        private final UrlId id;
        private @Nullable ClaimedHost otherHost;

        private OutstandingLease(ClaimedHost claimedHost, UrlId id) {
            this.claimedHost = claimedHost;
            this.id = id;
        }
    }

    /** Which hosts go back to the fleet. */
    enum ReleaseMode {
        /** Those of which nothing is left, here or in Redis. */
        USED_UP,
        /** Those of which no lease is out. */
        IDLE,
        /** All, whatever is out: the worker leaves. */
        ALL;

        private boolean isReleased(ClaimedHost mine, HostClaim.ClaimState claimState) {
            return switch (this) {
                case USED_UP ->
                        claimState.leased() == 0
                                && claimState.waiting().isEmpty()
                                && mine.jobsWithMore.isEmpty();
                case IDLE -> claimState.leased() == 0;
                case ALL -> true;
            };
        }
    }

    final WorkbenchFrontier local;
    private final Shards shards;
    private final FleetSettings settings;
    private final Map<String, ClaimedHost> hostsByName = new LinkedHashMap<>();
    private final Map<Long, OutstandingLease> outstanding = new HashMap<>();

    /** Those of which there is something to tell. */
    private final Set<ClaimedHost> changed = new LinkedHashSet<>();

    /** Leases of the batch that is being settled whose URL goes to another host. */
    private final Set<Long> movingLeases = new HashSet<>();

    /** Settlements of that batch that the fleet refused. */
    private int refused;

    /**
     * No hosts yet.
     *
     * @param log what events pass on their way here, for tests that make one fail
     */
    ClaimedHosts(
            Shards shards,
            FleetSettings settings,
            Politeness politeness,
            UnaryOperator<EventLog> log,
            Instant now) {
        this.shards = shards;
        this.settings = settings;
        this.local =
                new WorkbenchFrontier(
                        politeness,
                        new Workbench(politeness, new ClaimedHostStore(this::addDeadLetter)),
                        log.apply(this),
                        now);
    }

    Optional<ClaimedHost> find(String host) {
        return Optional.ofNullable(hostsByName.get(host));
    }

    Collection<ClaimedHost> all() {
        return hostsByName.values();
    }

    /** Takes over what a claim brought: a new host, or more URLs of one that is here. */
    ClaimedHost addClaimed(List<?> claimed, long now) {
        var host = string(claimed.get(0));
        var mine = hostsByName.get(host);
        if (mine == null) {
            mine = new ClaimedHost(host, (byte[]) claimed.get(1), now, changed);
            hostsByName.put(host, mine);
        }
        var urls = new ArrayList<QueuedUrlState>();
        var records = RedisConnection.list(claimed.get(4));
        for (var i = 0; i < records.size(); i += 2) {
            var job = Integer.parseInt(string(records.get(i)));
            var url = RedisRecordCodec.read(job, (byte[]) records.get(i + 1));
            mine.urls.put(UrlId.of(url), url);
            urls.add(url);
        }
        mine.jobsWithMore.clear();
        RedisConnection.list(claimed.get(5))
                .forEach(
                        job ->
                                find(host)
                                        .orElseThrow()
                                        .jobsWithMore
                                        .add(Integer.parseInt(string(job))));
        mine.spilled.clear();
        var cold = RedisConnection.list(claimed.get(6));
        for (var i = 0; i < cold.size(); i += 3) {
            mine.spilled.add(
                    new SpillLoader.LoadRequest(
                            Integer.parseInt(string(cold.get(i))),
                            string(cold.get(i + 1)),
                            SpilledRange.decode((byte[]) cold.get(i + 2))));
        }
        var state = RedisRecordCodec.readHost(host, (byte[]) claimed.get(2));
        var delayedUntil = Long.parseLong(string(claimed.get(3)));
        local.addClaimedHost(new HostClaim(state, delayedUntil, urls), Instant.ofEpochMilli(now));
        raiseCrawlDelay(host, string(claimed.get(7)));
        return mine;
    }

    /** Another worker has read how slowly a host that is held here is to be asked. */
    private void raiseCrawlDelay(String host, String delay) {
        if (!delay.isEmpty()) {
            local.raiseCrawlDelay(host, Duration.ofMillis(Long.parseLong(delay)));
            find(host)
                    .ifPresent(
                            ClaimedHost::markChanged); // So that the fleet hears that it was heard.
        }
    }

    /** Notes which lease is out for which URL. */
    void recordLease(Lease lease) {
        var mine = hostsByName.get(lease.url().host());
        if (mine == null) {
            throw new IllegalStateException("leased from a host that is not held: " + lease);
        }
        outstanding.put(
                lease.token(),
                new OutstandingLease(mine, new UrlId(lease.job().number(), lease.url().key())));
    }

    boolean isOutstanding(Lease lease) {
        return outstanding.containsKey(lease.token());
    }

    /** How many leases are out for a job. */
    long leased(int job) {
        return outstanding.values().stream().filter(each -> each.id.job() == job).count();
    }

    Optional<QueuedUrlState> url(UrlId id, String host) {
        return find(host).map(mine -> mine.urls.get(id));
    }

    void markMoving(Lease lease) {
        movingLeases.add(lease.token());
    }

    /** The refusals since the last call. */
    int takeRefused() {
        movingLeases.clear();
        var count = refused;
        refused = 0;
        return count;
    }

    /** Counts something with the settlement of a lease. */
    void count(Lease lease, String field, long by) {
        var mine = outstanding.get(lease.token());
        if (mine != null) {
            mine.claimedHost.change('C', bytes(lease.job().number()), bytes(field), bytes(by));
        }
    }

    /** Drops everything of a job, which is no more. */
    void removeJob(int job) {
        outstanding.values().removeIf(each -> markHostsChanged(each, each.id.job() == job));
        for (var mine : hostsByName.values()) {
            var had = mine.urls.keySet().removeIf(id -> id.job() == job);
            if (mine.jobsWithMore.remove(job) || had) {
                mine.markChanged();
            }
        }
    }

    private static boolean markHostsChanged(OutstandingLease each, boolean ends) {
        if (ends) {
            each.claimedHost.markChanged();
            if (each.otherHost != null) {
                each.otherHost.markChanged();
            }
        }
        return ends;
    }

    boolean hasChanges() {
        return !changed.isEmpty();
    }

    /** What there is to tell of hosts that changed, with those that are used up given back. */
    List<Shards.ShardCall> commitCalls(Instant now) {
        changed.removeIf(mine -> hostsByName.get(mine.host) != mine); // A guest's host may be gone.
        return commitCalls(List.copyOf(changed), ReleaseMode.USED_UP, now);
    }

    /** What there is to tell of some hosts, and which of them go back with it. */
    List<Shards.ShardCall> commitCalls(
            Collection<ClaimedHost> some, ReleaseMode which, Instant now) {
        var byShard = new LinkedHashMap<Integer, List<ClaimedHost>>();
        some.forEach(
                mine ->
                        byShard.computeIfAbsent(shards.shardOf(mine.host), _ -> new ArrayList<>())
                                .add(mine));
        var shardCalls = new ArrayList<Shards.ShardCall>();
        byShard.forEach((shard, hosts) -> shardCalls.add(commit(shard, hosts, which, now)));
        return shardCalls;
    }

    private Shards.ShardCall commit(
            int shard, List<ClaimedHost> hosts, ReleaseMode which, Instant now) {
        var args = new ArrayList<byte[]>();
        args.add(bytes(settings.hostLease().toMillis()));
        var kinds = new ArrayList<List<byte[]>>();
        for (var mine : hosts) {
            var claimState = local.claimState(mine.host).orElseThrow();
            var size = mine.changeCount();
            var changes = mine.takeChanges();
            var goes = !hasGiveUp(changes) && which.isReleased(mine, claimState);
            kinds.add(changes);
            args.add(bytes(mine.host));
            args.add(mine.token);
            args.add(RedisRecordCodec.write(claimState.host()));
            args.add(bytes(delayedUntil(claimState, goes, now)));
            args.add(bytes(claimState.host().restUntil()));
            args.add(bytes(claimState.delay()));
            args.add(bytes(claimState.host().pages()));
            args.add(bytes(goes ? "R" : "K"));
            args.add(bytes(size));
            args.addAll(changes);
            mine.renewedAt = now.toEpochMilli();
            if (goes) {
                drop(mine, now);
            }
        }
        return new Shards.ShardCall(
                shard, Script.COMMIT, args, answer -> onReply(hosts, kinds, string(answer), now));
    }

    /**
     * One that goes while leases are out may have been asked just now: its delay begins anew. That
     * of one which is asked several times at once counts from when a request was sent; here it is
     * only known when its URL was leased and when it was over, and the later is safe.
     */
    private static long delayedUntil(HostClaim.ClaimState claimState, boolean goes, Instant now) {
        if (!goes) {
            return claimState.delayedUntil();
        }
        var asked = claimState.leased() > 0 ? now.toEpochMilli() : claimState.host().lastEnded();
        return claimState.leased() > 0 || (claimState.startToStart() && asked > 0)
                ? Math.max(claimState.delayedUntil(), asked + claimState.delay())
                : claimState.delayedUntil();
    }

    private static boolean hasGiveUp(List<byte[]> changes) {
        for (var i = 0; i < changes.size(); i += ClaimedHost.ARGS_PER_CHANGE) {
            if (changes.get(i)[0] == 'G') {
                return true;
            }
        }
        return false;
    }

    private void onReply(
            List<ClaimedHost> hosts, List<List<byte[]>> changes, String answer, Instant now) {
        var verdicts = answer.split(" ", -1);
        for (var i = 0; i < hosts.size(); i++) {
            var told = verdicts[i].split("~", 2);
            var verdict = told[0];
            var mine = hosts.get(i);
            if (told.length > 1 && hostsByName.get(mine.host) == mine) {
                raiseCrawlDelay(mine.host, told[1]);
            }
            for (var j = 1; j < verdict.length(); j++) {
                var kind = (char) changes.get(i).get(ClaimedHost.ARGS_PER_CHANGE * (j - 1))[0];
                if (verdict.charAt(j) == '0' && "DWXUM".indexOf(kind) >= 0) {
                    refused++;
                } else if (kind == 'G' && hostsByName.get(mine.host) == mine) {
                    onHostGivenUp(mine, verdict.charAt(j) == '2');
                }
            }
            if (verdict.charAt(0) == '0') {
                drop(mine, now); // Somebody else has it by now.
            }
        }
    }

    /** A host was given up; there may be more on it than one step takes. */
    private static void onHostGivenUp(ClaimedHost mine, boolean more) {
        if (more) {
            mine.change('G', bytes(""));
        } else {
            mine.jobsWithMore.clear();
            mine.markChanged();
        }
    }

    /** Lets go of a host, whatever is out of it. */
    void drop(ClaimedHost mine, Instant now) {
        if (hostsByName.remove(mine.host, mine)) {
            changed.remove(mine);
            local.releaseHost(mine.host, now);
            outstanding.values().removeIf(each -> each.claimedHost == mine);
        }
    }

    private void addDeadLetter(QueuedUrlState url, FailureCause cause) {
        var mine = hostsByName.get(url.url().url().host());
        if (mine == null) {
            throw new IllegalStateException("given up on a host that is not held: " + url);
        }
        var id = UrlId.of(url);
        mine.urls.remove(id);
        mine.change('X', id.bytes(), bytes(cause.id()), RedisRecordCodec.write(url));
        if (cause == FailureCause.HOST_DOWN) {
            mine.jobsWithMore.add(-1); // Not to be given back before the rest of it is given up.
        }
    }

    @Override
    public void append(FrontierEvent event) {
        switch (event) {
            case FrontierEvent.Done e -> endLease(e.token()).ifPresent(each -> done(each, e));
            case FrontierEvent.Withdrawn e ->
                    endLease(e.token()).ifPresent(each -> withdrawn(each, e));
            case FrontierEvent.DeadLettered e -> {
                var _ = endLease(e.token());
            }
            case FrontierEvent.Retried e ->
                    endLease(e.token())
                            .ifPresent(
                                    each ->
                                            updateUrl(
                                                    each,
                                                    url ->
                                                            new QueuedUrlState(
                                                                    url.url(),
                                                                    url.equivalentRedirect(),
                                                                    url.attempts() + 1,
                                                                    url.expiredLeases(),
                                                                    e.notBefore())));
            case FrontierEvent.RedirectedToEquivalent e ->
                    endLease(e.token())
                            .ifPresent(each -> updateUrl(each, url -> redirected(url, e)));
            case FrontierEvent.Released e ->
                    endLease(e.token())
                            .ifPresent(
                                    each ->
                                            updateUrl(
                                                    each,
                                                    url ->
                                                            requeued(
                                                                    url,
                                                                    url.expiredLeases(),
                                                                    e.notBefore())));
            case FrontierEvent.LeaseExpired e ->
                    endLease(e.token())
                            .ifPresent(
                                    each ->
                                            updateUrl(
                                                    each,
                                                    url ->
                                                            requeued(
                                                                    url,
                                                                    url.expiredLeases() + 1,
                                                                    0)));
            case FrontierEvent.OtherHostRequested e -> otherHostRequested(e);
            case FrontierEvent.CrawlDelaySet e ->
                    find(e.host()).ifPresent(ClaimedHost::markChanged);
            case FrontierEvent.Accepted _,
                    FrontierEvent.Duplicates _,
                    FrontierEvent.LinksRefused _,
                    FrontierEvent.Leased _,
                    FrontierEvent.Extended _,
                    FrontierEvent.ClockSetBack _,
                    FrontierEvent.Downtime _,
                    FrontierEvent.JobDeleted _,
                    FrontierEvent.Excluded _,
                    FrontierEvent.LinksDeferred _,
                    FrontierEvent.DeferredLinksOffered _,
                    FrontierEvent.Requeued _,
                    FrontierEvent.BufferFlushed _,
                    FrontierEvent.LengthCommitted _,
                    FrontierEvent.Seen _,
                    FrontierEvent.Seed _,
                    FrontierEvent.FileState _,
                    FrontierEvent.QueueState _,
                    FrontierEvent.QueuedUrlState _,
                    FrontierEvent.DeadLetterState _,
                    FrontierEvent.LeaseState _,
                    FrontierEvent.HostState _,
                    FrontierEvent.DeferredLinksState _,
                    FrontierEvent.CountersState _,
                    FrontierEvent.SnapshotEnd _ -> {}
        }
    }

    private static QueuedUrlState requeued(QueuedUrlState url, int lost, long notBefore) {
        return new QueuedUrlState(
                url.url(), url.equivalentRedirect(), url.attempts(), lost, notBefore);
    }

    private static QueuedUrlState redirected(
            QueuedUrlState url, FrontierEvent.RedirectedToEquivalent event) {
        var facts = url.url();
        return new QueuedUrlState(
                new Accepted(
                        facts.job(),
                        event.url(),
                        facts.hop(),
                        facts.depth(),
                        facts.hops() + 1,
                        facts.parent(),
                        facts.band(),
                        facts.foundAt()),
                true,
                0,
                url.expiredLeases(),
                0);
    }

    private Optional<OutstandingLease> endLease(long token) {
        var each = outstanding.remove(token);
        if (each == null) {
            return Optional.empty();
        }
        var _ = markHostsChanged(each, true);
        if (each.claimedHost.jobsWithMore.remove(-1)) {
            each.claimedHost.change('G', bytes(""));
        }
        return Optional.of(each);
    }

    private void done(OutstandingLease each, FrontierEvent.Done event) {
        each.claimedHost.urls.remove(each.id);
        each.claimedHost.change(
                'D', each.id.bytes(), bytes(event.page() ? "1" : "0"), bytes(event.bytes()));
    }

    private void withdrawn(OutstandingLease each, FrontierEvent.Withdrawn event) {
        each.claimedHost.urls.remove(each.id);
        if (movingLeases.contains(event.token())) {
            each.claimedHost.change('M', each.id.bytes());
        } else {
            each.claimedHost.change('W', each.id.bytes(), bytes(event.reason().id()), bytes(""));
        }
    }

    private void updateUrl(OutstandingLease each, UnaryOperator<QueuedUrlState> how) {
        var before = each.claimedHost.urls.get(each.id);
        if (before == null) {
            return; // It was given up.
        }
        var after = how.apply(before);
        if (!after.equals(before)) {
            each.claimedHost.urls.put(each.id, after);
            each.claimedHost.change('U', each.id.bytes(), RedisRecordCodec.write(after), bytes(""));
        }
    }

    private void otherHostRequested(FrontierEvent.OtherHostRequested event) {
        var each = outstanding.get(event.token());
        if (each != null) {
            if (each.otherHost != null) {
                each.otherHost.markChanged();
            }
            each.otherHost = hostsByName.get(event.host());
        }
    }

    @Override
    public void commit() {}

    /** The frontier that owns this one sends nothing any more, so nothing needs to be dropped. */
    @Override
    public void abort() {}

    @Override
    public void close() {}
}
