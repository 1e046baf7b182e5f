package dev.orbweaver.testkit;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How the hosts with a hidden limit remember who asked when. The one thing about a web that is no
 * function of its seed, so whoever drives the web keeps it: a server, or a simulation in its own
 * time.
 *
 * <p>A host has one of three tempers. A steady one takes a request per interval. A patient one
 * takes several at once and then one per interval. A moody one takes a request per interval, and in
 * every other minute only one in four intervals. Half of those who refuse say in Retry-After when
 * to come back. The arithmetic is that of a leaky bucket: a request moves the host's own time
 * forward by an interval, and one that comes when that time is too far ahead of the real one is
 * refused.
 */
public final class HiddenRateLimits {

    private static final long LIMITS = 71;
    private static final int BURST = 5;

    private final SimulatedWeb web;

    /** For each host that was asked: the time up to which it has work, in milliseconds. */
    private final Map<Integer, Long> busyUntil = new HashMap<>();

    /** Nobody has asked yet. */
    public HiddenRateLimits(SimulatedWeb web) {
        this.web = web;
    }

    /** What one host takes: a request per interval, some of them at once. */
    record Limit(long intervalMillis, int burst) {}

    /** What a host's limit is at a time. */
    static Limit limit(SimulatedWeb web, int host, Duration now) {
        var seededRandom = new SeededRandom(web.spec().seed(), LIMITS, host);
        var interval = 50L + seededRandom.nextInt(150);
        return switch (host % 3) {
            case 0 -> new Limit(interval, 1);
            case 1 -> new Limit(interval, BURST);
            default -> new Limit(now.toMinutes() % 2 == 0 ? interval : 4 * interval, 1);
        };
    }

    /** Takes a request in, or says by the fields of a 429 that it came too soon. */
    Admission tryAcquire(int host, Duration now) {
        return web.hosts().has(host, Trait.HIDDEN_LIMIT) ? decide(host, now) : Admission.ADMITTED;
    }

    private synchronized Admission decide(int host, Duration now) {
        var limit = limit(web, host, now);
        var time = now.toMillis();
        var until = Math.max(busyUntil.getOrDefault(host, 0L), time);
        var ahead = until - time;
        if (ahead > (limit.burst - 1) * limit.intervalMillis) {
            var seconds = Math.max(1, (ahead + 999) / 1_000);
            return new Admission(
                    false, host % 2 == 0 ? List.of("Retry-After: " + seconds) : List.of());
        }
        busyUntil.put(host, until + limit.intervalMillis);
        return Admission.ADMITTED;
    }

    /**
     * What comes of a request.
     *
     * @param fields what the refusal says besides its status
     */
    record Admission(boolean admitted, List<String> fields) {
        static final Admission ADMITTED = new Admission(true, List.of());
    }
}
