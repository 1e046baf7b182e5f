package dev.orbweaver.crawl;

import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.lab.Rulebook;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Watches a simulated crawl from the hosts' side, by true time and by the web's own rules, and
 * throws at the first request that breaks a promise.
 */
final class Judge {

    private static final long NEVER = Long.MIN_VALUE / 2;

    private final Politeness politeness;
    private final Rulebook rules;
    private final long[] lastEnd;
    private final long[] lastStart;
    private final long[] domainStart;
    private final int[] running;
    private final boolean[] robotsAnswered;
    private final Map<Integer, Long> addressStart = new HashMap<>();
    private long trace = 17;
    private long requests;

    Judge(Politeness politeness, Rulebook rules) {
        this.politeness = politeness;
        this.rules = rules;
        lastEnd = never(rules.hosts());
        lastStart = never(rules.hosts());
        domainStart = never(rules.hosts());
        running = new int[rules.hosts()];
        robotsAnswered = new boolean[rules.hosts()];
    }

    private static long[] never(int length) {
        var times = new long[length];
        Arrays.fill(times, NEVER);
        return times;
    }

    /** A request has come. */
    void arrived(int host, String target, int address, long now) {
        requests++;
        trace = (trace * 31 + target.hashCode()) * 31 + now * 131 + host;
        var robots = target.equals("/robots.txt");
        if (!robots && !robotsAnswered[host]) {
            throw broken("before robots.txt", host, target, now);
        }
        if (!rules.allows(host, target)) {
            throw broken("forbidden", host, target, now);
        }
        if (running[host] >= politeness.perHost()) {
            throw broken(running[host] + " requests at once", host, target, now);
        }
        var delay = Math.max(politeness.hostDelay().toMillis(), crawlDelay(host));
        var since = politeness.perHost() == 1 ? lastEnd[host] : lastStart[host];
        early("host", since, delay, host, target, now);
        early(
                "address",
                addressStart.getOrDefault(address, NEVER),
                politeness.ipDelay().toMillis(),
                host,
                target,
                now);
        early(
                "domain",
                domainStart[rules.domain(host)],
                politeness.domainDelay().toMillis(),
                host,
                target,
                now);
        running[host]++;
        lastStart[host] = now;
        addressStart.put(address, now);
        domainStart[rules.domain(host)] = now;
    }

    private long crawlDelay(int host) {
        return robotsAnswered[host] ? rules.crawlDelayMillis(host) : 0;
    }

    private static void early(
            String gate, long since, long delay, int host, String target, long now) {
        if (now < since + delay) {
            throw broken(
                    "early on " + gate + ": " + (now - since) + " ms for " + delay,
                    host,
                    target,
                    now);
        }
    }

    private static AssertionError broken(String what, int host, String target, long now) {
        return new AssertionError(what + ": host " + host + " " + target + " at " + now);
    }

    /** Its answer was complete, or its connection broke. */
    void answered(int host, String target, long now) {
        running[host]--;
        lastEnd[host] = now;
        robotsAnswered[host] |= target.equals("/robots.txt");
    }

    /** The crawler died, and its connections with it. */
    void allConnectionsClosed(long now) {
        for (var host = 0; host < running.length; host++) {
            if (running[host] > 0) {
                lastEnd[host] = now;
                running[host] = 0;
            }
        }
    }

    long requests() {
        return requests;
    }

    /** Of all requests, their order and times. */
    long trace() {
        return trace;
    }
}
