package dev.orbweaver.internal.crawl;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.testkit.SimulatedWeb;

import java.util.HashMap;
import java.util.Map;

/** Counts who asks a simulated web for what: its pages, its traps. */
final class RequestCounter {

    private final SimulatedWeb web;
    private final Map<String, Long> lastHonest = new HashMap<>();
    private final Map<String, Integer> inTraps = new HashMap<>();
    private long requests;
    private long wasted;

    RequestCounter(SimulatedWeb web) {
        this.web = web;
    }

    /** A request came; one for the robots.txt of an endless name is wasted too. */
    void count(CrawlUrl url, long now) {
        requests++;
        if (web.isTrap(url.text()) || web.isTrap(url.origin() + "/")) {
            wasted++;
            inTraps.merge(url.host(), 1, Integer::sum);
        } else {
            lastHonest.put(url.host(), now);
        }
    }

    long requests() {
        return requests;
    }

    long wasted() {
        return wasted;
    }

    /** Requests into traps, by the host named in them. */
    Map<String, Integer> inTraps() {
        return inTraps;
    }

    /** When each host was last asked for something worth it. */
    Map<String, Long> lastHonest() {
        return lastHonest;
    }
}
