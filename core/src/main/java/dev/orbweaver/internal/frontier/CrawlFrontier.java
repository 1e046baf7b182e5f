package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Refusal;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A crawl's view of its job in a frontier: what to fetch next, and when.
 *
 * <p>A frontier never reads a clock and never sleeps: every call that depends on time is given the
 * time. A call that changes something returns a {@link CommitStatus}. Every implementation passes
 * the same contract tests. Safe for use by several threads.
 */
public interface CrawlFrontier extends AutoCloseable {

    /** The key of the fingerprints of all URLs that are passed to it. */
    FingerprintKey fingerprintKey();

    /** Connects the running crawl; {@link #close} disconnects it. */
    void attach(CrawlHooks hooks);

    /** Accepts URLs that the job has not seen before; the rest are counted as duplicates. */
    CommitStatus offer(List<Candidate> candidates, Instant now);

    /** Up to {@code max} URLs of hosts that are due. */
    List<Lease> lease(int max, Instant now);

    /**
     * Takes the gates of a request's host, registrable domain and address, all or none.
     *
     * @param url what is about to be requested: the lease's own URL, or a robots.txt for it
     * @return empty if the request may be sent now, otherwise when to try again
     */
    Optional<Instant> passGates(Lease lease, CrawlUrl url, InetAddress address, Instant now);

    /**
     * Reports that the request that {@link #passGates} allowed is being sent now. Until then its
     * gates are closed for all others; from now on their delays run.
     */
    void sent(Lease lease, Instant now);

    /** Moves a lease's deadline later; rejected if the lease is no longer held. */
    CommitStatus extend(Lease lease, Instant deadline);

    /**
     * Returns a lease; its URL is first in its host's queue again. Rejected if the lease is no
     * longer held.
     */
    CommitStatus release(Lease lease, ReleaseReason why, Instant now);

    /**
     * Commits a batch as one: wholly or, after a crash, not at all. Settlements whose leases are no
     * longer held are rejected.
     */
    CommitStatus settle(CommitBatch commitBatch, Instant now);

    /**
     * Sets the minimum delay of a host, from its robots.txt. Where several jobs share the frontier,
     * the longest that any of them read is kept.
     */
    CommitStatus setCrawlDelay(String host, Duration delay);

    /** Offers the links of a capture that had deferred them. Captures are offered in order. */
    CommitStatus offerDeferred(
            long capture, List<Candidate> found, Map<Refusal, Integer> refused, Instant now);

    DeferredLinks deferredLinks();

    CommitStatus flush();

    NextWork nextWork(Instant now);

    /** The seeds, including those reached by redirect from a seed. */
    List<CrawlUrl> seeds();

    /** The lengths of the crawl's output files at the last committed batch. */
    List<CommittedLength> committedLengths();

    /** About how many bytes the queued URLs of all jobs take, in memory and on disk. */
    long queuedBytes();

    /** The counts of this job; cheaper than {@link #stats}. */
    Ledger ledger();

    /** The figures of this job; hosts, which jobs share, are those of all. */
    FrontierStats stats();

    /** Detaches the crawl and returns its leases; the job stays as it is. */
    @Override
    void close();
}
