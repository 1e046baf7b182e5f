package dev.orbweaver.frontier;

import dev.orbweaver.frontier.HostView.State;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Optional;

/**
 * The hosts that have URLs of one job.
 *
 * @param counts how many there are in which state; those without work of the job are idle
 * @param first some of those with work: the ones being asked, then in the order of their turns
 */
public record JobHosts(FrontierStats.Hosts counts, List<Host> first) {

    /** Nothing is known of any. */
    public static final JobHosts NONE =
            new JobHosts(new FrontierStats.Hosts(0, 0, 0, 0, 0), List.of());

    /**
     * One of them.
     *
     * @param queued URLs of the job that wait
     * @param leased requests that may be under way, of all jobs
     * @param due from when on it may be asked; nothing where that is now, or nobody can say
     * @param delay between two requests, as it is now
     */
    public record Host(
            String host,
            long queued,
            int leased,
            State state,
            Optional<Instant> due,
            Duration delay) {}

    /** Keeps the list unchangeable. */
    public JobHosts {
        first = List.copyOf(first);
    }

    /** Counts, and names so many; the hosts' states are as their schedule last found them. */
    static JobHosts of(Workbench bench, int job, int max) {
        var counts = new EnumMap<State, Integer>(State.class);
        var working = new ArrayList<HostQueue>();
        for (var host : bench.hosts.inOrder()) {
            var queue = host.queueOf(job);
            if (queue != null) {
                var works = queue.total() > 0 || host.leased > 0;
                counts.merge(works ? host.state : State.IDLE, 1, Integer::sum);
                if (works) {
                    working.add(host);
                }
            }
        }
        working.sort(
                Comparator.<HostQueue, Boolean>comparing(host -> host.state != State.BUSY)
                        .thenComparingLong(HostQueue::due)
                        .thenComparing(host -> host.name));
        return new JobHosts(
                new FrontierStats.Hosts(
                        counts.getOrDefault(State.IDLE, 0),
                        counts.getOrDefault(State.WAITING, 0),
                        counts.getOrDefault(State.READY, 0),
                        counts.getOrDefault(State.BUSY, 0),
                        counts.getOrDefault(State.RESTING, 0)),
                working.stream().limit(max).map(host -> view(host, job)).toList());
    }

    private static Host view(HostQueue host, int job) {
        var queue = host.queueOf(job);
        return new Host(
                host.name,
                queue == null ? 0 : queue.total(),
                host.leased,
                host.state,
                host.state == State.WAITING || host.state == State.RESTING
                        ? Optional.of(Instant.ofEpochMilli(host.due()))
                        : Optional.empty(),
                Duration.ofMillis(host.delay()));
    }
}
