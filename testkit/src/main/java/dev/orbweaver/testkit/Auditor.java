package dev.orbweaver.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Writes down every request as it arrives at the server and judges afterwards. It knows nothing of
 * the crawler: neither its log nor its clock nor its robots parser.
 *
 * <p>An arrival is the moment at which the kernel took in the end of the request's head ({@link
 * KernelTimestamp}), which on loopback is inside the crawler's own write; an end is read right
 * before the write that hands the last of the answer to the kernel. So neither depends on how busy
 * the server is, and the crawler cannot have seen the end any sooner: one that keeps its delay by
 * its own clock is seen to keep it here. Without a kernel that stamps, an arrival is read right
 * before the bytes are, and a busy server needs an allowance.
 *
 * <p>Requests are noted in the order in which the server gets round to them and judged in the order
 * in which they arrived. Times are wall time, because that is what kernels stamp with: setting the
 * clock in the middle of a crawl spoils the record.
 *
 * <p>Memory is bounded: past the limit nothing more is noted, and there is no report, because half
 * a record would look like good behaviour.
 */
public final class Auditor {

    private static final int INITIAL_CAPACITY = 1_024;
    private static final long RUNNING = Long.MAX_VALUE;

    private final SimulatedWeb web;
    private final int port;
    private final int arrivalsMax;
    private final LongSupplier nanos;

    private final List<String> nonPageTargets = new ArrayList<>();
    private final List<String> nonPageLabels = new ArrayList<>();
    private final Map<String, Integer> nonPageNumbers = new HashMap<>();
    private long[] starts = new long[INITIAL_CAPACITY];
    private long[] uncertainties = new long[INITIAL_CAPACITY];
    private long[] ends = new long[INITIAL_CAPACITY];
    private int[] hosts = new int[INITIAL_CAPACITY];
    private int[] targets = new int[INITIAL_CAPACITY];
    private int[] addresses = new int[INITIAL_CAPACITY];
    private int[] connections = new int[INITIAL_CAPACITY];
    private short[] statuses = new short[INITIAL_CAPACITY];
    private long count;

    /**
     * @param nanos wall time in nanoseconds, by the clock that the arrivals are stamped with
     */
    Auditor(SimulatedWeb web, int port, int arrivalsMax, LongSupplier nanos) {
        this.web = web;
        this.port = port;
        this.arrivalsMax = arrivalsMax;
        this.nanos = nanos;
    }

    /**
     * One request. {@code status} is 0 while, or because, no complete response was sent.
     *
     * @param startNanos when it came at the earliest
     * @param latestNanos when it came at the latest, nearly always the same
     */
    record Arrival(
            long startNanos,
            long latestNanos,
            long endNanos,
            int host,
            String label,
            int page,
            String target,
            int address,
            int connection,
            int status) {}

    public synchronized long requests() {
        return count;
    }

    /** Forgets everything, between two crawls of one served web. */
    public synchronized void clear() {
        count = 0;
        nonPageTargets.clear();
        nonPageLabels.clear();
        nonPageNumbers.clear();
    }

    /**
     * Judges all requests so far.
     *
     * @throws IllegalStateException when more came than the auditor can hold
     */
    public AuditReport report(AuditRules rules) {
        var auditEvaluator = new AuditEvaluator(web, port, rules);
        forEachArrival(auditEvaluator::check);
        return auditEvaluator.report();
    }

    /** How often each URL was requested, whatever it was answered. */
    public Map<String, Integer> requestCounts() {
        var counts = new TreeMap<String, Integer>();
        forEachArrival(arrival -> counts.merge(url(web, port, arrival), 1, Integer::sum));
        return counts;
    }

    long now() {
        return nanos.getAsLong();
    }

    long recordArrival(ServedWeb.Route route, int address, int connection) {
        return recordArrival(route, address, connection, now());
    }

    long recordArrival(ServedWeb.Route route, int address, int connection, long startNanos) {
        return recordArrival(route, address, connection, startNanos, startNanos);
    }

    /** The returned number is for {@link #recordEnd}. */
    synchronized long recordArrival(
            ServedWeb.Route route, int address, int connection, long startNanos, long latestNanos) {
        var number = count++;
        if (number < arrivalsMax) {
            var at = (int) number;
            if (at == starts.length) {
                grow();
            }
            starts[at] = startNanos;
            uncertainties[at] = latestNanos - startNanos;
            ends[at] = RUNNING;
            hosts[at] = route.host();
            targets[at] = route.page() >= 0 ? route.page() : -1 - nonPageNumber(route);
            addresses[at] = address;
            connections[at] = connection;
            statuses[at] = 0;
        }
        return number;
    }

    void recordEnd(long arrival, int status) {
        recordEnd(arrival, status, now());
    }

    /** Status 0 if the response was never sent whole. */
    synchronized void recordEnd(long arrival, int status, long endNanos) {
        if (arrival < Math.min(count, arrivalsMax) && ends[(int) arrival] == RUNNING) {
            ends[(int) arrival] = endNanos;
            statuses[(int) arrival] = (short) status;
        }
    }

    /** In order. */
    synchronized void forEachArrival(Consumer<Arrival> reader) {
        if (count > arrivalsMax) {
            throw new IllegalStateException(
                    count + " requests came and the auditor holds " + arrivalsMax);
        }
        for (var at : arrivalOrder()) {
            reader.accept(arrival(at));
        }
    }

    /**
     * The arrivals by their latest time: of one that may have come long before, as when its client
     * was killed, nothing that came since is early. They are nearly in order, which suits insertion
     * sort.
     */
    private int[] arrivalOrder() {
        var order = new int[(int) count];
        for (var at = 0; at < order.length; at++) {
            var to = at;
            while (to > 0 && latest(order[to - 1]) > latest(at)) {
                order[to] = order[to - 1];
                to--;
            }
            order[to] = at;
        }
        return order;
    }

    private long latest(int at) {
        return starts[at] + uncertainties[at];
    }

    private Arrival arrival(int at) {
        var page = targets[at];
        return new Arrival(
                starts[at],
                latest(at),
                ends[at],
                hosts[at],
                page >= 0 ? "" : nonPageLabels.get(-1 - page),
                Math.max(page, -1),
                page >= 0 ? web.pages().path(page) : nonPageTargets.get(-1 - page),
                addresses[at],
                connections[at],
                statuses[at]);
    }

    static String url(SimulatedWeb web, int port, Arrival arrival) {
        return arrival.host < 0
                ? arrival.target
                : web.spec().scheme() + name(web, arrival) + ":" + port + arrival.target;
    }

    /** The host's name as requested. */
    static String name(SimulatedWeb web, Arrival arrival) {
        var name = web.hostName(arrival.host);
        return arrival.label.isEmpty() ? name : arrival.label + "." + name;
    }

    /** Targets that are no pages are few and asked for often: each is kept once. */
    private int nonPageNumber(ServedWeb.Route route) {
        // A target holds no space, so that no two pairs have the same key.
        var known =
                nonPageNumbers.putIfAbsent(
                        route.label() + " " + route.target(), nonPageTargets.size());
        if (known == null) {
            nonPageLabels.add(route.label());
            nonPageTargets.add(route.target());
            return nonPageTargets.size() - 1;
        }
        return known;
    }

    private void grow() {
        var capacity = (int) Math.min(arrivalsMax, starts.length * 2L);
        starts = Arrays.copyOf(starts, capacity);
        uncertainties = Arrays.copyOf(uncertainties, capacity);
        ends = Arrays.copyOf(ends, capacity);
        hosts = Arrays.copyOf(hosts, capacity);
        targets = Arrays.copyOf(targets, capacity);
        addresses = Arrays.copyOf(addresses, capacity);
        connections = Arrays.copyOf(connections, capacity);
        statuses = Arrays.copyOf(statuses, capacity);
    }
}
