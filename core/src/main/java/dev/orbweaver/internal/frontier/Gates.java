package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.url.RegistrableDomain;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The gates of addresses, registrable domains and groups. Each lets one request through per delay,
 * counted from start to start.
 *
 * <p>A group may also limit the requests in flight: those of leases that have passed the gate and
 * not ended. Gates are kept in memory only. After a restart every gate behaves as if a request had
 * passed at the moment of opening. That can make a crawl wait one delay too long but never too
 * short, and needs no write per request.
 *
 * <p>The frontier's lock guards the gates, except {@link #sent}, which any thread may call.
 */
final class Gates {

    /**
     * Number of gates above which open gates are removed. Enough for every address that a machine
     * can reach within a delay.
     */
    private static final int SWEEP_AT = 100_000;

    /**
     * Milliseconds until the retry of a gate that is held by a request in flight, whose end is
     * unknown.
     */
    private static final long HELD_RETRY = 100;

    private static final long HELD_RETRY_MAX = 10_000;

    /**
     * @param key a {@link Host}, a {@link Domain}, a {@link Network} or a group
     * @param maxInFlight maximum number of requests in flight; 0 is no limit
     */
    record Gate(Object key, long delay, int maxInFlight) {

        Gate(Object key, long delay) {
            this(key, delay, 0);
        }
    }

    static List<Gate> wanted(
            HostQueue host, InetAddress address, Politeness shared, RateGroupIndex groups) {
        var wanted = new ArrayList<Gate>(3);
        if (host.isStartToStart() && host.delay() > 0) {
            wanted.add(new Gate(new Host(host.name), host.delay()));
        }
        if (shared.ipDelay().isPositive()) {
            wanted.add(new Gate(key(address), shared.ipDelay().toMillis()));
        }
        if (shared.domainDelay().isPositive()) {
            wanted.add(
                    new Gate(
                            new Domain(RegistrableDomain.of(host.name)),
                            shared.domainDelay().toMillis()));
        }
        for (var group : groups.of(host.name, address)) {
            wanted.add(new Gate(group, group.delay().toMillis(), group.maxInFlight()));
        }
        return wanted;
    }

    private static final class InFlight {
        private int count;

        /** Number of leases rejected since the last one passed. */
        private int rejected;
    }

    /** Comparable, so that hash maps stay fast when many names have equal hash codes. */
    record Host(String name) implements Comparable<Host> {
        @Override
        public int compareTo(Host other) {
            return name.compareTo(other.name);
        }
    }

    /** Comparable for the same reason. */
    record Domain(String name) implements Comparable<Domain> {
        @Override
        public int compareTo(Domain other) {
            return name.compareTo(other.name);
        }
    }

    /** An IPv4 address, or the first half of an IPv6 one. */
    record Network(int bytes, long bits) {}

    /**
     * The gates that a lease has acquired. Until its request is sent they are closed for all
     * others. Afterwards another lease may have closed them, so the end of this lease opens
     * nothing.
     */
    private static final class LeaseGates {
        private final List<Gate> gates;
        private boolean sent;

        private LeaseGates(List<Gate> gates) {
            this.gates = gates;
        }
    }

    private record SentReport(long token, long time) {}

    private static final long CLOSED = Long.MAX_VALUE;

    private final Map<Object, Long> opensAt = new HashMap<>();
    private final Map<Long, Long> reservedUntil = new HashMap<>();
    private final Map<Long, LeaseGates> leaseGates = new HashMap<>();
    private final Map<Object, InFlight> inFlight = new HashMap<>();
    private final Queue<SentReport> reports = new ConcurrentLinkedQueue<>();
    private long openedAt;
    private int sweepAt = SWEEP_AT;

    /**
     * Creates the gates. Those of a resumed crawl count as passed at {@code openedAt}; those of a
     * new crawl, with 0, as never passed.
     */
    Gates(long openedAt) {
        this.openedAt = openedAt;
    }

    /** Returns when to retry these gates; at most {@code now} if all are open. Acquires nothing. */
    long opensAt(List<Gate> gates, long now) {
        applyReports();
        var latest = 0L;
        for (var gate : gates) {
            var untouched = openedAt == 0 ? 0 : openedAt + gate.delay();
            var opens = opensAt.getOrDefault(gate.key(), untouched);
            // A gate held by an unsent request opens one delay after it is sent, so no earlier than
            // this.
            latest = Math.max(latest, opens == CLOSED ? now + gate.delay() : opens);
            latest = Math.max(latest, heldUntil(gate, now));
        }
        return latest;
    }

    /**
     * Returns when to retry a gate that has its maximum number of requests in flight; 0 if it has
     * fewer. Each rejected lease waits a little longer, so that a large group retries no more often
     * than a small one.
     */
    private long heldUntil(Gate gate, long now) {
        var flights = gate.maxInFlight() == 0 ? null : inFlight.get(gate.key());
        if (flights == null || flights.count < gate.maxInFlight()) {
            return 0;
        }
        flights.rejected++;
        return now + Math.min(HELD_RETRY * flights.rejected, HELD_RETRY_MAX);
    }

    /** Closes the gates for all others until the lease's request is sent or the lease ends. */
    void take(long token, List<Gate> gates, long now) {
        endRequest(token, now); // An earlier one, as when robots.txt redirects.
        if (!gates.isEmpty()) {
            gates.forEach(gate -> opensAt.put(gate.key(), CLOSED));
            leaseGates.put(token, new LeaseGates(gates));
            gates.forEach(this::beginFlight);
        }
    }

    private void beginFlight(Gate gate) {
        if (gate.maxInFlight() > 0) {
            var flights = inFlight.computeIfAbsent(gate.key(), _ -> new InFlight());
            flights.count++;
            flights.rejected = 0;
        }
    }

    private void endFlight(Gate gate) {
        if (gate.maxInFlight() > 0) {
            var flights = inFlight.get(gate.key());
            if (flights != null && --flights.count == 0) {
                inFlight.remove(gate.key());
            }
        }
    }

    /**
     * Records that the lease's request was sent, possibly again: its delays run from that time on.
     * Called by event loops without the frontier's lock, for which they must not wait. Every use of
     * the gates applies these reports first, in the order of the calls. A gate stays closed until
     * then, so no request can pass in between. There is at most one report per request in flight:
     * the end of its lease applies it.
     */
    void sent(long token, long now) {
        reports.add(new SentReport(token, now));
    }

    private void applyReports() {
        for (var report = reports.poll(); report != null; report = reports.poll()) {
            applySent(report.token(), report.time());
        }
    }

    private void applySent(long token, long now) {
        var held = leaseGates.get(token);
        if (held == null) {
            return;
        }
        for (var gate : held.gates) {
            var opens = opensAt.getOrDefault(gate.key(), 0L);
            var another = held.sent && opens == CLOSED;
            if (!another) {
                var after = held.sent ? opens : 0;
                opensAt.put(gate.key(), Math.max(after, now + gate.delay()));
            }
        }
        held.sent = true;
    }

    /** Reserves the lease's host for it until a time, counted from start to start. */
    void reserve(long token, long until) {
        reservedUntil.put(token, until);
    }

    /** Ends a lease; returns until when its host was reserved for it, 0 if it was not. */
    @CanIgnoreReturnValue
    long leaseEnded(long token, long now) {
        endRequest(token, now);
        return Objects.requireNonNullElse(reservedUntil.remove(token), 0L);
    }

    /**
     * Ends a request. A request that was never sent counts as sent now: it may have reached the
     * host.
     */
    private void endRequest(long token, long now) {
        applyReports();
        var held = leaseGates.remove(token);
        if (held == null) {
            return;
        }
        if (!held.sent) {
            held.gates.forEach(gate -> opensAt.put(gate.key(), now + gate.delay()));
        }
        held.gates.forEach(this::endFlight);
        sweep(now);
    }

    private void sweep(long now) {
        if (opensAt.size() > sweepAt) {
            // Safe: a missing gate counts as passed at the opening, which was no later than it was
            // passed.
            opensAt.values().removeIf(time -> time <= now);
            sweepAt = Math.max(SWEEP_AT, opensAt.size() * 2);
        }
    }

    /** Adjusts every wait after the clock was set back, so that its length stays the same. */
    void setClockBack(long by) {
        applyReports();
        opensAt.replaceAll((_, time) -> time == CLOSED ? CLOSED : time - by);
        openedAt = openedAt == 0 ? 0 : openedAt - by;
    }

    /**
     * Returns the gate key of an address. An IPv6 customer network has a /64, so that counts as one
     * address.
     */
    static Network key(InetAddress address) {
        var bytes = address.getAddress();
        var bits = 0L;
        for (var i = 0; i < Math.min(bytes.length, Long.BYTES); i++) {
            bits = bits << 8 | (bytes[i] & 0xFF);
        }
        return new Network(bytes.length, bits);
    }
}
