package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.JobId;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts how many more leases each job wants during one call; the caller's map is not copied. */
final class LeaseDemand {

    private final boolean all;
    private final Map<JobId, Integer> wanted;
    private final Map<Integer, Integer> taken = new HashMap<>();

    private LeaseDemand(boolean all, Map<JobId, Integer> wanted) {
        this.all = all;
        this.wanted = wanted;
    }

    static LeaseDemand ofAll() {
        return new LeaseDemand(true, Map.of());
    }

    /** Creates a demand; all other jobs want none. */
    static LeaseDemand of(Map<JobId, Integer> wanted) {
        return new LeaseDemand(false, wanted);
    }

    boolean wants(int job) {
        return all || wanted.getOrDefault(new JobId(job), 0) > taken.getOrDefault(job, 0);
    }

    /** Returns whether fewer than a number of jobs want a lease. */
    boolean isOfFewerJobs(int number) {
        return !all && wanted.size() < number;
    }

    /** Returns the jobs that want a lease; not for the demand of all jobs. */
    List<Integer> wantingJobs() {
        var jobs = new ArrayList<Integer>(wanted.size());
        for (var job : wanted.keySet()) {
            if (wants(job.number())) {
                jobs.add(job.number());
            }
        }
        return jobs;
    }

    void countLease(int job) {
        taken.merge(job, 1, Integer::sum);
    }
}
