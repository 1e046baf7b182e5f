package dev.orbweaver.crawl;

import dev.orbweaver.frontier.Ledger;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.model.CrawlUrl;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Watches a simulated crawl from the hosts' side and checks every promise at every step. */
final class Judge {

    private final long hostDelay;
    private final long ipDelay;
    private final Map<String, Long> lastEnded = new HashMap<>();
    private final Map<InetAddress, Long> lastStart = new HashMap<>();
    private final Set<String> busy = new HashSet<>();
    private long trace = 17;
    long requests;

    Judge(Politeness politeness) {
        hostDelay = politeness.hostDelay().toMillis();
        ipDelay = politeness.ipDelay().toMillis();
    }

    /** A request has come. */
    void arrived(CrawlUrl url, InetAddress address, long now, boolean forbidden) {
        requests++;
        trace = trace * 31 + (url.text() + now).hashCode();
        var host = url.host();
        if (!busy.add(host)) {
            throw new AssertionError("two requests at once to " + host);
        }
        if (now < lastEnded.getOrDefault(host, Long.MIN_VALUE / 2) + hostDelay) {
            throw new AssertionError("early on host " + host + ": " + url);
        }
        if (now < lastStart.getOrDefault(address, Long.MIN_VALUE / 2) + ipDelay) {
            throw new AssertionError("early on address " + address + ": " + url);
        }
        if (forbidden) {
            throw new AssertionError("not allowed by robots.txt as far as known: " + url);
        }
        lastStart.put(address, now);
    }

    /** Its answer was complete. */
    void answered(CrawlUrl url, long now) {
        busy.remove(url.host());
        lastEnded.put(url.host(), now);
    }

    /** The crawler died, and its connections with it. */
    void allConnectionsClosed(long now) {
        busy.forEach(host -> lastEnded.put(host, now));
        busy.clear();
    }

    /** After every step. */
    void check(Ledger ledger, int inFlight) {
        if (!ledger.balances() || ledger.leased() != inFlight) {
            throw new AssertionError(ledger + " with " + inFlight + " in flight");
        }
    }

    /** Of all requests, their order and times. */
    long trace() {
        return trace;
    }
}
