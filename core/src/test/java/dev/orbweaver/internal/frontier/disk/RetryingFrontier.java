package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.DelegatingFrontier;
import dev.orbweaver.internal.frontier.Frontier;
import dev.orbweaver.internal.frontier.FrontierBlockedException;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** A caller who, told that the disk did not take it, waits until it does and then goes on. */
final class RetryingFrontier extends DelegatingFrontier {

    private static final int TRIES = 3;

    RetryingFrontier(Frontier inner) {
        super(inner);
    }

    private void retry(Runnable call) {
        try {
            call.run();
        } catch (FrontierBlockedException e) {
            for (var left = TRIES; !inner.flushPending(); left--) {
                if (left == 0) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void offer(JobId job, List<Candidate> candidates, Instant now) {
        retry(() -> inner.offer(job, candidates, now));
    }

    @Override
    public List<Lease> lease(int max, Instant now) {
        var leases = inner.lease(max, now);
        // What could not be written is withheld, and handed out when it is.
        if (leases.isEmpty() && inner.flushPending()) {
            return inner.lease(max, now);
        }
        return leases;
    }

    @Override
    public Optional<Instant> passGates(
            Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        retry(
                () -> {
                    var _ = inner.passGates(lease, url, address, now);
                });
        var _ = inner.flushPending(); // A guest that could not be written down is told to wait
        // instead.
        return Optional.empty();
    }

    @Override
    public boolean extend(Lease lease, Instant deadline) {
        retry(
                () -> {
                    var _ = inner.extend(lease, deadline);
                });
        return true;
    }

    @Override
    public boolean release(Lease lease, ReleaseReason why, Instant now) {
        retry(
                () -> {
                    var _ = inner.release(lease, why, now);
                });
        return true;
    }

    @Override
    public int settle(CommitBatch commitBatch, Instant now) {
        retry(
                () -> {
                    var _ = inner.settle(commitBatch, now);
                });
        return 0;
    }

    @Override
    public void setCrawlDelay(String host, Duration delay) {
        retry(() -> inner.setCrawlDelay(host, delay));
    }

    @Override
    public void exclude(JobId job, HostSet hosts, Instant now) {
        retry(() -> inner.exclude(job, hosts, now));
    }

    @Override
    public void deleteJob(JobId job, Instant now) {
        retry(() -> inner.deleteJob(job, now));
    }

    @Override
    public long requeueDeadLetters(JobId job, Predicate<DeadLetter> which, Instant now) {
        retry(
                () -> {
                    var _ = inner.requeueDeadLetters(job, which, now);
                });
        return 0;
    }
}
