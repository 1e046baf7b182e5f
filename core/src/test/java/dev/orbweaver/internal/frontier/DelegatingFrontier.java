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
import java.util.function.Predicate;

/** Passes every call on to another frontier, for those who want to have a word in some. */
public class DelegatingFrontier implements Frontier {

    /** Who is asked. */
    public Frontier inner;

    /** Passes every call on to {@code inner}. */
    protected DelegatingFrontier(Frontier inner) {
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
    public Optional<Instant> passGates(
            Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        return inner.passGates(lease, url, address, now);
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
    public boolean release(Lease lease, ReleaseReason why, Instant now) {
        return inner.release(lease, why, now);
    }

    @Override
    public int settle(CommitBatch commitBatch, Instant now) {
        return inner.settle(commitBatch, now);
    }

    @Override
    public void setCrawlDelay(String host, Duration delay) {
        inner.setCrawlDelay(host, delay);
    }

    @Override
    public void raiseCrawlDelay(String host, Duration delay) {
        inner.raiseCrawlDelay(host, delay);
    }

    @Override
    public void setWeight(JobId job, int weight) {
        inner.setWeight(job, weight);
    }

    @Override
    public void setPoliteness(JobId job, Politeness politeness, Instant now) {
        inner.setPoliteness(job, politeness, now);
    }

    @Override
    public void setIntakeLimits(JobId job, IntakeLimits limits) {
        inner.setIntakeLimits(job, limits);
    }

    @Override
    public void exclude(JobId job, HostSet hosts, Instant now) {
        inner.exclude(job, hosts, now);
    }

    @Override
    public void setAdmissionHook(JobId job, AdmissionHook admissionHook) {
        inner.setAdmissionHook(job, admissionHook);
    }

    @Override
    public void deleteJob(JobId job, Instant now) {
        inner.deleteJob(job, now);
    }

    @Override
    public long requeueDeadLetters(JobId job, Predicate<DeadLetter> which, Instant now) {
        return inner.requeueDeadLetters(job, which, now);
    }

    @Override
    public boolean flushPending() {
        return inner.flushPending();
    }

    @Override
    public void offerDeferred(
            JobId job,
            long capture,
            List<Candidate> found,
            Map<Refusal, Integer> refused,
            Instant now) {
        inner.offerDeferred(job, capture, found, refused, now);
    }

    @Override
    public DeferredLinks deferredLinks(JobId job) {
        return inner.deferredLinks(job);
    }

    @Override
    public long queuedBytes() {
        return inner.queuedBytes();
    }

    @Override
    public NextWork nextWork(Instant now) {
        return inner.nextWork(now);
    }

    @Override
    public boolean isExhausted(JobId job) {
        return inner.isExhausted(job);
    }

    @Override
    public UrlState explain(JobId job, CrawlUrl url) {
        return inner.explain(job, url);
    }

    @Override
    public List<CrawlUrl> seeds(JobId job) {
        return inner.seeds(job);
    }

    @Override
    public List<CommittedLength> committedLengths() {
        return inner.committedLengths();
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
