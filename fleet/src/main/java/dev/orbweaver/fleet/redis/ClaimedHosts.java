package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.CommitRequest.Change;
import dev.orbweaver.fleet.redis.ScriptConstants.ChangeResult;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.EventLog;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.HostClaim;
import dev.orbweaver.internal.frontier.LastResult;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.VisitResult;
import dev.orbweaver.internal.frontier.Workbench;
import dev.orbweaver.internal.frontier.WorkbenchFrontier;
import dev.orbweaver.internal.revisit.HostRates;
import dev.orbweaver.model.CaptureRef;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * The hosts that this worker has claimed, in a local frontier.
 *
 * <p>That frontier makes all decisions about them, as in a crawl on one machine: turns, delays,
 * rest, dead letters. It reports its actions as events, which this class translates into changes
 * for the fleet's shards. So the rules of politeness are implemented once.
 */
final class ClaimedHosts implements EventLog {

    /** An outstanding lease: its host and URL, and the other host that its visit requests. */
    private static final class OutstandingLease {
        private final ClaimedHost claimedHost;
        private final UrlId id;
        private @Nullable ClaimedHost otherHost;

        private OutstandingLease(ClaimedHost claimedHost, UrlId id) {
            this.claimedHost = claimedHost;
            this.id = id;
        }
    }

    enum ReleaseMode {
        /** Hosts without remaining URLs, here or in Redis. */
        USED_UP,
        /** Hosts without outstanding leases. */
        IDLE,
        /** All hosts, even with outstanding leases: the worker leaves. */
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
    private final LongSupplier clock;
    private final Map<String, ClaimedHost> hostsByName = new LinkedHashMap<>();
    private final Map<Long, OutstandingLease> outstanding = new HashMap<>();

    /** Hosts with changes to send. */
    private final Set<ClaimedHost> changed = new LinkedHashSet<>();

    /** Leases of the current batch whose URL moves to another host. */
    private final Set<Long> movingLeases = new HashSet<>();

    /** The URLs of these leases. */
    private final Set<UrlId> movingUrls = new HashSet<>();

    /** Decides when the URLs of jobs are visited again. */
    final Map<Integer, RevisitPlanner> planners = new ConcurrentHashMap<>();

    /** The results of the settlements of the current batch, by lease. */
    private final Map<Long, PlannedVisit> results = new HashMap<>();

    /** What a visit of a job that visits URLs again has found, in this capture. */
    private record PlannedVisit(VisitResult result, CaptureRef capture) {}

    /** Number of settlements of that batch that the fleet rejected. */
    private int refused;

    /**
     * @param log wraps the event log, for tests that make one fail
     * @param clock the latest time of the worker
     */
    ClaimedHosts(
            Shards shards,
            FleetSettings settings,
            Politeness politeness,
            UnaryOperator<EventLog> log,
            Instant now,
            LongSupplier clock) {
        this.clock = clock;
        this.shards = shards;
        this.settings = settings;
        this.local =
                new WorkbenchFrontier(
                        politeness,
                        new Workbench(
                                politeness,
                                new ClaimedHostStore(this::addDeadLetter, this::addFailedVisit)),
                        log.apply(this),
                        now);
    }

    Optional<ClaimedHost> find(String host) {
        return Optional.ofNullable(hostsByName.get(host));
    }

    Collection<ClaimedHost> all() {
        return hostsByName.values();
    }

    /** Adds a claim: a new host, or more URLs of a claimed one. */
    ClaimedHost addClaimed(ClaimRequest.Host claimed, long now) {
        var host = claimed.state().host();
        var mine =
                hostsByName.computeIfAbsent(
                        host, _ -> new ClaimedHost(host, claimed.token(), now, changed));
        claimed.urls().forEach(url -> mine.urls.put(UrlId.of(url), url));
        mine.jobsWithMore.clear();
        mine.jobsWithMore.addAll(claimed.jobsWithMore());
        mine.spilled.clear();
        mine.spilled.addAll(claimed.spilled());
        local.addClaimedHost(
                new HostClaim(claimed.state(), claimed.delayedUntil(), claimed.urls()),
                Instant.ofEpochMilli(now));
        raiseCrawlDelay(host, claimed.crawlDelayMillis());
        return mine;
    }

    /** Applies a crawl delay that another worker has read for a host. */
    private void raiseCrawlDelay(String host, long millis) {
        if (millis >= 0) {
            var _ = local.raiseCrawlDelay(host, Duration.ofMillis(millis));
            find(host).ifPresent(ClaimedHost::markChanged); // The next commit sends it.
        }
    }

    void recordLease(Lease lease) {
        var mine = hostsByName.get(lease.url().host());
        if (mine == null) {
            throw new IllegalStateException("leased from a host that is not claimed: " + lease);
        }
        outstanding.put(
                lease.token(),
                new OutstandingLease(mine, new UrlId(lease.job().number(), lease.url().key())));
    }

    boolean isOutstanding(Lease lease) {
        return outstanding.containsKey(lease.token());
    }

    long leased(int job) {
        return outstanding.values().stream().filter(each -> each.id.job() == job).count();
    }

    Optional<QueuedUrl> url(UrlId id, String host) {
        return find(host).map(mine -> mine.urls.get(id));
    }

    void markMoving(Lease lease) {
        movingLeases.add(lease.token());
        movingUrls.add(new UrlId(lease.job().number(), lease.url().key()));
    }

    /** Notes what a visit has found, before it is settled. */
    void noteResult(Lease lease, VisitResult result, CaptureRef capture) {
        results.put(lease.token(), new PlannedVisit(result, capture));
    }

    /** Returns a claimed host of a lease of which the job's rates are not known here. */
    Optional<ClaimedHost> withoutRates(Lease lease) {
        return find(lease.url().host())
                .filter(mine -> !mine.rates.containsKey(lease.job().number()));
    }

    /** Ends a batch of which rejections are counted later. */
    void endBatch() {
        movingLeases.clear();
        movingUrls.clear();
        results.clear();
    }

    /** Returns the number of rejections since the last call. */
    int takeRefused() {
        endBatch();
        var count = refused;
        refused = 0;
        return count;
    }

    /** Adds to a counter when a lease is settled. */
    void count(Lease lease, String field, long by) {
        var mine = outstanding.get(lease.token());
        if (mine != null) {
            mine.claimedHost.change(new Change.Counted(lease.job().number(), field, by));
        }
    }

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

    /** Returns whether this worker has URLs of a job to fetch or to settle, or knows of more. */
    boolean hasWork(int job) {
        return outstanding.values().stream().anyMatch(each -> each.id.job() == job)
                || hostsByName.values().stream()
                        .anyMatch(
                                mine ->
                                        mine.jobsWithMore.contains(job)
                                                || mine.urls.keySet().stream()
                                                        .anyMatch(id -> id.job() == job));
    }

    /** Returns whether a URL is leased, or waits on a host. */
    boolean hasLocalWork() {
        return !outstanding.isEmpty()
                || hostsByName.values().stream().anyMatch(mine -> !mine.urls.isEmpty());
    }

    /** Returns the hosts with changes to send. */
    List<ClaimedHost> changedHosts() {
        return changed.stream().filter(mine -> hostsByName.get(mine.host) == mine).toList();
    }

    boolean hasChanges() {
        return !changed.isEmpty();
    }

    /** Returns the changes of hosts; hosts without remaining URLs are released. */
    List<Shards.ShardCall<?>> commitCalls(Instant now) {
        changed.removeIf(mine -> hostsByName.get(mine.host) != mine); // Its host may be released.
        return commitCalls(List.copyOf(changed), ReleaseMode.USED_UP, now);
    }

    List<Shards.ShardCall<?>> commitCalls(
            Collection<ClaimedHost> some, ReleaseMode which, Instant now) {
        var byShard = new LinkedHashMap<Integer, List<ClaimedHost>>();
        some.forEach(
                mine ->
                        byShard.computeIfAbsent(shards.shardOf(mine.host), _ -> new ArrayList<>())
                                .add(mine));
        var shardCalls = new ArrayList<Shards.ShardCall<?>>();
        byShard.forEach((shard, hosts) -> shardCalls.add(commit(shard, hosts, which, now)));
        return shardCalls;
    }

    private Shards.ShardCall<?> commit(
            int shard, List<ClaimedHost> hosts, ReleaseMode which, Instant now) {
        var commits = new ArrayList<CommitRequest.HostCommit>();
        for (var mine : hosts) {
            var claimState = local.claimState(mine.host).orElseThrow();
            var changes = mine.takeChanges();
            var released =
                    changes.stream().noneMatch(each -> each instanceof Change.HostDown)
                            && which.isReleased(mine, claimState);
            commits.add(
                    new CommitRequest.HostCommit(
                            mine.token,
                            claimState.host(),
                            delayedUntil(claimState, released, now),
                            claimState.delay(),
                            released,
                            changes));
            mine.renewedAt = now.toEpochMilli();
            if (released) {
                shards.get(shard)
                        .markReady(
                                Math.max(
                                        now.toEpochMilli(),
                                        Math.max(
                                                delayedUntil(claimState, true, now),
                                                claimState.host().restUntil())));
                drop(mine, now);
            }
        }
        return new Shards.ShardCall<>(
                new CommitRequest(shard, settings.hostLease().toMillis(), commits),
                results -> onReply(hosts, commits, results, now));
    }

    /**
     * Returns when a host's delay ends. A host that is released with outstanding leases may have
     * been requested just now, so its delay starts again. With several requests at once the delay
     * counts from when a request was sent; here only the times of lease and settlement are known,
     * and the later one is safe.
     */
    private static long delayedUntil(HostClaim.ClaimState claimState, boolean goes, Instant now) {
        if (!goes) {
            return claimState.delayedUntil();
        }
        var requestedAt =
                claimState.leased() > 0 ? now.toEpochMilli() : claimState.host().lastEnded();
        return claimState.leased() > 0 || (claimState.startToStart() && requestedAt > 0)
                ? Math.max(claimState.delayedUntil(), requestedAt + claimState.delay())
                : claimState.delayedUntil();
    }

    private void onReply(
            List<ClaimedHost> hosts,
            List<CommitRequest.HostCommit> commits,
            List<CommitRequest.HostResult> results,
            Instant now) {
        for (var i = 0; i < hosts.size(); i++) {
            var mine = hosts.get(i);
            var result = results.get(i);
            var here = hostsByName.get(mine.host) == mine;
            if (here) {
                raiseCrawlDelay(mine.host, result.crawlDelayMillis());
            }
            for (var j = 0; j < result.changes().size(); j++) {
                var change = commits.get(i).changes().get(j);
                var made = result.changes().get(j);
                if (made == ChangeResult.REFUSED && change.isSettlement()) {
                    refused++;
                } else if (change instanceof Change.HostDown && here) {
                    onHostDown(mine, made == ChangeResult.INCOMPLETE);
                }
            }
            if (!result.claimed()) {
                drop(mine, now); // Another worker has claimed it.
            }
        }
    }

    /** Handles that the shard made dead letters of a host's URLs, or of some of them. */
    private static void onHostDown(ClaimedHost mine, boolean more) {
        if (more) {
            mine.change(new Change.HostDown());
        } else {
            mine.jobsWithMore.clear();
            mine.markChanged();
        }
    }

    /** Removes a host, even with outstanding leases. */
    void drop(ClaimedHost mine, Instant now) {
        if (hostsByName.remove(mine.host, mine)) {
            changed.remove(mine);
            local.releaseHost(mine.host, now);
            outstanding.values().removeIf(each -> each.claimedHost == mine);
        }
    }

    private void addDeadLetter(QueuedUrl url, FailureCause cause) {
        var mine = hostsByName.get(url.url().url().host());
        if (mine == null) {
            throw new IllegalStateException("dead letter on a host that is not claimed: " + url);
        }
        mine.urls.remove(UrlId.of(url));
        mine.change(new Change.Dead(url, cause));
        if (cause == FailureCause.HOST_DOWN) {
            mine.jobsWithMore.add(-1); // Keeps the claim until the rest are dead letters.
        }
    }

    /** Ends a visit without a response of a URL that was visited before: it stays done. */
    private void addFailedVisit(QueuedUrl url, boolean hostDown) {
        var id = UrlId.of(url);
        var mine = hostsByName.get(url.url().url().host());
        if (mine == null) {
            throw new IllegalStateException("failed visit on a host that is not claimed: " + url);
        }
        if (movingUrls.contains(id)) {
            return;
        }
        mine.urls.remove(id);
        var planner = planners.get(id.job());
        mine.change(
                planner == null
                        ? new Change.Visited(
                                id, url.url().last() == LastResult.PAGE, 0, Optional.empty())
                        : planner.failed(id, url, Instant.ofEpochMilli(clock.getAsLong())));
        if (hostDown) {
            mine.jobsWithMore.add(-1); // Keeps the claim until the rest have ended too.
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
                                                            new QueuedUrl(
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
                    FrontierEvent.AcceptedForLater _,
                    FrontierEvent.RequestedElsewhere _,
                    FrontierEvent.Visited _,
                    FrontierEvent.RevisitQueued _,
                    FrontierEvent.SeedsRead _,
                    FrontierEvent.MatchingAccepted _,
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

    private static QueuedUrl requeued(QueuedUrl url, int lost, long notBefore) {
        return new QueuedUrl(url.url(), url.equivalentRedirect(), url.attempts(), lost, notBefore);
    }

    private static QueuedUrl redirected(QueuedUrl url, FrontierEvent.RedirectedToEquivalent event) {
        var facts = url.url();
        return new QueuedUrl(facts.redirectedTo(event.url()), true, 0, url.expiredLeases(), 0);
    }

    private Optional<OutstandingLease> endLease(long token) {
        var each = outstanding.remove(token);
        if (each == null) {
            return Optional.empty();
        }
        var _ = markHostsChanged(each, true);
        if (each.claimedHost.jobsWithMore.remove(-1)) {
            each.claimedHost.change(new Change.HostDown());
        }
        return Optional.of(each);
    }

    private void done(OutstandingLease each, FrontierEvent.Done event) {
        var url = each.claimedHost.urls.remove(each.id);
        var found = results.remove(event.token());
        var planner = planners.get(each.id.job());
        if (url != null && found != null && planner != null) {
            var rates = each.claimedHost.rates.getOrDefault(each.id.job(), HostRates.of(Map.of()));
            each.claimedHost.change(
                    planner.visited(
                            each.id,
                            url,
                            found.result,
                            found.capture,
                            event.page(),
                            event.bytes(),
                            rates));
        } else if (url != null && url.url().isRevisit()) {
            each.claimedHost.change(
                    new Change.Visited(each.id, event.page(), event.bytes(), Optional.empty()));
        } else {
            each.claimedHost.change(new Change.Done(each.id, event.page(), event.bytes()));
        }
    }

    private void withdrawn(OutstandingLease each, FrontierEvent.Withdrawn event) {
        var url = each.claimedHost.urls.remove(each.id);
        var isRevisit = url == null || url.url().isRevisit();
        if (isRevisit && !movingLeases.contains(event.token())) {
            return; // The workbench reports it as a visit without a response.
        }
        each.claimedHost.change(
                movingLeases.contains(event.token())
                        ? new Change.Moved(each.id)
                        : new Change.Withdrawn(each.id, event.reason()));
    }

    private void updateUrl(OutstandingLease each, UnaryOperator<QueuedUrl> how) {
        var before = each.claimedHost.urls.get(each.id);
        if (before == null) {
            return; // It is a dead letter.
        }
        var after = how.apply(before);
        if (!after.equals(before)) {
            each.claimedHost.urls.put(each.id, after);
            each.claimedHost.change(new Change.Updated(each.id, after));
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
    public CommitStatus commit() {
        return CommitStatus.durable();
    }

    /**
     * Does nothing: the frontier that owns this one sends nothing any more, so nothing needs to be
     * discarded.
     */
    @Override
    public void abort() {}

    @Override
    public void close() {}
}
