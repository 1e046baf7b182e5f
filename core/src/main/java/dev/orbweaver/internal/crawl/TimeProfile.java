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
 * What a crawl waits for. Every host that has work is, at any moment, in its delay, at rest, ready
 * for a worker that is not free, or being asked; and while it is asked, time goes by for the
 * look-up of its name, the connection, the server, the body, and what is done with it here. These
 * times are added up over all hosts. Where no host has work, the crawl is idle.
 *
 * <p>A crawl can go no faster than politeness lets it when no host is ever kept ready. So the share
 * of that ceiling which it reaches is the time in which hosts with work were in their delay or
 * being asked, against that and the time in which they were ready.
 */
public final class TimeProfile {

    /** Where time goes. */
    public enum Phase {
        /** Hosts in their delay. */
        POLITENESS,
        /** Hosts that asked for quiet or failed too often. */
        RESTING,
        /** Hosts whose turn it is, with no worker free. */
        WORKERS,
        /** Requests for robots.txt. */
        ROBOTS,
        /** Names being looked up. */
        DNS,
        /** Connections being made. */
        CONNECT,
        /** TLS handshakes. */
        TLS,
        /** Servers that have the request and have not begun to answer. */
        SERVER,
        /** Bodies coming in. */
        BODY,
        /** Documents being read. */
        PARSE,
        /** Captures waiting to be committed, and being committed. */
        WRITE,
        /** Nothing to do at all. */
        IDLE;

        /** The word used in summaries. */
        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What it came to.
     *
     * @param times by phase, added up over hosts
     * @param politenessShare the share reached of what politeness allows
     */
    public record TimeBreakdown(Map<Phase, Duration> times, double politenessShare) {

        /** The phase that took most, unless nothing took any time yet. */
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

    /** Whether it is time to look again. */
    synchronized boolean isDue(Instant now) {
        return since.filter(then -> then.plus(INTERVAL).isAfter(now)).isEmpty();
    }

    /** How the hosts are doing now; they are taken to have done so since the last time. */
    synchronized void sampleHosts(Hosts hosts, Instant now) {
        var passed = since.map(then -> Duration.between(then, now).toNanos()).orElse(0L);
        since = Optional.of(now);
        if (passed <= 0) {
            return;
        }
        busyNanos += hosts.busy() * passed;
        add(Phase.POLITENESS, hosts.waiting() * passed);
        add(Phase.RESTING, hosts.resting() * passed);
        add(Phase.WORKERS, hosts.ready() * passed);
        if (hosts.total() == hosts.idle()) {
            add(Phase.IDLE, passed);
        }
    }

    /** A request was answered. */
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

    /** Something was done here for so long. */
    synchronized void addNanos(Phase phase, long nanosTaken) {
        add(phase, nanosTaken);
    }

    @SuppressWarnings("EnumOrdinal") // Sums by phase; each answer touches five of them.
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
        var kept = (double) nanos[Phase.WORKERS.ordinal()];
        return new TimeBreakdown(times, polite + kept == 0 ? 1 : polite / (polite + kept));
    }
}
