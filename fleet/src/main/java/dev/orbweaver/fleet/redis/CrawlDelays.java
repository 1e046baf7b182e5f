package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.WorkbenchFrontier;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Sends delays from robots.txt files to Redis; each is kept until the host's shard has it. */
final class CrawlDelays {

    private final WorkerState worker;

    /** Delays that Redis does not have yet, by host. */
    private final Map<String, Duration> unsentDelays = new HashMap<>();

    CrawlDelays(WorkerState worker) {
        this.worker = worker;
    }

    /** Raises the minimum delay of a host: other workers may have read a longer one. */
    CommitStatus raise(String host, Duration delay) {
        if (delay.isPositive()) {
            unsentDelays.merge(
                    host, WorkbenchFrontier.clamp(delay), (a, b) -> a.compareTo(b) > 0 ? a : b);
        }
        return worker.flush();
    }

    /** Sends the delays; each is kept until it is sent. */
    CommitStatus send() {
        var status = CommitStatus.durable();
        for (var left = unsentDelays.entrySet().iterator(); left.hasNext() && status.isStored(); ) {
            var next = left.next();
            status = setCrawlDelay(next.getKey(), next.getValue());
            left.remove();
        }
        return status;
    }

    private CommitStatus setCrawlDelay(String host, Duration delay) {
        var time = Instant.ofEpochMilli(worker.latestTime);
        if (worker.claimedHosts.find(host).isEmpty()) {
            var claim = worker.hostClaimer.claimHost(host, true, worker.latestTime);
            if (claim.host().isEmpty()) {
                sendCrawlDelay(host, delay);
                return CommitStatus.durable();
            }
            worker.claimedHosts.addClaimed(claim.host().get(), worker.latestTime).markChanged();
        }
        var local = worker.claimedHosts.local.raiseCrawlDelay(host, delay);
        return worker.claimedHosts.hasChanges() ? worker.sendChanges(time) : local;
    }

    private void sendCrawlDelay(String host, Duration delay) {
        var shard = worker.shards.shardOf(host);
        var _ =
                worker.shards.query(
                        new ShardRequest.ReportCrawlDelay(shard, host, delay.toMillis()),
                        worker.latestTime);
    }
}
