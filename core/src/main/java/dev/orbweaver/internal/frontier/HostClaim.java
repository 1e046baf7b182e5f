package dev.orbweaver.internal.frontier;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A host that a {@link WorkbenchFrontier} has claimed from a fleet, with some of its URLs.
 *
 * @param delayedUntil when its regular delay ends
 */
public record HostClaim(FrontierEvent.HostState host, long delayedUntil, List<QueuedUrl> urls) {

    public HostClaim {
        urls = List.copyOf(urls);
    }

    /**
     * The state of a claimed host.
     *
     * @param delay the minimum time between two requests, in milliseconds
     * @param leased outstanding leases, including those of other hosts that also request this one
     * @param startToStart whether its delay counts from request start to request start
     * @param waiting URLs in this worker that wait only for their turn, by job
     */
    public record ClaimState(
            FrontierEvent.HostState host,
            long delayedUntil,
            long delay,
            int leased,
            boolean startToStart,
            Map<Integer, Integer> waiting) {

        static ClaimState of(HostQueue host) {
            var waiting = new HashMap<Integer, Integer>(2);
            for (var queue : host.queues()) {
                if (queue.size > 0 && !queue.isExcluded()) {
                    waiting.put(queue.job, queue.size);
                }
            }
            return new ClaimState(
                    host.toState(),
                    host.delayedUntil(),
                    host.delay(),
                    host.leased,
                    host.isStartToStart(),
                    waiting);
        }
    }
}
