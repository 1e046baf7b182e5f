package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.frontier.HostView.State;
import dev.orbweaver.model.Ledger;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * An overview of a workbench that another process may be using. Its leases count as outstanding,
 * not as lost.
 *
 * @param at the time of the overview
 * @param jobs the ledger of each job, by number
 * @param longestQueues the hosts with the most URLs
 * @param nextDue the hosts in the order in which they are due
 */
public record FrontierOverview(
        Instant at,
        FrontierStats stats,
        SortedMap<Integer, Ledger> jobs,
        List<HostView> longestQueues,
        List<HostView> nextDue) {

    /**
     * Counts all URLs and lists {@code hosts} hosts.
     *
     * @param live whether a process is crawling; if not, no time passes, because every wait
     *     continues where it stopped when the frontier is opened again
     */
    public static FrontierOverview of(Workbench bench, int hosts, Instant now, boolean live) {
        var at = live ? now : Instant.ofEpochMilli(bench.latestTime());
        var stats = FrontierStats.of(bench, at); // Also updates each host's state.
        var jobs = new TreeMap<Integer, Ledger>();
        bench.counters().forEach((job, jobCounters) -> jobs.put(job, jobCounters.ledger()));
        var byName = Comparator.<HostQueue, String>comparing(host -> host.name);
        return new FrontierOverview(
                at,
                stats,
                jobs,
                first(
                        bench,
                        HostQueue::hasWork,
                        Comparator.comparingLong(HostQueue::queued)
                                .reversed()
                                .thenComparing(byName),
                        hosts),
                first(
                        bench,
                        host -> due(host).isPresent(),
                        Comparator.comparingLong(HostQueue::due).thenComparing(byName),
                        hosts));
    }

    private static List<HostView> first(
            Workbench bench, Predicate<HostQueue> which, Comparator<HostQueue> order, int count) {
        return bench.hosts.inOrder().stream()
                .filter(which)
                .sorted(order)
                .limit(count)
                .map(
                        host ->
                                new HostView(
                                        host.name,
                                        host.queued(),
                                        host.leased,
                                        priority(host),
                                        host.turn.state,
                                        due(host)))
                .toList();
    }

    private static OptionalInt priority(HostQueue host) {
        return host.queues().stream()
                .filter(queue -> queue.size > 0 && !queue.isExcluded())
                .mapToInt(queue -> Priority.scoreOfRank(queue.firstRank()))
                .max();
    }

    private static Optional<Instant> due(HostQueue host) {
        return host.turn.state == State.IDLE || host.turn.state == State.BUSY
                ? Optional.empty()
                : Optional.of(Instant.ofEpochMilli(host.due()));
    }
}
