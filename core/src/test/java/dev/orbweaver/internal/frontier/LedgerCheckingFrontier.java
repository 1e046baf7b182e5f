package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Passes every call on and then asks whether the ledger still balances. */
public final class LedgerCheckingFrontier extends DelegatingFrontier {

    /** Watches over {@code inner}. */
    public LedgerCheckingFrontier(Frontier inner) {
        super(inner);
    }

    private <T> T balanced(T result) {
        var ledger = inner.stats().ledger();
        assertThat(ledger.balances()).as("%s balances", ledger).isTrue();
        return result;
    }

    @Override
    public void offer(JobId job, List<Candidate> candidates, Instant now) {
        inner.offer(job, candidates, now);
        var _ = balanced(true);
    }

    @Override
    public List<Lease> lease(int max, Instant now) {
        return balanced(inner.lease(max, now));
    }

    @Override
    public Optional<Instant> passGates(
            Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        return balanced(inner.passGates(lease, url, address, now));
    }

    @Override
    public void sent(Lease lease, Instant now) {
        inner.sent(lease, now);
        var _ = balanced(true);
    }

    @Override
    public boolean extend(Lease lease, Instant deadline) {
        return balanced(inner.extend(lease, deadline));
    }

    @Override
    public boolean release(Lease lease, ReleaseReason why, Instant now) {
        return balanced(inner.release(lease, why, now));
    }

    @Override
    public int settle(CommitBatch commitBatch, Instant now) {
        return balanced(inner.settle(commitBatch, now));
    }

    @Override
    public void setCrawlDelay(String host, Duration delay) {
        inner.setCrawlDelay(host, delay);
        var _ = balanced(true);
    }

    @Override
    public NextWork nextWork(Instant now) {
        return balanced(inner.nextWork(now));
    }

    @Override
    public UrlState explain(JobId job, CrawlUrl url) {
        return balanced(inner.explain(job, url));
    }

    @Override
    public void exclude(JobId job, HostSet hosts, Instant now) {
        inner.exclude(job, hosts, now);
        var _ = balanced(job);
    }

    @Override
    public void deleteJob(JobId job, Instant now) {
        inner.deleteJob(job, now);
        var _ = balanced(job);
    }

    @Override
    public long requeueDeadLetters(JobId job, Predicate<DeadLetter> which, Instant now) {
        return balanced(inner.requeueDeadLetters(job, which, now));
    }
}
