package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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

    /** Sets a job's share of the turns relative to the other jobs; the default is 1. */
    void setWeight(JobId job, int weight);

    /**
     * Sets the politeness of a job; the default is that of the frontier. If several jobs crawl a
     * host, the strictest settings apply, and likewise for addresses, domains and groups.
     */
    void setPoliteness(JobId job, Politeness politeness, Instant now);

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

    FrontierStats stats();

    /**
     * Returns the statistics of a job; hosts are shared between jobs, so they count for all jobs.
     */
    FrontierStats stats(JobId job);

    /**
     * Returns the hosts that have URLs of a job. A fleet worker lists the hosts that it has
     * claimed.
     *
     * @param max how many are listed
     */
    JobHosts hosts(JobId job, int max, Instant now);

    @Override
    void close();
}
