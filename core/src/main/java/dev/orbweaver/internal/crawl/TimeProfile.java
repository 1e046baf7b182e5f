package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.FrontierStats.Hosts;
import dev.orbweaver.model.Timings;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Measures what a crawl spends its time on. A host with queued URLs is always in one of these
 * states: waiting for its delay, resting, ready but held back by the concurrency limit, or busy
 * with a request. The time of a request is divided into DNS lookup, connection, TLS handshake,
 * first byte, body, and processing here. All times are summed over hosts. If no host has queued
 * URLs, the crawl is idle. Time in which the crawl is paused does not count. If several jobs share
 * a frontier, only the hosts on which this job has work count.
 *
 * <p>Politeness alone limits a crawl whose hosts are never ready for longer than an instant. So the
 * share of the maximum rate that a crawl reaches is the time in which hosts were waiting or busy,
 * divided by that time plus the time in which they were ready.
 */
public final class TimeProfile {

    /** What time is spent on. */
    public enum Phase {
        /** Hosts waiting for their delay. */
        POLITENESS,
        /** Hosts in backoff after failures or Retry-After. */
        RESTING,
        /** Hosts that are ready while the crawl is at its concurrency limit. */
        CONCURRENCY,
        /** Requests for robots.txt. */
        ROBOTS,
        /** DNS lookups. */
        DNS,
        /** Connections being opened. */
        CONNECT,
        /** TLS handshakes. */
        TLS,
        /** Time to first byte. */
        SERVER,
        /** Bodies being received. */
        BODY,
        /** Documents being parsed. */
        PARSE,
        /** Captures waiting for their commit or being committed. */
        WRITE,
        /** No host has queued URLs. */
        IDLE;

        /** The id used in summaries and metrics. */
        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The times measured so far.
     *
     * @param times by phase, summed over hosts
     * @param politenessShare the request rate as a share of the maximum that politeness allows
     */
    public record TimeBreakdown(Map<Phase, Duration> times, double politenessShare) {

        /** Returns the phase that took longest; empty if no time was measured yet. */
        public Optional<Phase> longest() {
            return times.entrySet().stream()
                    .filter(entry -> entry.getValue().isPositive())
                    .max(Map.Entry.comparingByValue())
                    .map(Map.Entry::getKey);
        }
    }

    private static final Duration INTERVAL = Duration.ofMillis(50);

    private final long[] nanos = new long[Phase.values().length];
    private long busyNanos;
    private Optional<Instant> since = Optional.empty();

    /** Whether the next sample is due. */
    synchronized boolean isDue(Instant now) {
        return since.filter(then -> then.plus(INTERVAL).isAfter(now)).isEmpty();
    }

    /** Samples the states of hosts; they count for the time since the previous sample. */
    synchronized void sampleHosts(Hosts hosts, Instant now) {
        var passed = since.map(then -> Duration.between(then, now).toNanos()).orElse(0L);
        since = Optional.of(now);
        if (passed <= 0) {
            return;
        }
        busyNanos += hosts.busy() * passed;
        add(Phase.POLITENESS, hosts.waiting() * passed);
        add(Phase.RESTING, hosts.resting() * passed);
        add(Phase.CONCURRENCY, hosts.ready() * passed);
        if (hosts.total() == hosts.idle()) {
            add(Phase.IDLE, passed);
        }
    }

    /** Ignores the time since the previous sample, in which the crawl was paused. */
    synchronized void skip(Instant now) {
        since = Optional.of(now);
    }

    /** Adds the timings of a response. */
    synchronized void addResponse(Timings timings, boolean robots) {
        if (robots) {
            add(Phase.ROBOTS, timings.lookup().plus(timings.total()).toNanos());
            return;
        }
        var body =
                timings.total()
                        .minus(timings.connect())
                        .minus(timings.tls())
                        .minus(timings.firstByte());
        add(Phase.DNS, timings.lookup().toNanos());
        add(Phase.CONNECT, timings.connect().toNanos());
        add(Phase.TLS, timings.tls().toNanos());
        add(Phase.SERVER, timings.firstByte().toNanos());
        add(Phase.BODY, body.toNanos());
    }

    /** Adds time spent in a phase. */
    synchronized void addNanos(Phase phase, long nanosTaken) {
        add(phase, nanosTaken);
    }

    @SuppressWarnings("EnumOrdinal") // Sums by phase; each response updates five of them.
    private void add(Phase phase, long more) {
        nanos[phase.ordinal()] += Math.max(0, more);
    }

    @SuppressWarnings("EnumOrdinal") // As above.
    synchronized TimeBreakdown breakdown() {
        var times = new EnumMap<Phase, Duration>(Phase.class);
        for (var phase : Phase.values()) {
            times.put(phase, Duration.ofNanos(nanos[phase.ordinal()]));
        }
        var polite = (double) nanos[Phase.POLITENESS.ordinal()] + busyNanos;
        var ready = (double) nanos[Phase.CONCURRENCY.ordinal()];
        return new TimeBreakdown(times, polite + ready == 0 ? 1 : polite / (polite + ready));
    }
}
