package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import java.time.Instant;
import java.util.Map;

public record FrontierStats(
        Ledger ledger,
        Hosts hosts,
        Map<FailureCause, Long> deadByCause,
        Map<Refusal, Long> refusedByReason) {

    /** Counts hosts with work by state; hosts without work are idle. */
    public record Hosts(int idle, int waiting, int ready, int busy, int resting) {

        /** Returns the number of all hosts ever seen. */
        public int total() {
            return idle + waiting + ready + busy + resting;
        }
    }

    public FrontierStats {
        deadByCause = Map.copyOf(deadByCause);
        refusedByReason = Map.copyOf(refusedByReason);
    }

    static FrontierStats of(JobCounters counters, Hosts hosts) {
        return new FrontierStats(
                counters.ledger(), hosts, counters.deadByCause(), counters.refusedByReason());
    }

    /**
     * Returns the statistics of a workbench that another process uses: its leases are outstanding,
     * not lost.
     */
    public static FrontierStats of(Workbench bench, Instant now) {
        return of(bench.totalCounters(), schedule(bench, now).hosts());
    }

    /** Returns the statistics of one job of such a workbench, with the hosts of that job. */
    public static FrontierStats of(Workbench bench, JobId job, Instant now) {
        return of(
                bench.countersOrZero(job.number()),
                schedule(bench, now).hosts(job.number(), bench.hostsOf(job.number())));
    }

    private static HostSchedule schedule(Workbench bench, Instant now) {
        var schedule = new HostSchedule(bench.effectivePoliteness);
        bench.hosts.inOrder().forEach(host -> schedule.reschedule(host, now.toEpochMilli()));
        return schedule;
    }
}
