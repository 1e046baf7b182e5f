package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.FrontierAdmin;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.JobId;

import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A caller that waits until the disk accepts a pending change, and then continues. */
final class RetryingFrontier extends TestFrontier {

    private static final int TRIES = 3;

    RetryingFrontier(FrontierAdmin inner) {
        super(inner);
    }

    @Override
    protected CommitStatus await(CommitStatus status) {
        var now = status;
        for (var left = TRIES; left > 0 && !now.isStored(); left--) {
            now = inner.job(JOB).flush();
        }
        return super.await(now);
    }

    @Override
    public List<Lease> lease(int max, Map<JobId, Integer> wanted, Instant now) {
        var leases = super.lease(max, wanted, now);
        // Leases that could not be written are withheld, and returned once they are.
        return leases.isEmpty() && flush() ? super.lease(max, wanted, now) : leases;
    }

    @Override
    public Optional<Instant> passGates(
            Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        var _ = super.passGates(lease, url, address, now);
        var _ = flush(); // A request to another host that could not be written has to wait.
        return Optional.empty();
    }
}
