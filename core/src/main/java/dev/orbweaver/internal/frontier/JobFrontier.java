package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * One job's view of a {@link SharedFrontier}. The dispatcher issues its leases and shares the turns
 * between the jobs. The lengths of its output files are separate from those of other jobs.
 */
final class JobFrontier implements CrawlFrontier {

    private static final Logger LOG = LoggerFactory.getLogger(JobFrontier.class);

    private final SharedFrontier sharedFrontier;
    private final CrawlFrontier delegate;
    private final JobId job;
    private final String directory;
    private final Optional<CommittedLengths> committedLengths;

    /** Leases by token. */
    private final Map<Long, Lease> outstandingLeases = new ConcurrentHashMap<>();

    /** Batches that could not be settled because their output lengths could not be stored. */
    private final Queue<CommitBatch> pendingBatches = new ArrayDeque<>();

    JobFrontier(
            SharedFrontier sharedFrontier,
            CrawlFrontier delegate,
            JobId job,
            String directory,
            Optional<CommittedLengths> committedLengths) {
        this.sharedFrontier = sharedFrontier;
        this.delegate = delegate;
        this.job = job;
        this.directory = directory;
        this.committedLengths = committedLengths;
    }

    @Override
    public FingerprintKey fingerprintKey() {
        return delegate.fingerprintKey();
    }

    @Override
    public void setActive(boolean active) {
        sharedFrontier.setActive(job, active);
    }

    /** Connects the crawl; from now on its job is active, until the view is closed. */
    @Override
    public void attach(CrawlHooks hooks) {
        delegate.attach(hooks);
        setActive(true);
    }

    @Override
    public CommitStatus offer(List<Candidate> candidates, Instant now) {
        return wakeDispatcher(delegate.offer(candidates, now));
    }

    @Override
    public CommitStatus offerSeeds(SeedBatch batch, Instant now) {
        return wakeDispatcher(delegate.offerSeeds(batch, now));
    }

    @Override
    public List<SeedPosition> seedPositions() {
        return delegate.seedPositions();
    }

    /** Wakes the dispatcher, because there may be work now. */
    private CommitStatus wakeDispatcher(CommitStatus status) {
        sharedFrontier.wakeDispatcher();
        return status;
    }

    @Override
    public List<Lease> lease(int max, Instant now) {
        var leases = sharedFrontier.take(job, max);
        leases.forEach(lease -> outstandingLeases.put(lease.token(), lease));
        return leases;
    }

    @Override
    public Optional<Instant> passGates(
            Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        return delegate.passGates(lease, url, address, now);
    }

    @Override
    public void sent(Lease lease, Instant now) {
        delegate.sent(lease, now);
    }

    @Override
    public CommitStatus extend(Lease lease, Instant deadline) {
        return delegate.extend(lease, deadline);
    }

    @Override
    public CommitStatus release(Lease lease, ReleaseReason why, Instant now) {
        outstandingLeases.remove(lease.token());
        return wakeDispatcher(delegate.release(lease, why, now));
    }

    @Override
    public synchronized CommitStatus stage(CommitBatch commitBatch, Instant now) {
        if (committedLengths.isEmpty() || !pendingBatches.isEmpty()) {
            return settle(commitBatch, now);
        }
        try {
            committedLengths.get().write(commitBatch.committedLengths());
        } catch (IOException e) {
            pendingBatches.add(commitBatch);
            return new CommitStatus.Pending(StorageProblem.ofDisk(e));
        }
        forget(commitBatch);
        return wakeDispatcher(
                delegate.stage(new CommitBatch(commitBatch.settlements(), List.of()), now));
    }

    @Override
    public boolean needsResults() {
        return delegate.needsResults();
    }

    @Override
    public CommitStatus storeStaged(boolean force, Instant now) {
        return delegate.storeStaged(force, now);
    }

    @Override
    public synchronized CommitStatus settle(CommitBatch commitBatch, Instant now) {
        if (committedLengths.isPresent()) {
            pendingBatches.add(commitBatch);
            return settlePending(now);
        }
        var named =
                commitBatch.committedLengths().stream()
                        .map(mark -> mark.withName(directory + mark.name()))
                        .toList();
        return settleNow(new CommitBatch(commitBatch.settlements(), named), now);
    }

    /**
     * Settles the pending batches. The lengths are stored first: after a restart, the files must
     * contain everything that is settled.
     */
    private CommitStatus settlePending(Instant now) {
        var rejected = 0;
        for (var commitBatch = pendingBatches.peek();
                commitBatch != null;
                commitBatch = pendingBatches.peek()) {
            try {
                committedLengths.orElseThrow().write(commitBatch.committedLengths());
            } catch (IOException e) {
                return new CommitStatus.Pending(StorageProblem.ofDisk(e));
            }
            pendingBatches.remove(); // Now the frontier has it.
            var status = settleNow(new CommitBatch(commitBatch.settlements(), List.of()), now);
            switch (status) {
                case CommitStatus.Durable _, CommitStatus.Staged _ -> {}
                case CommitStatus.Rejected(var leases) -> rejected += leases;
                case CommitStatus.Pending pending -> {
                    return pending;
                }
            }
        }
        return CommitStatus.ofRejected(rejected);
    }

    private void forget(CommitBatch commitBatch) {
        commitBatch
                .settlements()
                .forEach(settlement -> outstandingLeases.remove(settlement.lease().token()));
    }

    private CommitStatus settleNow(CommitBatch commitBatch, Instant now) {
        forget(commitBatch);
        return wakeDispatcher(delegate.settle(commitBatch, now));
    }

    @Override
    public CommitStatus setCrawlDelay(String host, Duration delay) {
        return delegate.setCrawlDelay(host, delay);
    }

    @Override
    public CommitStatus offerDeferred(
            long capture, List<Candidate> found, Map<Refusal, Integer> refused, Instant now) {
        return wakeDispatcher(delegate.offerDeferred(capture, found, refused, now));
    }

    @Override
    public DeferredLinks deferredLinks() {
        return delegate.deferredLinks();
    }

    @Override
    public synchronized CommitStatus flush() {
        var status = settlePending(sharedFrontier.now());
        return status.isStored() ? delegate.flush() : status;
    }

    /**
     * Reports no due time: turns are shared with other jobs, so the time of the next one is
     * unknown.
     */
    @Override
    public NextWork nextWork(Instant now) {
        var leased = (int) Math.min(Integer.MAX_VALUE, delegate.ledger().leased());
        return sharedFrontier.isExhausted(job)
                ? NextWork.nothingQueued(leased)
                : NextWork.unknown(leased);
    }

    @Override
    public List<CrawlUrl> seeds() {
        return delegate.seeds();
    }

    @Override
    public List<CrawlUrl> seedsFrom(int position) {
        return delegate.seedsFrom(position);
    }

    @Override
    public void forEachSeedHost(Consumer<String> action) {
        delegate.forEachSeedHost(action);
    }

    @Override
    public void forEachNewSeedHost(Consumer<String> action) {
        delegate.forEachNewSeedHost(action);
    }

    @Override
    public List<CommittedLength> committedLengths() {
        return committedLengths.map(CommittedLengths::latest).orElseGet(this::lengthsInFrontier);
    }

    private List<CommittedLength> lengthsInFrontier() {
        return delegate.committedLengths().stream()
                .filter(mark -> mark.name().startsWith(directory))
                .map(mark -> mark.withName(mark.name().substring(directory.length())))
                .toList();
    }

    private void deactivate() {
        try {
            setActive(false);
        } catch (FrontierFailedException e) {
            LOG.debug("the frontier has failed; no job continues", e);
        }
    }

    @Override
    public long queuedBytes() {
        return delegate.queuedBytes();
    }

    @Override
    public Ledger ledger() {
        return delegate.ledger();
    }

    @Override
    public FrontierStats stats() {
        return delegate.stats();
    }

    /**
     * Returns the outstanding leases. Otherwise those of a failed crawl would be unavailable to
     * others until they expire. The job is not active any more.
     */
    @Override
    public void close() {
        for (var lease : List.copyOf(outstandingLeases.values())) {
            outstandingLeases.remove(lease.token());
            SharedFrontier.release(delegate, lease, sharedFrontier.now());
        }
        sharedFrontier.removeJob(job);
        deactivate();
        delegate.close();
        try {
            if (committedLengths.isPresent()) {
                committedLengths.get().close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("could not close the file of committed lengths", e);
        }
    }
}
