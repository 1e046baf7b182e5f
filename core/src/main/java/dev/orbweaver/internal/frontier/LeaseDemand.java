package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.JobId;

import java.util.HashMap;
import java.util.Map;

/** Counts how many more leases each job wants. */
final class LeaseDemand {

    private final boolean all;
    private final Map<Integer, Integer> left = new HashMap<>();

    private LeaseDemand(boolean all) {
        this.all = all;
    }

    static LeaseDemand ofAll() {
        return new LeaseDemand(true);
    }

    /** Creates a demand; all other jobs want none. */
    static LeaseDemand of(Map<JobId, Integer> wanted) {
        var leaseDemand = new LeaseDemand(false);
        wanted.forEach((job, count) -> leaseDemand.left.put(job.number(), count));
        return leaseDemand;
    }

    boolean wants(int job) {
        return all || left.getOrDefault(job, 0) > 0;
    }

    void countLease(int job) {
        left.computeIfPresent(job, (_, count) -> count - 1);
    }
}
