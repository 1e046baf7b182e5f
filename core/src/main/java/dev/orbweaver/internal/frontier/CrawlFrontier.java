package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A crawl's view of its job in a frontier: which URL to fetch next, and when.
 *
 * <p>A frontier never reads a clock and never sleeps: the caller passes the time to every call that
 * depends on it. A call that changes something returns a {@link CommitStatus}. Every implementation
 * passes the same contract tests. Safe for use by several threads.
 */
public interface CrawlFrontier extends AutoCloseable {

    /** Sets whether the job is active ({@link FrontierAdmin#setActive}); a paused crawl is not. */
    void setActive(boolean active);

    /** Returns the key of the fingerprints of all URLs that are passed to this frontier. */
    FingerprintKey fingerprintKey();

    /** Connects the running crawl; {@link #close} disconnects it. */
    void attach(CrawlHooks hooks);

    /** Accepts URLs that the job has not seen before; counts the others as duplicates. */
    CommitStatus offer(List<Candidate> candidates, Instant now);

    /**
     * Stores some lines of a seed list: all of them with the new position, or nothing. Rejected if
     * another process has stored a later position of the list.
     */
    CommitStatus offerSeeds(SeedBatch batch, Instant now);

    /** Returns how far the job's seed lists have been read. */
    List<SeedPosition> seedPositions();

    /** Leases up to {@code max} URLs of hosts that are due. */
    List<Lease> lease(int max, Instant now);

    /**
     * Acquires the gates of a request's host, registrable domain and address, all or none.
     *
     * @param url the URL about to be requested: the lease's own URL, or a robots.txt for it
     * @return empty if the request may be sent now, otherwise when to retry
     */
    Optional<Instant> passGates(Lease lease, CrawlUrl url, InetAddress address, Instant now);

    /**
     * Reports that the request that {@link #passGates} allowed is being sent now. Before this call
     * its gates are closed for all others; after it their delays run.
     */
    void sent(Lease lease, Instant now);

    /** Moves a lease's deadline later; rejected if the lease is no longer held. */
    CommitStatus extend(Lease lease, Instant deadline);

    /**
     * Returns a lease; its URL becomes the first in its host's queue again. Rejected if the lease
     * is no longer held.
     */
    CommitStatus release(Lease lease, ReleaseReason why, Instant now);

    /**
     * Commits a batch atomically: after a crash, all of it or nothing is stored. Settlements whose
     * leases are no longer held are rejected.
     */
    CommitStatus settle(CommitBatch commitBatch, Instant now);

    /**
     * Settles leases like {@link #settle}, but may store them a few seconds later, together with
     * others, where storing is expensive: then the result is {@link CommitStatus.Staged}. Their
     * hosts are free at once. Leases that are not stored when the process dies are issued again.
     */
    default CommitStatus stage(CommitBatch commitBatch, Instant now) {
        return settle(commitBatch, now);
    }

    /**
     * Stores staged settlements if it is time.
     *
     * @param force whether to store them in any case
     * @return {@link CommitStatus.Staged} if it is not time yet
     */
    default CommitStatus storeStaged(boolean force, Instant now) {
        return CommitStatus.durable();
    }

    /**
     * Sets the minimum delay of a host, from its robots.txt. If several jobs share the frontier,
     * the longest delay that any of them read applies.
     */
    CommitStatus setCrawlDelay(String host, Duration delay);

    /** Offers the links of a capture whose links were deferred. Captures are offered in order. */
    CommitStatus offerDeferred(
            long capture, List<Candidate> found, Map<Refusal, Integer> refused, Instant now);

    DeferredLinks deferredLinks();

    /** Returns whether settlements need a {@link VisitResult}. */
    default boolean needsResults() {
        return false;
    }

    CommitStatus flush();

    NextWork nextWork(Instant now);

    /**
     * Returns the seeds, including those reached by redirect from a seed; of many, the first
     * 100,000.
     */
    List<CrawlUrl> seeds();

    /**
     * Returns the seeds from a position on, in the order in which they were stored; some may be
     * stored twice.
     */
    List<CrawlUrl> seedsFrom(int position);

    /** Passes the hosts of all seeds. */
    void forEachSeedHost(Consumer<String> action);

    /**
     * Passes the hosts of seed lists that other processes have read since the last call; with the
     * first call, all that were read before.
     */
    default void forEachNewSeedHost(Consumer<String> action) {}

    /** Returns the lengths of the crawl's output files at the last committed batch. */
    List<CommittedLength> committedLengths();

    /**
     * Returns the approximate number of bytes that the queued URLs of all jobs occupy, in memory
     * and on disk.
     */
    long queuedBytes();

    /** Returns the counts of this job; cheaper than {@link #stats}. */
    Ledger ledger();

    /**
     * Returns the statistics of this job; hosts are shared between jobs, so they count for all
     * jobs.
     */
    FrontierStats stats();

    /** Detaches the crawl and returns its leases; the job keeps its state. */
    @Override
    void close();
}
