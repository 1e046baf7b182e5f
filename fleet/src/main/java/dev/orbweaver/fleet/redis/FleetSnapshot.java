package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.ScriptConstants.Counter;
import dev.orbweaver.fleet.redis.ScriptConstants.CounterGroup;
import dev.orbweaver.fleet.redis.ShardRequest.RestingHost;
import dev.orbweaver.fleet.redis.ShardRequest.ShardView;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.frontier.NextWork;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The aggregated statistics of all shards.
 *
 * @param hosts hosts ever seen
 * @param ready unclaimed hosts that are due
 * @param waiting unclaimed hosts that are not due, including resting ones
 * @param nextHost the first of the waiting hosts to become due
 * @param nextDue when, 0 if none waits
 * @param leasingPausedUntil end of the pause after a restart of Redis, else 0
 * @param counters by job
 * @param hostCounts unclaimed hosts by job
 * @param longestResting the host of each shard that rests for longest
 */
record FleetSnapshot(
        int hosts,
        int claimed,
        int ready,
        int waiting,
        int resting,
        String nextHost,
        long nextDue,
        long leasingPausedUntil,
        Map<Integer, Map<String, Long>> counters,
        Map<Integer, JobHostCounts> hostCounts,
        List<RestingHost> longestResting) {

    /** Returns this snapshot without the unclaimed hosts of some jobs. */
    FleetSnapshot withoutHostsOf(Set<JobId> jobs) {
        var left = new HashMap<>(hostCounts);
        left.keySet().removeIf(job -> jobs.contains(new JobId(job)));
        if (left.size() == hostCounts.size()) {
            return this;
        }
        return new FleetSnapshot(
                hosts,
                claimed,
                left.values().stream().mapToInt(JobHostCounts::ready).sum(),
                left.values().stream().mapToInt(JobHostCounts::waiting).sum(),
                resting,
                nextHost,
                left.values().stream().allMatch(JobHostCounts.NONE::equals) ? 0 : nextDue,
                leasingPausedUntil,
                counters,
                left,
                longestResting);
    }

    /** Returns the unclaimed hosts that block a job because of Retry-After or failures. */
    List<JobHosts.Host> blocked(int job) {
        return longestResting.stream()
                .filter(host -> host.jobs().contains(job))
                .flatMap(host -> JobHosts.blocked(host.state(), host.until()).stream())
                .toList();
    }

    /** Unclaimed hosts with URLs of a job, by whether they are due. */
    record JobHostCounts(int ready, int waiting) {
        static final JobHostCounts NONE = new JobHostCounts(0, 0);

        JobHostCounts plus(JobHostCounts more) {
            return new JobHostCounts(ready + more.ready, waiting + more.waiting);
        }
    }

    /** How soon hosts that other workers have claimed are checked again. */
    static final Duration RECHECK_AFTER = Duration.ofSeconds(1);

    static FleetSnapshot of(List<ShardView> shards, long now) {
        var hosts = 0;
        var claimed = 0;
        var resting = 0;
        var ready = 0;
        var waiting = 0;
        var counters = new TreeMap<Integer, Map<String, Long>>();
        var hostCounts = new HashMap<Integer, JobHostCounts>();
        var nextHost = "";
        var nextDue = Long.MAX_VALUE;
        var pausedUntil = 0L;
        var longest = new ArrayList<RestingHost>();
        for (var shard : shards) {
            hosts += shard.hosts();
            claimed += shard.claimed();
            resting += shard.resting();
            if (shard.pausedUntil() > now) {
                pausedUntil = Math.max(pausedUntil, shard.pausedUntil());
            }
            longest.addAll(shard.longestResting());
            for (var job : shard.jobs()) {
                var sums = counters.computeIfAbsent(job.job(), _ -> new HashMap<>());
                job.counters().forEach((counter, count) -> sums.merge(counter, count, Long::sum));
                hostCounts.merge(
                        job.job(),
                        new JobHostCounts(job.ready(), job.waiting()),
                        JobHostCounts::plus);
                ready += job.ready();
                waiting += job.waiting();
                if (job.nextDue() < nextDue) {
                    nextDue = job.nextDue();
                    nextHost = job.nextHost();
                }
            }
        }
        return new FleetSnapshot(
                hosts,
                claimed,
                ready,
                waiting,
                resting,
                nextHost,
                nextDue == Long.MAX_VALUE ? 0 : nextDue,
                pausedUntil,
                counters,
                hostCounts,
                longest);
    }

    /** Returns the next work of a worker that has claimed some hosts itself. */
    NextWork nextWork(NextWork own, int holds, Instant now) {
        var due = own.nextDue();
        var on = own.restingHost();
        if (nextDue > 0) {
            var turn = Instant.ofEpochMilli(nextDue);
            if (due.isEmpty() || turn.isBefore(due.get())) {
                due = Optional.of(turn);
                on = nextHost;
            }
        }
        // Hosts of other workers are not finished: if this worker ended now, it would leave all
        // their URLs to the others.
        var waitsForOthers = claimed > holds || leasingPausedUntil > 0;
        if (waitsForOthers) {
            var look = now.plus(RECHECK_AFTER);
            due = due.isPresent() && due.get().isBefore(look) ? due : Optional.of(look);
        }
        return new NextWork(
                own.ready() || (ready > 0 && leasingPausedUntil == 0),
                own.leased(),
                own.delayed() + Math.max(0, waiting - resting) + (waitsForOthers ? 1 : 0),
                due,
                on,
                on.equals(own.restingHost()) ? own.restReason() : "");
    }

    /** Returns the hosts by state; {@code own} replaces the figures of this worker's hosts. */
    FrontierStats.Hosts hosts(FrontierStats.Hosts own) {
        return new FrontierStats.Hosts(
                own.idle() + hosts - claimed - ready - waiting,
                own.waiting() + Math.max(0, waiting - resting),
                own.ready() + ready,
                own.busy() + Math.max(0, claimed - own.total()),
                own.resting() + resting);
    }

    /**
     * Returns the hosts of a job by state: those that this worker has claimed, and the unclaimed
     * ones.
     */
    FrontierStats.Hosts hosts(int job, FrontierStats.Hosts own) {
        var others = hostCounts.getOrDefault(job, JobHostCounts.NONE);
        return new FrontierStats.Hosts(
                own.idle(),
                own.waiting() + others.waiting(),
                own.ready() + others.ready(),
                own.busy(),
                own.resting());
    }

    Map<String, Long> totalCounters() {
        var total = new HashMap<String, Long>();
        counters.values()
                .forEach(job -> job.forEach((field, by) -> total.merge(field, by, Long::sum)));
        return total;
    }

    /** Returns the hosts by state; those that workers have claimed are busy. */
    FrontierStats.Hosts hostsByState() {
        return hosts(new FrontierStats.Hosts(0, 0, 0, 0, 0));
    }

    /** Returns the statistics of a job; URLs that workers have claimed count as leased. */
    FrontierStats stats(int job) {
        var of = jobCounters(job);
        return new FrontierStats(
                ledger(of, count(of, Counter.CLAIMED)),
                hosts(job, new FrontierStats.Hosts(0, 0, 0, 0, 0)),
                deadByCause(of),
                refusedByReason(of));
    }

    Map<String, Long> jobCounters(int job) {
        return counters.getOrDefault(job, Map.of());
    }

    /**
     * Returns a ledger of counters; URLs that workers have claimed but not requested yet are
     * queued.
     */
    static Ledger ledger(Map<String, Long> of, long leased) {
        var withdrawn = count(of, Counter.WITHDRAWN);
        var duplicate = count(of, Counter.DUPLICATES);
        var accepted = count(of, Counter.ACCEPTED);
        var refused = sum(of, CounterGroup.REFUSED) - withdrawn;
        return new Ledger(
                duplicate + refused + accepted,
                duplicate,
                refused,
                accepted,
                count(of, Counter.QUEUED) + count(of, Counter.CLAIMED) - leased,
                leased,
                count(of, Counter.DONE),
                sum(of, CounterGroup.DEAD),
                withdrawn,
                count(of, Counter.PAGES),
                count(of, Counter.BYTES));
    }

    static long count(Map<String, Long> of, Counter counter) {
        return of.getOrDefault(counter.text(), 0L);
    }

    static long sum(Map<String, Long> of, CounterGroup group) {
        return of.entrySet().stream()
                .filter(each -> each.getKey().startsWith(group.text()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    static Map<Refusal, Long> refusedByReason(Map<String, Long> of) {
        var byReason = new EnumMap<Refusal, Long>(Refusal.class);
        for (var why : Refusal.values()) {
            var count = of.getOrDefault(CounterGroup.refused(why), 0L);
            if (count > 0) {
                byReason.put(why, count);
            }
        }
        return byReason;
    }

    static Map<FailureCause, Long> deadByCause(Map<String, Long> of) {
        var byCause = new EnumMap<FailureCause, Long>(FailureCause.class);
        for (var cause : FailureCause.values()) {
            var count = of.getOrDefault(CounterGroup.dead(cause), 0L);
            if (count > 0) {
                byCause.put(cause, count);
            }
        }
        return byCause;
    }
}
