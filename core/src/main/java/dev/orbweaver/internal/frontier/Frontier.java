package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What to crawl next, and when.
 *
 * <p>A frontier never reads a clock and never sleeps: every call that depends on time is told what
 * time it is. Once a call returns, what it did survives the death of the process. When the disk
 * fails it throws a {@link FrontierBlockedException}, and goes on once the disk works again. Every
 * implementation passes the same contract tests.
 */
public interface Frontier extends AutoCloseable {

    /** The key under which the fingerprints of all URLs that are given to it must be taken. */
    FingerprintKey fingerprintKey();

    /** Takes in URLs the job has not met before; the rest are counted as duplicates. */
    void offer(JobId job, List<Candidate> candidates, Instant now);

    /** Up to {@code max} URLs of hosts whose turn it is. */
    List<Lease> lease(int max, Instant now);

    /**
     * The same for some jobs only, of each no more than it wants; the others' turns are not used
     * up. Leases that a failing disk held back may come on top.
     */
    List<Lease> lease(int max, Map<JobId, Integer> wanted, Instant now);

    /**
     * Takes the gates of a request's host, registrable domain and address, all or none.
     *
     * @param url what is about to be requested: the lease's own URL, or a robots.txt on its behalf
     * @return nothing when the request may go out now, otherwise when to try again
     */
    Optional<Instant> passGates(Lease lease, CrawlUrl url, InetAddress address, Instant now);

    /**
     * The request that {@link #passGates} let through is going out now. Until then its gates are
     * closed to everybody; from now on their delays run.
     */
    void sent(Lease lease, Instant now);

    /** Puts off a lease's deadline; false when the lease is no longer held. */
    boolean extend(Lease lease, Instant deadline);

    /**
     * Gives a lease back; its URL is first in its host's queue again. False when the lease is no
     * longer held.
     */
    boolean release(Lease lease, ReleaseReason why, Instant now);

    /**
     * Commits a batch as one: wholly or, after a crash, not at all. A settlement whose lease is no
     * longer held changes nothing.
     *
     * @return how many settlements were refused for that
     */
    int settle(CommitBatch commitBatch, Instant now);

    /**
     * Whether the frontier cannot be written because it lies elsewhere and nobody answers there:
     * that is waited for, however long it takes. As the last {@link #flushPending} found it.
     */
    default boolean isUnreachable() {
        return false;
    }

    /** Sets the least delay of a host, as its robots.txt asks for. */
    void setCrawlDelay(String host, Duration delay);

    /**
     * The same where several crawls ask: one that knows of no delay, or of a shorter one, because
     * it read another file of the host's or was told otherwise, takes nothing back.
     */
    void raiseCrawlDelay(String host, Duration delay);

    /** Sets a job's share of the turns against those of the others; 1 unless set. */
    void setWeight(JobId job, int weight);

    /**
     * Sets how polite a job is; as the frontier unless set. A host that several jobs want is
     * treated as the strictest of them asks, and so are addresses, domains and groups, whoever
     * wants them.
     */
    void setPoliteness(JobId job, Politeness politeness, Instant now);

    /** Sets how much a job may take in from now on; no limits unless set. */
    void setIntakeLimits(JobId job, IntakeLimits limits);

    /**
     * Leaves hosts alone from now on: what a job has waiting on them is withdrawn, and no more of
     * them is taken in. What was withdrawn on a host that is no longer among them waits again.
     */
    void exclude(JobId job, HostSet hosts, Instant now);

    /** Sets who is shown what a job takes in from now on. */
    void setAdmissionHook(JobId job, AdmissionHook admissionHook);

    /**
     * Forgets a job: its queues, its keys, its counts. Its leases end, with their hosts' delays
     * kept; what comes back of them is refused.
     */
    void deleteJob(JobId job, Instant now);

    /**
     * Bounds the leases of a job by the pages it may still have. A frontier of one crawl need not:
     * the crawl counts its own leases.
     */
    default void setPageLimit(JobId job, long pages) {}

    /**
     * Tells of leases of a job whose requests must be aborted at once, as others may pass their
     * gates. It is called from any thread.
     */
    default void onRevoked(JobId job, Consumer<Lease> abort) {}

    /**
     * Takes dead letters of a job back into their hosts' queues, with their attempts forgotten.
     * Their hosts are asked again even where they had been given up. A crash may leave some of them
     * taken back and others not; then the same call takes back the others.
     *
     * @return how many were taken back
     */
    long requeueDeadLetters(JobId job, Predicate<DeadLetter> which, Instant now);

    /**
     * Tries to write what the disk would not take.
     *
     * @return whether nothing is left to be written
     */
    boolean flushPending();

    /**
     * Takes in the links of a capture that had deferred them. Captures are taken up in their order.
     */
    void offerDeferred(
            JobId job,
            long capture,
            List<Candidate> found,
            Map<Refusal, Integer> refused,
            Instant now);

    /** What a job has deferred. */
    DeferredLinks deferredLinks(JobId job);

    /** About how many bytes the queued URLs take, in memory and on disk. */
    long queuedBytes();

    /** What the frontier waits for. */
    NextWork nextWork(Instant now);

    /** Whether a job has nothing left to do, now or later, here or anywhere. */
    boolean isExhausted(JobId job);

    /** Where a URL stands. */
    UrlState explain(JobId job, CrawlUrl url);

    /** The seeds of a job, those that came by redirect from a seed included. */
    List<CrawlUrl> seeds(JobId job);

    /** The output lengths of the last committed batch. */
    List<CommittedLength> committedLengths();

    /** Where every URL of all jobs is; cheaper than {@link #stats}. */
    Ledger ledger();

    /** Where every URL of a job is. */
    Ledger ledger(JobId job);

    /** The figures. */
    FrontierStats stats();

    /** The figures of a job; hosts, which jobs share, are those of all. */
    FrontierStats stats(JobId job);

    /**
     * The hosts that have URLs of a job. A fleet, whose hosts are with many workers, names none.
     *
     * @param max how many are named
     */
    default JobHosts hosts(JobId job, int max, Instant now) {
        return JobHosts.NONE;
    }

    @Override
    void close();
}
