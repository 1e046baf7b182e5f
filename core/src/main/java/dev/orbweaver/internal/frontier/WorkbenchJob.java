package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** One job of a {@link WorkbenchFrontier}, as its crawl sees it. */
final class WorkbenchJob implements CrawlFrontier {

    private final WorkbenchFrontier frontier;
    private final JobId job;

    WorkbenchJob(WorkbenchFrontier frontier, JobId job) {
        this.frontier = frontier;
        this.job = job;
    }

    @Override
    public FingerprintKey fingerprintKey() {
        return frontier.fingerprintKey();
    }

    /**
     * Does nothing: every lease belongs to this process, so none is revoked, and the crawl counts
     * its own pages.
     */
    @Override
    public void attach(CrawlHooks hooks) {
        frontier.attach(job, hooks);
    }

    @Override
    public void setActive(boolean active) {
        frontier.setActive(List.of(job), active);
    }

    @Override
    public CommitStatus offer(List<Candidate> candidates, Instant now) {
        return frontier.offer(job, candidates, now);
    }

    @Override
    public CommitStatus offerSeeds(SeedBatch batch, Instant now) {
        return frontier.offerSeeds(job, batch, now);
    }

    @Override
    public List<SeedPosition> seedPositions() {
        return frontier.seedPositions(job);
    }

    @Override
    public List<Lease> lease(int max, Instant now) {
        return frontier.lease(max, Map.of(job, max), now);
    }

    @Override
    public Optional<Instant> passGates(
            Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        return frontier.passGates(lease, url, address, now);
    }

    @Override
    public void sent(Lease lease, Instant now) {
        frontier.sent(lease, now);
    }

    @Override
    public CommitStatus extend(Lease lease, Instant deadline) {
        return frontier.extend(lease, deadline);
    }

    @Override
    public CommitStatus release(Lease lease, ReleaseReason why, Instant now) {
        return frontier.release(lease, why, now);
    }

    @Override
    public CommitStatus settle(CommitBatch commitBatch, Instant now) {
        return frontier.settle(commitBatch, now);
    }

    /**
     * Sets the crawl delay. A robots.txt with a shorter delay than before lowers it, unless other
     * jobs read it too.
     */
    @Override
    public CommitStatus setCrawlDelay(String host, Duration delay) {
        return frontier.hasOtherJobs(job)
                ? frontier.raiseCrawlDelay(host, delay)
                : frontier.setCrawlDelay(host, delay);
    }

    @Override
    public CommitStatus offerDeferred(
            long capture, List<Candidate> found, Map<Refusal, Integer> refused, Instant now) {
        return frontier.offerDeferred(job, capture, found, refused, now);
    }

    @Override
    public DeferredLinks deferredLinks() {
        return frontier.deferredLinks(job);
    }

    @Override
    public CommitStatus flush() {
        return frontier.flush();
    }

    /**
     * Returns the next work. Only if this is the only active job is it known which waiting hosts
     * have work of this job. The hosts of a paused job do not wait, but it is not exhausted.
     */
    @Override
    public NextWork nextWork(Instant now) {
        if (frontier.isActive(job) && !frontier.hasOtherJobs(job)) {
            return frontier.nextWork(now);
        }
        var ledger = frontier.ledger(job);
        var leased = (int) Math.min(Integer.MAX_VALUE, ledger.leased());
        return ledger.queued() == 0 ? NextWork.nothingQueued(leased) : NextWork.unknown(leased);
    }

    @Override
    public List<CrawlUrl> seeds() {
        return frontier.seedsFrom(job, 0);
    }

    @Override
    public List<CrawlUrl> seedsFrom(int position) {
        return frontier.seedsFrom(job, position);
    }

    @Override
    public void forEachSeedHost(Consumer<String> action) {
        frontier.forEachSeedHost(job, action);
    }

    @Override
    public List<CommittedLength> committedLengths() {
        return frontier.committedLengths();
    }

    @Override
    public long queuedBytes() {
        return frontier.queuedBytes();
    }

    @Override
    public Ledger ledger() {
        return frontier.ledger(job);
    }

    @Override
    public FrontierStats stats() {
        return frontier.stats(job);
    }

    @Override
    public void close() {
        frontier.detach(job);
    }
}
