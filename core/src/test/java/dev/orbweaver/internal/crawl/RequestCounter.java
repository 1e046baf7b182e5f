package dev.orbweaver.internal.crawl;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.testkit.SimulatedWeb;

import java.util.HashMap;
import java.util.Map;

/** Counts requests to a simulated web, for its pages and its traps. */
final class RequestCounter {

    private final SimulatedWeb web;
    private final Map<String, Long> lastHonest = new HashMap<>();
    private final Map<String, Integer> inTraps = new HashMap<>();
    private long requests;
    private long wasted;

    RequestCounter(SimulatedWeb web) {
        this.web = web;
    }

    /** Counts a request; one for the robots.txt of an endless name is wasted too. */
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

    /** Returns the requests into traps by host. */
    Map<String, Integer> inTraps() {
        return inTraps;
    }

    /** Returns the time of the last honest request of each host. */
    Map<String, Long> lastHonest() {
        return lastHonest;
    }
}
