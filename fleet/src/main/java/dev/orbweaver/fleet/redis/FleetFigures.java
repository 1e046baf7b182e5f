package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.ScriptConstants.Counter;
import dev.orbweaver.fleet.redis.ScriptConstants.CounterGroup;
import dev.orbweaver.internal.frontier.DeferredLinks;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.frontier.NextWork;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Statistics of the whole fleet for one worker. The view of each shard is kept and read again when
 * the shard has changed. That happens less often while this worker has work and few pages, because
 * then nothing depends on the figures of others.
 */
final class FleetFigures {

    private static final Logger LOG = LoggerFactory.getLogger(FleetFigures.class);
    private final WorkerState worker;

    /** The longest time between two readings. */
    private static final long AGE_MAX_MILLIS = 10_000;

    /**
     * The number of pages of this worker after which the figures are read sooner; an eighth of all
     * its pages while these are few, so that the first pages of a new worker are shown at once.
     */
    private static final long PAGES_MAX = 40;

    /** How often all shards are read, in case a change was not recorded. */
    private static final long FULL_MILLIS = 600_000;

    private final Map<Integer, ShardRequest.ShardView> views = new TreeMap<>();
    private Optional<FleetSnapshot> cachedSnapshot = Optional.empty();

    private long cachedAt;
    private long fullAt;
    private long pagesAtRead;

    /** How long to wait before the next check of whether a job is exhausted. */
    private long checkMillis;

    FleetFigures(WorkerState worker) {
        this.worker = worker;
    }

    DeferredLinks deferredLinks(JobId job) {
        var deferred = CounterGroup.DEFERRED.of(worker.settings.worker());
        if (!cachedSnapshot().jobCounters(job.number()).containsKey(deferred)) {
            return DeferredLinks.NONE;
        }
        var counters = snapshot().jobCounters(job.number());
        return new DeferredLinks(
                counters.getOrDefault(deferred, 0L),
                counters.getOrDefault(CounterGroup.LAST_OFFERED.of(worker.settings.worker()), 0L));
    }

    RevisitCounts revisitCounts(JobId job) {
        var counters = cachedSnapshot().jobCounters(job.number());
        return new RevisitCounts(
                counters.getOrDefault(Counter.SCHEDULED.text(), 0L),
                counters.getOrDefault(Counter.REVISITS.text(), 0L));
    }

    long queuedBytes() {
        return ledger().queued() * 100;
    }

    private FleetSnapshot snapshot() {
        var requests =
                worker.shards.all().stream()
                        .map(shard -> new ShardRequest.View(shard.number))
                        .toList();
        return FleetSnapshot.of(
                worker.shards.query(requests, worker.latestTime), worker.latestTime);
    }

    /**
     * Returns a recent snapshot. While Redis is unreachable this is the last one, because a caller
     * that only wants statistics must not fail.
     */
    private FleetSnapshot cachedSnapshot() {
        var min = worker.settings.maxStatsAge().toMillis();
        var due =
                worker.settledPages - pagesAtRead >= Math.clamp(pagesAtRead / 8, 1, PAGES_MAX)
                        || min == 0;
        return cachedSnapshot(due ? min : Math.max(min, AGE_MAX_MILLIS));
    }

    private FleetSnapshot cachedSnapshot(long maxAge) {
        if (cachedSnapshot.isEmpty() || worker.latestTime - cachedAt >= maxAge) {
            try {
                cachedSnapshot = Optional.of(refreshed());
            } catch (FrontierUnavailableException e) {
                if (cachedSnapshot.isEmpty()) {
                    throw e;
                }
                LOG.debug("using the last snapshot of the fleet: {}", e.getMessage());
            }
            cachedAt = worker.latestTime;
            pagesAtRead = worker.settledPages;
        }
        return cachedSnapshot.get();
    }

    /** Reads the shards that have changed. */
    private FleetSnapshot refreshed() {
        try {
            var changed = worker.shards.agenda.readChanges();
            if (changed.isEmpty()
                    || worker.settings.maxStatsAge().isZero()
                    || worker.latestTime - fullAt >= FULL_MILLIS) {
                views.clear();
                fullAt = worker.latestTime;
            }
            var requests =
                    worker.shards.all().stream()
                            .map(shard -> shard.number)
                            .filter(
                                    shard ->
                                            !views.containsKey(shard)
                                                    || changed.orElseThrow().contains(shard))
                            .map(ShardRequest.View::new)
                            .toList();
            var replies =
                    requests.isEmpty()
                            ? List.<ShardRequest.ShardView>of()
                            : worker.shards.query(requests, worker.latestTime);
            for (var i = 0; i < replies.size(); i++) {
                views.put(requests.get(i).shard(), replies.get(i));
            }
            return FleetSnapshot.of(List.copyOf(views.values()), worker.latestTime);
        } catch (IOException e) {
            throw RedisUnavailableException.ofFrontier(e);
        }
    }

    /** Returns a recent snapshot in which no host waits for a job that is not active here. */
    private FleetSnapshot activeSnapshot() {
        return cachedSnapshot().withoutHostsOf(worker.inactiveJobs);
    }

    /**
     * Returns whether a job has nothing left to do. Shards that are read in sequence do not show
     * one moment: a page may be settled on the second shard after the first was read, with its
     * links. But the numbers of accepted and of ended URLs only grow. So the ended ones are counted
     * first and the accepted ones second; if these are equal, nothing was left at the moment in
     * between.
     */
    boolean isExhausted(JobId job) {
        try {
            return hasNothingLeft(job);
        } catch (FrontierUnavailableException e) {
            LOG.debug("could not check whether the job is exhausted", e);
            return false;
        }
    }

    private boolean hasNothingLeft(JobId job) {
        if (worker.claimedHosts.hasWork(job.number())) {
            checkMillis = 0;
            return false;
        }
        // Less and less often: a worker without work need not be the one that ends the job.
        var min = worker.settings.maxStatsAge().toMillis();
        if (cachedSnapshot.isEmpty()
                || worker.latestTime - cachedAt >= Math.max(min, checkMillis)) {
            checkMillis = Math.clamp(2 * checkMillis, min, AGE_MAX_MILLIS);
            var _ = cachedSnapshot(0);
        }
        var seen = ledger(job);
        if (seen.queued() > 0 || seen.leased() > 0) {
            return false;
        }
        var fleet = snapshot();
        if (fleet.leasingPausedUntil() > 0) {
            return false; // Lost URLs may not have been offered again yet.
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

    NextWork nextWork(Instant now) {
        var time = worker.monotonic(now);
        try {
            if (worker.flush().isStored() && worker.runMaintenance(time).isStored()) {
                return activeSnapshot()
                        .nextWork(localNextWork(time), worker.claimedHosts.all().size(), time);
            }
        } catch (FrontierUnavailableException e) {
            LOG.warn("could not read the fleet's statistics: {}", e.getMessage());
        }
        return NextWork.unknown(worker.claimedHosts.local.nextWork(time).leased());
    }

    /**
     * Returns the next work of this worker's own hosts. A host is not exhausted while Redis has
     * more of its URLs.
     */
    private NextWork localNextWork(Instant now) {
        var own = worker.claimedHosts.local.nextWork(now);
        var due = own.nextDue();
        var on = own.restingHost();
        var delayed = own.delayed();
        for (var mine : worker.claimedHosts.all()) {
            var claimState = worker.claimedHosts.local.claimState(mine.host).orElseThrow();
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

    long pages(int job) {
        return FleetSnapshot.ledger(cachedSnapshot(0).jobCounters(job), 0).pages();
    }

    /**
     * Returns when this worker has something to do next, as far as it knows without a call of
     * Redis.
     */
    Optional<Instant> nextDue(Instant now) {
        var time = worker.monotonic(now);
        var own = localNextWork(time).nextDue();
        var staged = worker.hasStaged() ? worker.stagedUntil() : Long.MAX_VALUE;
        var call = Instant.ofEpochMilli(Math.min(staged, worker.hostClaimer.nextCall()));
        return own.filter(due -> due.isBefore(call)).or(() -> Optional.of(call));
    }

    Ledger ledger() {
        return ledger(cachedSnapshot());
    }

    private Ledger ledger(FleetSnapshot fleet) {
        var leased =
                worker.claimedHosts
                        .local
                        .nextWork(Instant.ofEpochMilli(worker.latestTime))
                        .leased();
        return FleetSnapshot.ledger(fleet.totalCounters(), leased);
    }

    Ledger ledger(JobId job) {
        return FleetSnapshot.ledger(
                cachedSnapshot().jobCounters(job.number()),
                worker.claimedHosts.leased(job.number()));
    }

    FrontierStats stats() {
        var fleet = activeSnapshot();
        return new FrontierStats(
                ledger(fleet),
                fleet.hosts(worker.claimedHosts.local.stats().hosts()),
                FleetSnapshot.deadByCause(fleet.totalCounters()),
                FleetSnapshot.refusedByReason(fleet.totalCounters()));
    }

    FrontierStats stats(JobId job) {
        var fleet = activeSnapshot();
        var counters = fleet.jobCounters(job.number());
        return new FrontierStats(
                FleetSnapshot.ledger(counters, worker.claimedHosts.leased(job.number())),
                fleet.hosts(job.number(), worker.claimedHosts.local.stats(job).hosts()),
                FleetSnapshot.deadByCause(counters),
                FleetSnapshot.refusedByReason(counters));
    }

    /**
     * Lists this worker's hosts by name. Other hosts are only counted, without those of other
     * workers.
     */
    JobHosts hosts(JobId job, int max, Instant now) {
        var own = worker.claimedHosts.local.hosts(job, max, worker.monotonic(now));
        var glance = activeSnapshot();
        return new JobHosts(
                glance.hosts(job.number(), own.counts()),
                own.first(),
                Stream.concat(own.blocked().stream(), glance.blocked(job.number()).stream())
                        .sorted(JobHosts.LATEST_FIRST)
                        .limit(JobHosts.BLOCKED_MAX)
                        .toList());
    }

    long spilledUrls(JobId job) {
        return FleetSnapshot.count(cachedSnapshot().jobCounters(job.number()), Counter.SPILLED);
    }
}
