package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;

import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Manages all jobs of a frontier, for code that runs, configures and inspects them. */
public interface FrontierAdmin extends AutoCloseable {

    /** Returns a view for the crawl of one job; closing it leaves the frontier open. */
    CrawlFrontier job(JobId job);

    /**
     * Leases URLs for several jobs at once, so that turns are shared by weight. No job gets more
     * than it wants. Leases that a failing storage held back may be returned as well.
     */
    List<Lease> lease(int max, Map<JobId, Integer> wanted, Instant now);

    NextWork nextWork(Instant now);

    /**
     * Returns when the frontier should be asked for leases again if it had none; cheaper than
     * {@link #nextWork}.
     */
    default Optional<Instant> nextDue(Instant now) {
        return nextWork(now).nextDue();
    }

    /** Sets a job's share of the turns relative to the other jobs; the default is 1. */
    void setWeight(JobId job, int weight);

    /**
     * Sets the politeness of a job; the default is that of the frontier. If several active jobs
     * have URLs on a host, the strictest settings apply. For addresses, domains and groups they are
     * the strictest of all active jobs.
     */
    void setPoliteness(JobId job, Politeness politeness, Instant now);

    /**
     * Sets whether jobs are active, as they are by default. URLs of an inactive job stay queued and
     * are not leased. Its hosts are idle unless another job has work there, and its settings do not
     * count for other jobs. A job is inactive if its crawl has ended, is paused or was not started
     * yet, and it has no leases; this is not stored.
     */
    void setActive(Collection<JobId> jobs, boolean active);

    /** Sets how much a job may accept from now on; the default is no limit. */
    void setIntakeLimits(JobId job, IntakeLimits limits);

    /**
     * Excludes hosts: a job's queued URLs on them are withdrawn, and no more are accepted. URLs
     * that were withdrawn on a host that is no longer in the set are queued again.
     */
    CommitStatus exclude(JobId job, HostSet hosts, Instant now);

    /**
     * Deletes a job: its queues, its seen set, its counts. Its leases end, with their hosts' delays
     * kept; their settlements are rejected.
     */
    CommitStatus deleteJob(JobId job, Instant now);

    /**
     * Requeues dead letters of a job, with their attempts reset, and closes the circuit breakers of
     * their hosts. A crash may leave only some of them queued; then the same call queues the
     * others.
     */
    Requeued requeueDeadLetters(JobId job, Predicate<DeadLetter> which, Instant now);

    record Requeued(long urls, CommitStatus status) {

        /**
         * Returns the count, or throws if the change is pending; for callers that may repeat the
         * call.
         */
        public long requireStored() {
            if (status instanceof CommitStatus.Pending(var problem)) {
                throw new FrontierUnavailableException(problem, new IOException(problem.message()));
            }
            return urls;
        }
    }

    /** Returns whether a job has nothing left to do, now or later, here or on another worker. */
    boolean isExhausted(JobId job);

    UrlState explain(JobId job, CrawlUrl url);

    /** Returns the output lengths of the last committed batch of every job. */
    List<CommittedLength> committedLengths();

    /** Returns the counts of all jobs; cheaper than {@link #stats}. */
    Ledger ledger();

    /** Returns the number of outstanding leases of all jobs in this process. */
    long leased();

    FrontierStats stats();

    /** Returns the statistics of a job, with the hosts on which it has or had URLs. */
    FrontierStats stats(JobId job);

    /** Returns the politeness of a job on a host, with the stricter settings of other jobs. */
    HostPoliteness politeness(JobId job, String host);

    /** Returns the settings of other jobs for addresses, domains and groups that a job obeys. */
    List<ForeignSetting> foreignSettings(JobId job);

    /**
     * Returns the hosts that have URLs of a job. A fleet worker lists the hosts that it has
     * claimed.
     *
     * @param max how many are listed
     */
    JobHosts hosts(JobId job, int max, Instant now);

    /** Returns a host of a job; empty if it is not among those that {@link #hosts} lists. */
    default Optional<JobHosts.Host> host(JobId job, String name, Instant now) {
        return hosts(job, Integer.MAX_VALUE, now).first().stream()
                .filter(host -> host.host().equals(name))
                .findFirst();
    }

    @Override
    void close();
}
