package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.JobId;

import java.util.HashMap;
import java.util.Map;

/** How many more leases each job wants. */
final class Demand {

    private final boolean all;
    private final Map<Integer, Integer> left = new HashMap<>();

    private Demand(boolean all) {
        this.all = all;
    }

    /** Every job wants any number. */
    static Demand ofAll() {
        return new Demand(true);
    }

    /** These jobs want so many, all others none. */
    static Demand of(Map<JobId, Integer> wanted) {
        var demand = new Demand(false);
        wanted.forEach((job, count) -> demand.left.put(job.number(), count));
        return demand;
    }

    boolean wants(int job) {
        return all || left.getOrDefault(job, 0) > 0;
    }

    void countLease(int job) {
        left.computeIfPresent(job, (_, count) -> count - 1);
    }
}
