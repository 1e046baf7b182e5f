package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.testkit.HostRules;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Checks a simulated crawl from the hosts' side, by true time and by the web's own rules. Throws at
 * the first request that violates politeness.
 */
final class PolitenessChecker {

    private static final long NEVER = Long.MIN_VALUE / 2;

    private final Politeness politeness;
    private final HostRules rules;
    private final long[] lastEnd;
    private final long[] lastStart;
    private final long[] domainStart;
    private final int[] running;
    private final boolean[] robotsFetched;
    private final Map<Integer, Long> addressStart = new HashMap<>();
    private long trace = 17;
    private long requests;

    PolitenessChecker(Politeness politeness, HostRules rules) {
        this.politeness = politeness;
        this.rules = rules;
        lastEnd = never(rules.hosts());
        lastStart = never(rules.hosts());
        domainStart = never(rules.hosts());
        running = new int[rules.hosts()];
        robotsFetched = new boolean[rules.hosts()];
    }

    private static long[] never(int length) {
        var times = new long[length];
        Arrays.fill(times, NEVER);
        return times;
    }

    /** Records a request. */
    void onRequest(int host, String target, int address, long now) {
        requests++;
        trace = (trace * 31 + target.hashCode()) * 31 + now * 131 + host;
        var robots = target.equals("/robots.txt");
        if (!robots && !robotsFetched[host]) {
            throw violation("before robots.txt", host, target, now);
        }
        if (!rules.allows(host, target)) {
            throw violation("forbidden", host, target, now);
        }
        if (running[host] >= politeness.concurrencyPerHost()) {
            throw violation(running[host] + " requests at once", host, target, now);
        }
        var delay = Math.max(politeness.hostDelay().toMillis(), crawlDelay(host));
        var since = politeness.concurrencyPerHost() == 1 ? lastEnd[host] : lastStart[host];
        failIfEarly("host", since, delay, host, target, now);
        failIfEarly(
                "address",
                addressStart.getOrDefault(address, NEVER),
                politeness.ipDelay().toMillis(),
                host,
                target,
                now);
        failIfEarly(
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
        return robotsFetched[host] ? rules.crawlDelayMillis(host) : 0;
    }

    private static void failIfEarly(
            String gate, long since, long delay, int host, String target, long now) {
        if (now < since + delay) {
            throw violation(
                    "early on " + gate + ": " + (now - since) + " ms for " + delay,
                    host,
                    target,
                    now);
        }
    }

    private static AssertionError violation(String what, int host, String target, long now) {
        return new AssertionError(what + ": host " + host + " " + target + " at " + now);
    }

    /** Records a complete response or a broken connection. */
    void onResponse(int host, String target, long now) {
        running[host]--;
        lastEnd[host] = now;
        robotsFetched[host] |= target.equals("/robots.txt");
    }

    /** Records that the crawler died, which closes its connections. */
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

    /** Returns a hash over all requests, their order and times. */
    long trace() {
        return trace;
    }
}
