package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.list;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.internal.frontier.FrontierEvent.HostState;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.frontier.Ledger;
import dev.orbweaver.internal.frontier.NextWork;
import dev.orbweaver.model.FailureCause;
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
import java.util.TreeSet;

/**
 * The shards' figures, added up.
 *
 * @param hosts hosts ever met
 * @param claimed hosts that some worker holds
 * @param ready hosts that nobody holds and whose turn it is
 * @param waiting hosts that nobody holds and that wait, those that rest included
 * @param resting of these, those that rest
 * @param nextHost whose turn comes first among those waiting
 * @param nextDue when, 0 when none waits
 * @param leasingPausedUntil until when nothing is handed out since Redis was started again; 0 when
 *     it is
 * @param counters of each job
 * @param hostCounts of each job, hosts that nobody holds
 * @param longestResting of every shard, the host that rests for longest
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

    /** A host that nobody holds and that is left alone. */
    record RestingHost(Instant until, HostState state, Set<String> jobs) {

        private static RestingHost of(List<?> answer) {
            return new RestingHost(
                    Instant.ofEpochMilli((long) Double.parseDouble(string(answer.get(1)))),
                    RedisRecordCodec.readHost(string(answer.get(0)), (byte[]) answer.get(2)),
                    Set.of(string(answer.get(3)).split(",", -1)));
        }
    }

    /** Hosts that nobody holds and that keep a job waiting because they asked for it or failed. */
    List<JobHosts.Host> blocked(int job) {
        return longestResting.stream()
                .filter(host -> host.jobs.contains(Integer.toString(job)))
                .flatMap(host -> JobHosts.blocked(host.state, host.until).stream())
                .toList();
    }

    /** Hosts that nobody holds and that have URLs of a job: whose turn it is, and the others. */
    record JobHostCounts(int ready, int waiting) {
        static final JobHostCounts NONE = new JobHostCounts(0, 0);

        JobHostCounts plus(JobHostCounts more) {
            return new JobHostCounts(ready + more.ready, waiting + more.waiting);
        }
    }

    /** When to look again at hosts that are with other workers. */
    static final Duration RECHECK_AFTER = Duration.ofSeconds(1);

    static FleetSnapshot of(List<Object> answers, long now) {
        var sums = new int[5];
        var counters = new TreeMap<Integer, Map<String, Long>>();
        var jobHostCounts = new HashMap<Integer, JobHostCounts>();
        var nextHost = "";
        var nextDue = Long.MAX_VALUE;
        var heldBack = 0L;
        var longest = new ArrayList<RestingHost>();
        for (var answer : answers) {
            var shard = list(answer);
            sums[0] += Integer.parseInt(string(shard.get(0)));
            sums[1] += Integer.parseInt(string(shard.get(1)));
            sums[2] += Integer.parseInt(string(shard.get(2)));
            var hold = (long) Double.parseDouble(string(shard.get(3)));
            heldBack = hold > now ? Math.max(heldBack, hold) : heldBack;
            var resting = list(shard.get(5));
            if (!resting.isEmpty()) {
                longest.add(RestingHost.of(resting));
            }
            for (var each : list(shard.get(4))) {
                var job = list(each);
                var counts =
                        counters.computeIfAbsent(
                                Integer.parseInt(string(job.get(0))), _ -> new HashMap<>());
                var fields = list(job.get(1));
                for (var i = 0; i < fields.size(); i += 2) {
                    counts.merge(
                            string(fields.get(i)),
                            Long.parseLong(string(fields.get(i + 1))),
                            Long::sum);
                }
                var these =
                        new JobHostCounts(
                                Integer.parseInt(string(job.get(2))),
                                Integer.parseInt(string(job.get(3))));
                jobHostCounts.merge(
                        Integer.parseInt(string(job.get(0))), these, JobHostCounts::plus);
                sums[3] += these.ready;
                sums[4] += these.waiting;
                var due = string(job.get(5));
                if (!due.isEmpty() && (long) Double.parseDouble(due) < nextDue) {
                    nextDue = (long) Double.parseDouble(due);
                    nextHost = string(job.get(4));
                }
            }
        }
        return new FleetSnapshot(
                sums[0],
                sums[1],
                sums[3],
                sums[4],
                sums[2],
                nextHost,
                nextDue == Long.MAX_VALUE ? 0 : nextDue,
                heldBack,
                counters,
                jobHostCounts,
                longest);
    }

    /** What a worker waits for that holds some hosts itself. */
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
        // What others hold is not done: a worker that leaves for want of work would leave it to
        // them.
        var waitsForOthers = claimed > holds || leasingPausedUntil > 0;
        if (waitsForOthers) {
            var look = now.plus(RECHECK_AFTER);
            due = due.isPresent() && due.get().isBefore(look) ? due : Optional.of(look);
        }
        return new NextWork(
                own.ready() || (ready > 0 && leasingPausedUntil == 0),
                own.leased(),
                own.delayed() + waiting - resting + (waitsForOthers ? 1 : 0),
                due,
                on,
                on.equals(own.restingHost()) ? own.restReason() : "");
    }

    /** Hosts by state, with those of a worker that knows more of its own. */
    FrontierStats.Hosts hosts(FrontierStats.Hosts own) {
        return new FrontierStats.Hosts(
                own.idle() + hosts - claimed - ready - waiting,
                own.waiting() + waiting - resting,
                own.ready() + ready,
                own.busy() + Math.max(0, claimed - own.total()),
                own.resting() + resting);
    }

    /** All jobs' counters together. */
    Map<String, Long> totalCounters() {
        var total = new HashMap<String, Long>();
        counters.values()
                .forEach(job -> job.forEach((field, by) -> total.merge(field, by, Long::sum)));
        return total;
    }

    Map<String, Long> jobCounters(int job) {
        return counters.getOrDefault(job, Map.of());
    }

    /** A ledger of counters; what workers hold but have not asked for yet is queued. */
    static Ledger ledger(Map<String, Long> of, long leased) {
        var refusals = sum(of, "r.");
        var withdrawn = of.getOrDefault("wd", 0L);
        var duplicate = of.getOrDefault("dup", 0L);
        var accepted = of.getOrDefault("acc", 0L);
        var atTheDoor = refusals - withdrawn;
        return new Ledger(
                duplicate + atTheDoor + accepted,
                duplicate,
                atTheDoor,
                accepted,
                of.getOrDefault("q", 0L) + of.getOrDefault("c", 0L) - leased,
                leased,
                of.getOrDefault("done", 0L),
                sum(of, "d."),
                withdrawn,
                of.getOrDefault("pages", 0L),
                of.getOrDefault("bytes", 0L));
    }

    private static long sum(Map<String, Long> of, String prefix) {
        return of.entrySet().stream()
                .filter(each -> each.getKey().startsWith(prefix))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    static Map<Refusal, Long> refusedByReason(Map<String, Long> of) {
        var byReason = new EnumMap<Refusal, Long>(Refusal.class);
        for (var why : Refusal.values()) {
            var count = of.getOrDefault("r." + why.id(), 0L);
            if (count > 0) {
                byReason.put(why, count);
            }
        }
        return byReason;
    }

    static Map<FailureCause, Long> deadByCause(Map<String, Long> of) {
        var byCause = new EnumMap<FailureCause, Long>(FailureCause.class);
        for (var cause : FailureCause.values()) {
            var count = of.getOrDefault("d." + cause.id(), 0L);
            if (count > 0) {
                byCause.put(cause, count);
            }
        }
        return byCause;
    }

    /** The jobs that any shard knows. */
    TreeSet<Integer> jobs() {
        return new TreeSet<>(counters.keySet());
    }
}
