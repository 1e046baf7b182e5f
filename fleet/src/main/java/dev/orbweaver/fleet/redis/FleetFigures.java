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

import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/** Statistics of the whole fleet for one worker, read from all shards and cached briefly. */
final class FleetFigures {

    private static final Logger LOG = LoggerFactory.getLogger(FleetFigures.class);
    private final WorkerState worker;

    private Optional<FleetSnapshot> cachedSnapshot = Optional.empty();

    private long cachedAt;

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
        if (cachedSnapshot.isEmpty()
                || worker.latestTime - cachedAt >= worker.settings.maxStatsAge().toMillis()) {
            try {
                cachedSnapshot = Optional.of(snapshot());
            } catch (FrontierUnavailableException e) {
                if (cachedSnapshot.isEmpty()) {
                    throw e;
                }
                LOG.debug("using the last snapshot of the fleet: {}", e.getMessage());
            }
            cachedAt = worker.latestTime;
        }
        return cachedSnapshot.get();
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
                return cachedSnapshot()
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
        return FleetSnapshot.ledger(snapshot().jobCounters(job), 0).pages();
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
        var fleet = cachedSnapshot();
        return new FrontierStats(
                ledger(fleet),
                fleet.hosts(worker.claimedHosts.local.stats().hosts()),
                FleetSnapshot.deadByCause(fleet.totalCounters()),
                FleetSnapshot.refusedByReason(fleet.totalCounters()));
    }

    FrontierStats stats(JobId job) {
        var fleet = cachedSnapshot();
        var counters = fleet.jobCounters(job.number());
        return new FrontierStats(
                FleetSnapshot.ledger(counters, worker.claimedHosts.leased(job.number())),
                fleet.hosts(worker.claimedHosts.local.stats().hosts()),
                FleetSnapshot.deadByCause(counters),
                FleetSnapshot.refusedByReason(counters));
    }

    /**
     * Lists this worker's hosts by name. Other hosts are only counted, without those of other
     * workers.
     */
    JobHosts hosts(JobId job, int max, Instant now) {
        var own = worker.claimedHosts.local.hosts(job, max, worker.monotonic(now));
        var glance = cachedSnapshot();
        var others =
                glance.hostCounts().getOrDefault(job.number(), FleetSnapshot.JobHostCounts.NONE);
        var counts = own.counts();
        return new JobHosts(
                new FrontierStats.Hosts(
                        counts.idle(),
                        counts.waiting() + others.waiting(),
                        counts.ready() + others.ready(),
                        counts.busy(),
                        counts.resting()),
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
