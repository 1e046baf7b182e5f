package dev.orbweaver.testkit;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The state of hosts with a hidden rate limit. It is the only part of a web that is not a function
 * of the seed; a server or simulation owns it.
 *
 * <p>A steady host accepts one request per interval; a patient one a burst and then one per
 * interval; a moody one one request per interval, and in every second minute only one per four
 * intervals. Half of the 429 responses have Retry-After. The algorithm is a leaky bucket: a request
 * moves the host's virtual time forward by an interval, and a request is rejected if that time is
 * too far ahead of the real one.
 */
public final class HiddenRateLimits {

    private static final long LIMITS = 71;
    private static final int BURST = 5;

    private final SimulatedWeb web;

    /** The virtual time of each host, in milliseconds. */
    private final Map<Integer, Long> busyUntil = new HashMap<>();

    public HiddenRateLimits(SimulatedWeb web) {
        this.web = web;
    }

    /** Allows one request per interval, with a burst. */
    record Limit(long intervalMillis, int burst) {}

    static Limit limit(SimulatedWeb web, int host, Duration now) {
        var seededRandom = new SeededRandom(web.spec().seed(), LIMITS, host);
        var interval = 50L + seededRandom.nextInt(150);
        return switch (host % 3) {
            case 0 -> new Limit(interval, 1);
            case 1 -> new Limit(interval, BURST);
            default -> new Limit(now.toMinutes() % 2 == 0 ? interval : 4 * interval, 1);
        };
    }

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
     * @param fields header fields of the 429 response if the request is rejected
     */
    record Admission(boolean admitted, List<String> fields) {
        static final Admission ADMITTED = new Admission(true, List.of());
    }
}
