package dev.orbweaver.zoo;

import java.util.ArrayList;
import java.util.List;

/**
 * What a hostile host may cost a crawl, counted from the moment its URL is found.
 *
 * @param cpuMillis processor time of the crawler, less what the clean host's pages cost
 * @param heapMegabytes most that is in use after a garbage collection
 * @param diskKilobytes growth of the crawl's directory
 * @param seconds until the crawl has ended
 * @param requests requests that arrive at the hostile host
 */
public record Bound(
        long cpuMillis, long heapMegabytes, long diskKilobytes, long seconds, long requests) {

    static final Bound USUAL = new Bound(4_000, 200, 4_096, 30, 12);

    Bound cpu(long millis) {
        return new Bound(millis, heapMegabytes, diskKilobytes, seconds, requests);
    }

    Bound heap(long megabytes) {
        return new Bound(cpuMillis, megabytes, diskKilobytes, seconds, requests);
    }

    Bound disk(long kilobytes) {
        return new Bound(cpuMillis, heapMegabytes, kilobytes, seconds, requests);
    }

    Bound time(long limit) {
        return new Bound(cpuMillis, heapMegabytes, diskKilobytes, limit, requests);
    }

    Bound requests(long limit) {
        return new Bound(cpuMillis, heapMegabytes, diskKilobytes, seconds, limit);
    }

    /** What the figures are beyond, one sentence each. */
    List<String> broken(ZooCrawl.Figures figures) {
        var problems = new ArrayList<String>();
        over(problems, "requests", figures.requests(), requests);
        over(problems, "CPU ms", figures.cpuMillis(), cpuMillis);
        over(problems, "heap MB", figures.heapMegabytes(), heapMegabytes);
        over(problems, "disk KB", figures.diskKilobytes(), diskKilobytes);
        over(problems, "seconds", (long) figures.seconds(), seconds);
        return problems;
    }

    static void over(List<String> problems, String what, long value, long limit) {
        if (value > limit) {
            problems.add(what + " " + value + " > " + limit);
        }
    }
}
