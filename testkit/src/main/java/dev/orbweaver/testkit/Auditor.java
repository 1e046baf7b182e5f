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
 * Records every request that arrives at the server, and evaluates them afterwards. It is
 * independent of the crawler: it uses neither its log nor its clock nor its robots.txt parser.
 *
 * <p>An arrival is the time at which the kernel received the end of the request's head ({@link
 * KernelTimestamp}), which on loopback is during the crawler's write. An end is the time right
 * before the write of the last bytes of the response. So neither depends on the load of the server,
 * and the crawler cannot have seen the end earlier: a crawler that keeps its delay by its own clock
 * also keeps it here. Without kernel timestamps, an arrival is the time right before the read, and
 * a busy server needs a tolerance.
 *
 * <p>Requests are recorded in the order in which the server handles them, and evaluated in the
 * order of arrival. Times are wall time, because kernel timestamps are: changing the clock during a
 * crawl invalidates the record.
 *
 * <p>Memory is bounded: beyond the limit requests are not recorded, and there is no report, because
 * an incomplete record would hide violations.
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
     * @param nanos wall time in nanoseconds, of the clock of kernel timestamps
     */
    Auditor(SimulatedWeb web, int port, int arrivalsMax, LongSupplier nanos) {
        this.web = web;
        this.port = port;
        this.arrivalsMax = arrivalsMax;
        this.nanos = nanos;
    }

    /**
     * One request. {@code status} is 0 until a complete response was sent.
     *
     * @param startNanos the earliest possible arrival
     * @param latestNanos the latest possible arrival, nearly always the same
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

    /** Discards all records, between two crawls of a served web. */
    public synchronized void clear() {
        count = 0;
        nonPageTargets.clear();
        nonPageLabels.clear();
        nonPageNumbers.clear();
    }

    /**
     * Evaluates all requests so far.
     *
     * @throws IllegalStateException if there were more requests than the limit
     */
    public AuditReport report(AuditRules rules) {
        var auditEvaluator = new AuditEvaluator(web, port, rules);
        forEachArrival(auditEvaluator::check);
        return auditEvaluator.report();
    }

    /** Returns the number of requests for each URL, with any response. */
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

    /** Records an arrival. The returned number is for {@link #recordEnd}. */
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

    /** Records the end of a response; status 0 if it was not sent completely. */
    synchronized void recordEnd(long arrival, int status, long endNanos) {
        if (arrival < Math.min(count, arrivalsMax) && ends[(int) arrival] == RUNNING) {
            ends[(int) arrival] = endNanos;
            statuses[(int) arrival] = (short) status;
        }
    }

    /** Returns the arrivals in order. */
    synchronized void forEachArrival(Consumer<Arrival> reader) {
        if (count > arrivalsMax) {
            throw new IllegalStateException(
                    count + " requests exceed the auditor's limit of " + arrivalsMax);
        }
        for (var at : arrivalOrder()) {
            reader.accept(arrival(at));
        }
    }

    /**
     * Sorts arrivals by their latest time: if a request may have arrived much earlier, as when its
     * client was killed, no later request counts as early because of it. They are nearly sorted,
     * which suits insertion sort.
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

    /** Returns the host's name as requested. */
    static String name(SimulatedWeb web, Arrival arrival) {
        var name = web.hostName(arrival.host);
        return arrival.label.isEmpty() ? name : arrival.label + "." + name;
    }

    /** Interns targets that are not pages: they are few and requested often. */
    private int nonPageNumber(ServedWeb.Route route) {
        // A target contains no space, so every pair has a distinct key.
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
