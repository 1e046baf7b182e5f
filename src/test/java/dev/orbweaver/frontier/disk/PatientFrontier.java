package dev.orbweaver.frontier.disk;

import dev.orbweaver.frontier.Batch;
import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.frontier.DeadLetter;
import dev.orbweaver.frontier.DeferredLinks;
import dev.orbweaver.frontier.Explanation;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierBlockedException;
import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.IntakeLimits;
import dev.orbweaver.frontier.Lease;
import dev.orbweaver.frontier.Ledger;
import dev.orbweaver.frontier.Outlook;
import dev.orbweaver.frontier.Pause;
import dev.orbweaver.frontier.Usher;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** A caller who, told that the disk did not take it, waits until it does and then goes on. */
final class PatientFrontier implements Frontier {

    private static final int TRIES = 3;

    private final Frontier inner;

    PatientFrontier(Frontier inner) {
        this.inner = inner;
    }

    private void patiently(Runnable call) {
        try {
            call.run();
        } catch (FrontierBlockedException e) {
            for (var left = TRIES; !inner.recover(); left--) {
                if (left == 0) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void offer(JobId job, List<Candidate> candidates, Instant now) {
        patiently(() -> inner.offer(job, candidates, now));
    }

    @Override
    public List<Lease> lease(int max, Instant now) {
        var leases = inner.lease(max, now);
        // What could not be written is withheld, and handed out when it is.
        if (leases.isEmpty() && inner.recover()) {
            return inner.lease(max, now);
        }
        return leases;
    }

    @Override
    public Optional<Instant> pass(Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        patiently(
                () -> {
                    var _ = inner.pass(lease, url, address, now);
                });
        return Optional.empty();
    }

    @Override
    public void sent(Lease lease, Instant now) {
        inner.sent(lease, now);
    }

    @Override
    public boolean extend(Lease lease, Instant deadline) {
        patiently(
                () -> {
                    var _ = inner.extend(lease, deadline);
                });
        return true;
    }

    @Override
    public boolean release(Lease lease, Pause why, Instant now) {
        patiently(
                () -> {
                    var _ = inner.release(lease, why, now);
                });
        return true;
    }

    @Override
    public int settle(Batch batch, Instant now) {
        patiently(
                () -> {
                    var _ = inner.settle(batch, now);
                });
        return 0;
    }

    @Override
    public void slowDown(String host, Duration delay) {
        patiently(() -> inner.slowDown(host, delay));
    }

    @Override
    public void weigh(JobId job, int weight) {
        inner.weigh(job, weight);
    }

    @Override
    public void show(JobId job, Usher usher) {
        inner.show(job, usher);
    }

    @Override
    public void limit(JobId job, IntakeLimits limits) {
        inner.limit(job, limits);
    }

    @Override
    public void deleteJob(JobId job, Instant now) {
        patiently(() -> inner.deleteJob(job, now));
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
    public long revive(JobId job, Predicate<DeadLetter> which, Instant now) {
        patiently(
                () -> {
                    var _ = inner.revive(job, which, now);
                });
        return 0;
    }

    @Override
    public boolean recover() {
        return inner.recover();
    }

    @Override
    public Outlook outlook(Instant now) {
        return inner.outlook(now);
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
    public void close() {
        inner.close();
    }
}
