package dev.orbweaver.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.url.FingerprintKey;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Passes every call on to another frontier, for those who want to have a word in some. */
public class PassingFrontier implements Frontier {

    /** Who is asked. */
    protected Frontier inner;

    /** Passes every call on to {@code inner}. */
    protected PassingFrontier(Frontier inner) {
        this.inner = inner;
    }

    @Override
    public FingerprintKey fingerprintKey() {
        return inner.fingerprintKey();
    }

    @Override
    public void offer(JobId job, List<Candidate> candidates, Instant now) {
        inner.offer(job, candidates, now);
    }

    @Override
    public List<Lease> lease(int max, Instant now) {
        return inner.lease(max, now);
    }

    @Override
    public List<Lease> lease(int max, Map<JobId, Integer> wanted, Instant now) {
        return inner.lease(max, wanted, now);
    }

    @Override
    public Optional<Instant> pass(Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        return inner.pass(lease, url, address, now);
    }

    @Override
    public void sent(Lease lease, Instant now) {
        inner.sent(lease, now);
    }

    @Override
    public boolean extend(Lease lease, Instant deadline) {
        return inner.extend(lease, deadline);
    }

    @Override
    public boolean release(Lease lease, Pause why, Instant now) {
        return inner.release(lease, why, now);
    }

    @Override
    public int settle(Batch batch, Instant now) {
        return inner.settle(batch, now);
    }

    @Override
    public void slowDown(String host, Duration delay) {
        inner.slowDown(host, delay);
    }

    @Override
    public void slowDownAtLeast(String host, Duration delay) {
        inner.slowDownAtLeast(host, delay);
    }

    @Override
    public void weigh(JobId job, int weight) {
        inner.weigh(job, weight);
    }

    @Override
    public void keepTo(JobId job, Politeness politeness, Instant now) {
        inner.keepTo(job, politeness, now);
    }

    @Override
    public void limit(JobId job, IntakeLimits limits) {
        inner.limit(job, limits);
    }

    @Override
    public void exclude(JobId job, HostSet hosts, Instant now) {
        inner.exclude(job, hosts, now);
    }

    @Override
    public void show(JobId job, Usher usher) {
        inner.show(job, usher);
    }

    @Override
    public void deleteJob(JobId job, Instant now) {
        inner.deleteJob(job, now);
    }

    @Override
    public long revive(JobId job, Predicate<DeadLetter> which, Instant now) {
        return inner.revive(job, which, now);
    }

    @Override
    public boolean recover() {
        return inner.recover();
    }

    @Override
    public void takeUp(
            JobId job,
            long capture,
            List<Candidate> found,
            Map<Refusal, Integer> refused,
            Instant now) {
        inner.takeUp(job, capture, found, refused, now);
    }

    @Override
    public DeferredLinks deferred(JobId job) {
        return inner.deferred(job);
    }

    @Override
    public long queuedBytes() {
        return inner.queuedBytes();
    }

    @Override
    public Outlook outlook(Instant now) {
        return inner.outlook(now);
    }

    @Override
    public boolean exhausted(JobId job) {
        return inner.exhausted(job);
    }

    @Override
    public Explanation explain(JobId job, CrawlUrl url) {
        return inner.explain(job, url);
    }

    @Override
    public List<CrawlUrl> seeds(JobId job) {
        return inner.seeds(job);
    }

    @Override
    public List<FileMark> marks() {
        return inner.marks();
    }

    @Override
    public Ledger ledger() {
        return inner.ledger();
    }

    @Override
    public Ledger ledger(JobId job) {
        return inner.ledger(job);
    }

    @Override
    public FrontierStats stats() {
        return inner.stats();
    }

    @Override
    public FrontierStats stats(JobId job) {
        return inner.stats(job);
    }

    @Override
    public JobHosts hosts(JobId job, int max, Instant now) {
        return inner.hosts(job, max, now);
    }

    @Override
    public void close() {
        inner.close();
    }
}
