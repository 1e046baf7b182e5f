package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.CrawlHooks;
import dev.orbweaver.internal.frontier.DeferredLinks;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.NextWork;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.frontier.SeedBatch;
import dev.orbweaver.internal.frontier.SeedPosition;
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

/** One job of a fleet, as seen by the crawl of one worker. */
final class RedisJob implements CrawlFrontier {

    private final RedisFrontier frontier;
    private final JobId job;

    /** The number of hosts of seed lists that were passed on. */
    private long knownSeedHosts;

    RedisJob(RedisFrontier frontier, JobId job) {
        this.frontier = frontier;
        this.job = job;
    }

    @Override
    public FingerprintKey fingerprintKey() {
        return frontier.fingerprintKey();
    }

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
        if (!batch.revisits().isEmpty()) {
            throw new UnsupportedOperationException("a fleet job cannot be visited again");
        }
        return frontier.offerSeeds(job, batch, now);
    }

    @Override
    public List<SeedPosition> seedPositions() {
        return frontier.seedPositions(job);
    }

    @Override
    public void forEachSeedHost(Consumer<String> action) {
        seeds().forEach(seed -> action.accept(seed.host()));
    }

    @Override
    public synchronized void forEachNewSeedHost(Consumer<String> action) {
        List<String> some;
        do {
            some = frontier.seedHosts(job, knownSeedHosts);
            some.forEach(action);
            knownSeedHosts += some.size();
        } while (!some.isEmpty());
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

    @Override
    public CommitStatus stage(CommitBatch commitBatch, Instant now) {
        return frontier.stage(commitBatch, now);
    }

    @Override
    public CommitStatus storeStaged(boolean force, Instant now) {
        return frontier.storeStaged(force, now);
    }

    @Override
    public CommitStatus setCrawlDelay(String host, Duration delay) {
        return frontier.raiseCrawlDelay(host, delay);
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
    public boolean needsResults() {
        return frontier.plansRevisits(job);
    }

    @Override
    public CommitStatus flush() {
        return frontier.flush();
    }

    /**
     * Returns the next work. When the next host is due is known only for all jobs together, not for
     * one.
     */
    @Override
    public NextWork nextWork(Instant now) {
        var leased = (int) Math.min(Integer.MAX_VALUE, frontier.ledger(job).leased());
        return frontier.isExhausted(job)
                ? NextWork.nothingQueued(leased)
                : NextWork.unknown(leased);
    }

    @Override
    public List<CrawlUrl> seedsFrom(int position) {
        return frontier.seedsFrom(job, position);
    }

    @Override
    public List<CrawlUrl> seeds() {
        return frontier.seeds(job);
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
