package dev.orbweaver.server.metrics;

import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Counts what the jobs of this process have done since its start.
 *
 * <p>A Prometheus counter must not decrease, but the ledgers of jobs do: a job is deleted, or its
 * pages are visited again. So the increases of each job's ledger are added up.
 */
public final class ProcessLedger {

    private final Map<JobId, Ledger> last = new HashMap<>();
    private Ledger total = new Ledger(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Begins with a job that has a ledger from an earlier process. */
    public synchronized void begin(JobId job, Ledger ledger) {
        last.put(job, ledger);
    }

    /** Adds what a job has done since the last call. */
    public synchronized void update(JobId job, Ledger ledger) {
        var before = last.put(job, ledger);
        total = total.plus(before == null ? ledger : increase(before, ledger));
    }

    /** Forgets all jobs but these. */
    public synchronized void retain(Collection<JobId> jobs) {
        last.keySet().retainAll(jobs);
    }

    /** Returns the sums; queued and leased URLs are not counted. */
    public synchronized Ledger total() {
        return total;
    }

    private static Ledger increase(Ledger before, Ledger now) {
        return new Ledger(
                increase(before, now, Ledger::offered),
                increase(before, now, Ledger::duplicate),
                increase(before, now, Ledger::refused),
                increase(before, now, Ledger::accepted),
                0,
                0,
                increase(before, now, Ledger::done),
                increase(before, now, Ledger::dead),
                increase(before, now, Ledger::withdrawn),
                increase(before, now, Ledger::pages),
                increase(before, now, Ledger::bytes));
    }

    private static long increase(Ledger before, Ledger now, ToLongFunction<Ledger> count) {
        return Math.max(0, count.applyAsLong(now) - count.applyAsLong(before));
    }
}
