package dev.orbweaver.frontier.disk;

import dev.orbweaver.frontier.Batch;
import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.frontier.DeadLetter;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierBlockedException;
import dev.orbweaver.frontier.Lease;
import dev.orbweaver.frontier.PassingFrontier;
import dev.orbweaver.frontier.Pause;
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
final class PatientFrontier extends PassingFrontier {

    private static final int TRIES = 3;

    PatientFrontier(Frontier inner) {
        super(inner);
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
        var _ = inner.recover(); // A guest that could not be written down is told to wait instead.
        return Optional.empty();
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
    public void exclude(JobId job, HostSet hosts, Instant now) {
        patiently(() -> inner.exclude(job, hosts, now));
    }

    @Override
    public void deleteJob(JobId job, Instant now) {
        patiently(() -> inner.deleteJob(job, now));
    }

    @Override
    public long revive(JobId job, Predicate<DeadLetter> which, Instant now) {
        patiently(
                () -> {
                    var _ = inner.revive(job, which, now);
                });
        return 0;
    }
}
