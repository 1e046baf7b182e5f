package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
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
import java.util.function.Predicate;

/**
 * One job's part of a {@link SharedFrontier}. Its crawl need not know that there are others: it
 * speaks of {@link JobId#ONLY}, and its own job is meant, whatever that one's number.
 *
 * <p>An outlook is that of the job as far as the ledger tells it: whether anything is left. Which
 * of the hosts that wait are its own is not asked, as that would mean to look at all of them; so a
 * job among others is never given up for nothing but resting hosts.
 */
final class JobFrontier implements Frontier {

    private static final Logger LOG = LoggerFactory.getLogger(JobFrontier.class);
    private static final Duration ASK_AGAIN = Duration.ofMillis(200);

    private final SharedFrontier sharedFrontier;
    private final Frontier delegate;
    private final JobId ownJob;
    private final String directory;
    private final Optional<CommittedLengths> committedLengths;

    /** What is out, by token. */
    private final Map<Long, Lease> outstandingLeases = new ConcurrentHashMap<>();

    /** Batches whose marks could not be written down, so that they could not be settled either. */
    private final Queue<CommitBatch> pendingBatches = new ArrayDeque<>();

    JobFrontier(
            SharedFrontier table,
            Frontier whole,
            JobId own,
            String directory,
            Optional<CommittedLengths> committedLengths) {
        this.sharedFrontier = table;
        this.delegate = whole;
        this.ownJob = own;
        this.directory = directory;
        this.committedLengths = committedLengths;
    }

    @Override
    public FingerprintKey fingerprintKey() {
        return delegate.fingerprintKey();
    }

    @Override
    public void offer(JobId job, List<Candidate> candidates, Instant now) {
        delegate.offer(ownJob, candidates, now);
        sharedFrontier.wakeDispatcher();
    }

    @Override
    public List<Lease> lease(int max, Instant now) {
        var leases = sharedFrontier.take(ownJob, max);
        leases.forEach(lease -> outstandingLeases.put(lease.token(), lease));
        return leases;
    }

    @Override
    public List<Lease> lease(int max, Map<JobId, Integer> wanted, Instant now) {
        return lease(Math.min(max, wanted.getOrDefault(JobId.ONLY, 0)), now);
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
    public boolean extend(Lease lease, Instant deadline) {
        return delegate.extend(lease, deadline);
    }

    @Override
    public boolean release(Lease lease, ReleaseReason why, Instant now) {
        outstandingLeases.remove(lease.token());
        var held = delegate.release(lease, why, now);
        sharedFrontier.wakeDispatcher();
        return held;
    }

    @Override
    public synchronized int settle(CommitBatch commitBatch, Instant now) {
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

    /** First the marks: what is settled must be found in the files by whoever comes after us. */
    private int settlePending(Instant now) {
        var refused = 0;
        for (var commitBatch = pendingBatches.peek();
                commitBatch != null;
                commitBatch = pendingBatches.peek()) {
            try {
                committedLengths.orElseThrow().write(commitBatch.committedLengths());
            } catch (IOException e) {
                throw new FrontierBlockedException(e);
            }
            pendingBatches.remove(); // From here on it is the frontier's.
            refused += settleNow(new CommitBatch(commitBatch.settlements(), List.of()), now);
        }
        return refused;
    }

    private int settleNow(CommitBatch commitBatch, Instant now) {
        commitBatch
                .settlements()
                .forEach(settlement -> outstandingLeases.remove(settlement.lease().token()));
        var refused = delegate.settle(commitBatch, now);
        sharedFrontier.wakeDispatcher();
        return refused;
    }

    @Override
    public void setCrawlDelay(String host, Duration delay) {
        delegate.raiseCrawlDelay(host, delay);
    }

    @Override
    public void raiseCrawlDelay(String host, Duration delay) {
        delegate.raiseCrawlDelay(host, delay);
    }

    @Override
    public void setWeight(JobId job, int weight) {
        delegate.setWeight(ownJob, weight);
    }

    @Override
    public void setPoliteness(JobId job, Politeness politeness, Instant now) {
        delegate.setPoliteness(ownJob, politeness, now);
    }

    @Override
    public void setIntakeLimits(JobId job, IntakeLimits limits) {
        delegate.setIntakeLimits(ownJob, limits);
    }

    @Override
    public void setPageLimit(JobId job, long pages) {
        delegate.setPageLimit(ownJob, pages);
    }

    @Override
    public void onRevoked(JobId job, Consumer<Lease> abort) {
        delegate.onRevoked(ownJob, abort);
    }

    @Override
    public void exclude(JobId job, HostSet hosts, Instant now) {
        delegate.exclude(ownJob, hosts, now);
        sharedFrontier.wakeDispatcher();
    }

    @Override
    public void setAdmissionHook(JobId job, AdmissionHook admissionHook) {
        delegate.setAdmissionHook(ownJob, admissionHook);
    }

    @Override
    public void deleteJob(JobId job, Instant now) {
        sharedFrontier.removeJob(ownJob);
        delegate.deleteJob(ownJob, now);
    }

    @Override
    public long requeueDeadLetters(JobId job, Predicate<DeadLetter> which, Instant now) {
        var revived = delegate.requeueDeadLetters(ownJob, which, now);
        sharedFrontier.wakeDispatcher();
        return revived;
    }

    @Override
    public synchronized boolean flushPending() {
        try {
            var _ = settlePending(sharedFrontier.now());
        } catch (FrontierBlockedException e) {
            return false;
        }
        return delegate.flushPending();
    }

    @Override
    public boolean isUnreachable() {
        return delegate.isUnreachable();
    }

    @Override
    public void offerDeferred(
            JobId job,
            long capture,
            List<Candidate> found,
            Map<Refusal, Integer> refused,
            Instant now) {
        delegate.offerDeferred(ownJob, capture, found, refused, now);
        sharedFrontier.wakeDispatcher();
    }

    @Override
    public DeferredLinks deferredLinks(JobId job) {
        return delegate.deferredLinks(ownJob);
    }

    @Override
    public long queuedBytes() {
        return delegate.queuedBytes();
    }

    @Override
    public NextWork nextWork(Instant now) {
        var waiting = !delegate.isExhausted(ownJob);
        return new NextWork(
                false,
                (int) Math.min(Integer.MAX_VALUE, delegate.ledger(ownJob).leased()),
                waiting ? 1 : 0,
                waiting ? Optional.of(now.plus(ASK_AGAIN)) : Optional.empty(),
                "");
    }

    @Override
    public boolean isExhausted(JobId job) {
        return delegate.isExhausted(ownJob);
    }

    @Override
    public UrlState explain(JobId job, CrawlUrl url) {
        return delegate.explain(ownJob, url);
    }

    @Override
    public List<CrawlUrl> seeds(JobId job) {
        return delegate.seeds(ownJob);
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

    @Override
    public Ledger ledger() {
        return delegate.ledger(ownJob);
    }

    @Override
    public Ledger ledger(JobId job) {
        return delegate.ledger(ownJob);
    }

    @Override
    public FrontierStats stats() {
        return delegate.stats(ownJob);
    }

    @Override
    public FrontierStats stats(JobId job) {
        return delegate.stats(ownJob);
    }

    @Override
    public JobHosts hosts(JobId job, int max, Instant now) {
        return delegate.hosts(ownJob, max, now);
    }

    /** A crawl that broke off leaves URLs out, which nobody else would get until they are lost. */
    private void releaseOutstanding() {
        for (var lease : List.copyOf(outstandingLeases.values())) {
            try {
                var _ =
                        release(
                                lease,
                                new ReleaseReason.Stopping(sharedFrontier.now()),
                                sharedFrontier.now());
            } catch (FrontierBlockedException e) {
                LOG.warn("a lease is given back in memory only: {}", e.getMessage());
            } catch (FrontierFailedException e) {
                LOG.warn("a lease is given back when the frontier is opened again");
            }
        }
    }

    /** The frontier outlives the crawl and must not keep it in memory. */
    private void detachCrawl() {
        delegate.onRevoked(ownJob, _ -> {});
        try {
            delegate.setAdmissionHook(ownJob, AdmissionHook.NONE);
        } catch (FrontierFailedException e) {
            LOG.debug("it ends with the frontier", e);
        }
    }

    @Override
    public void close() {
        releaseOutstanding();
        sharedFrontier.removeJob(ownJob);
        detachCrawl();
        try {
            if (committedLengths.isPresent()) {
                committedLengths.get().close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the marks of the outputs cannot be closed", e);
        }
    }
}
