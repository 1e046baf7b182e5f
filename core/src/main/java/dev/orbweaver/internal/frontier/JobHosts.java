package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.frontier.HostView.State;

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
 * @param counts by state; hosts without work of the job are idle
 * @param first some of the hosts with work: those being requested, then the others in the order of
 *     their turns
 * @param blocked some of the hosts that rest because of Retry-After or failures, the longest rest
 *     first
 */
public record JobHosts(FrontierStats.Hosts counts, List<Host> first, List<Host> blocked) {

    public static final int BLOCKED_MAX = 5;

    /** Orders hosts by due time, the latest first. */
    public static final Comparator<Host> LATEST_FIRST =
            Comparator.<Host, Instant>comparing(host -> host.due().orElse(Instant.MIN)).reversed();

    public static final JobHosts NONE =
            new JobHosts(new FrontierStats.Hosts(0, 0, 0, 0, 0), List.of(), List.of());

    /** What decides the delay between two requests to a host. */
    public enum DelayReason {
        /** The setting {@code delay}. */
        SETTING,
        /** The setting {@code min-delay}. */
        MIN_DELAY,
        /** The host's response time. */
        RESPONSE_TIME,
        /** A rate limit of the host that was detected. */
        RATE_LIMIT,
        /** The crawl delay of robots.txt. */
        CRAWL_DELAY
    }

    /**
     * A host of a job.
     *
     * @param queued waiting URLs of the job
     * @param leased requests that may be in flight, of all jobs
     * @param due when it may be requested; empty if that is now or unknown
     * @param delay the current delay between two requests
     * @param delayReason what decides it
     * @param restReason why it rests, if the host is the cause
     * @param foreignSettings stricter settings of other jobs with URLs on the host
     */
    public record Host(
            String host,
            long queued,
            int leased,
            State state,
            Optional<Instant> due,
            Duration delay,
            DelayReason delayReason,
            Optional<String> restReason,
            List<ForeignSetting> foreignSettings) {

        public Host {
            foreignSettings = List.copyOf(foreignSettings);
        }
    }

    public JobHosts {
        first = List.copyOf(first);
        blocked = List.copyOf(blocked);
    }

    /**
     * Returns a fleet host that rests until a time because of Retry-After or failures; empty if it
     * waits for another reason. Its number of URLs is unknown.
     */
    public static Optional<Host> blocked(FrontierEvent.HostState state, Instant until) {
        return HostBackoff.blockReason(state.rest(), state.probes())
                .map(
                        why ->
                                new Host(
                                        state.host(),
                                        0,
                                        0,
                                        State.RESTING,
                                        Optional.of(until),
                                        Duration.ZERO,
                                        DelayReason.SETTING,
                                        Optional.of(why),
                                        List.of()));
    }

    /**
     * Counts all hosts and lists {@code max} of them; their states are those of the last
     * scheduling.
     */
    static JobHosts of(Workbench bench, int job, int max) {
        var counts = new EnumMap<State, Integer>(State.class);
        var working = new ArrayList<HostQueue>();
        for (var host : bench.hosts.inOrder()) {
            var queue = host.queueOf(job);
            if (queue != null) {
                var works = queue.waiting() > 0 || host.leased > 0;
                counts.merge(works ? host.turn.state : State.IDLE, 1, Integer::sum);
                if (works) {
                    working.add(host);
                }
            }
        }
        working.sort(
                Comparator.<HostQueue, Boolean>comparing(host -> host.turn.state != State.BUSY)
                        .thenComparingLong(HostQueue::due)
                        .thenComparing(host -> host.name));
        return new JobHosts(
                new FrontierStats.Hosts(
                        counts.getOrDefault(State.IDLE, 0),
                        counts.getOrDefault(State.WAITING, 0),
                        counts.getOrDefault(State.READY, 0),
                        counts.getOrDefault(State.BUSY, 0),
                        counts.getOrDefault(State.RESTING, 0)),
                working.stream().limit(max).map(host -> view(bench, host, job)).toList(),
                working.reversed().stream()
                        .filter(host -> host.turn.state == State.RESTING)
                        .filter(host -> host.restReason().isPresent())
                        .limit(BLOCKED_MAX)
                        .map(host -> view(bench, host, job))
                        .toList());
    }

    /** Returns a host, also one without work of the job, which is idle. */
    static Host of(Workbench bench, int job, String name) {
        return view(bench, bench.hostOrNew(name), job);
    }

    private static Host view(Workbench bench, HostQueue host, int job) {
        var queue = host.queueOf(job);
        var works = (queue != null && queue.waiting() > 0) || host.leased > 0;
        return new Host(
                host.name,
                queue == null ? 0 : queue.waiting(),
                host.leased,
                works ? host.turn.state : State.IDLE,
                works && host.turn.isWaiting()
                        ? Optional.of(Instant.ofEpochMilli(host.due()))
                        : Optional.empty(),
                Duration.ofMillis(host.delay()),
                host.delayReason(),
                host.turn.state == State.RESTING ? host.restReason() : Optional.empty(),
                bench.effectivePoliteness.foreignOn(job, host));
    }
}
