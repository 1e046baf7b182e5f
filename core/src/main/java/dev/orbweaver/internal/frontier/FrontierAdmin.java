package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** All jobs of a frontier, for those that run, configure and inspect them. */
public interface FrontierAdmin extends AutoCloseable {

    /** The view that the crawl of a job works on; closing it leaves the frontier open. */
    CrawlFrontier job(JobId job);

    /**
     * Leases for several jobs at once, so that turns are shared by weight: of each job no more than
     * it wants. Leases that a failing storage held back may be returned as well.
     */
    List<Lease> lease(int max, Map<JobId, Integer> wanted, Instant now);

    NextWork nextWork(Instant now);

    /** Sets a job's share of the turns against those of the others; 1 unless set. */
    void setWeight(JobId job, int weight);

    /**
     * Sets how polite a job is; as the frontier unless set. For a host that several jobs crawl the
     * strictest settings hold, and likewise for addresses, domains and groups.
     */
    void setPoliteness(JobId job, Politeness politeness, Instant now);

    /** Sets how much a job may accept from now on; no limits unless set. */
    void setIntakeLimits(JobId job, IntakeLimits limits);

    /**
     * Excludes hosts: what a job has queued on them is withdrawn, and no more of them is accepted.
     * What was withdrawn on a host that is no longer among them is queued again.
     */
    CommitStatus exclude(JobId job, HostSet hosts, Instant now);

    /**
     * Deletes a job: its queues, its seen set, its counts. Its leases end, with their hosts' delays
     * kept; their settlements are rejected.
     */
    CommitStatus deleteJob(JobId job, Instant now);

    /**
     * Queues dead letters of a job again, with their attempts reset. The circuit breakers of their
     * hosts are closed. A crash may leave some of them queued and others not; then the same call
     * queues the others.
     */
    Requeued requeueDeadLetters(JobId job, Predicate<DeadLetter> which, Instant now);

    record Requeued(long urls, CommitStatus status) {

        /** For callers that may repeat the call. */
        public long requireStored() {
            if (status instanceof CommitStatus.Pending(var problem)) {
                throw new FrontierUnavailableException(problem, new IOException(problem.message()));
            }
            return urls;
        }
    }

    /** Whether a job has nothing left to do, now or later, here or on another worker. */
    boolean isExhausted(JobId job);

    UrlState explain(JobId job, CrawlUrl url);

    /** The output lengths of the last committed batch of every job. */
    List<CommittedLength> committedLengths();

    /** The counts of all jobs; cheaper than {@link #stats}. */
    Ledger ledger();

    FrontierStats stats();

    /** The figures of a job; hosts, which jobs share, are those of all. */
    FrontierStats stats(JobId job);

    /**
     * The hosts that have URLs of a job. A worker of a fleet names those that it has claimed.
     *
     * @param max how many are named
     */
    JobHosts hosts(JobId job, int max, Instant now);

    @Override
    void close();
}
