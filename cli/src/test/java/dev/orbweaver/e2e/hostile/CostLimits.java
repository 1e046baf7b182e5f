package dev.orbweaver.e2e.hostile;

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
public record CostLimits(
        long cpuMillis, long heapMegabytes, long diskKilobytes, long seconds, long requests) {

    static final CostLimits DEFAULT = new CostLimits(4_000, 200, 4_096, 30, 12);

    CostLimits cpu(long millis) {
        return new CostLimits(millis, heapMegabytes, diskKilobytes, seconds, requests);
    }

    CostLimits heap(long megabytes) {
        return new CostLimits(cpuMillis, megabytes, diskKilobytes, seconds, requests);
    }

    CostLimits disk(long kilobytes) {
        return new CostLimits(cpuMillis, heapMegabytes, kilobytes, seconds, requests);
    }

    CostLimits time(long limit) {
        return new CostLimits(cpuMillis, heapMegabytes, diskKilobytes, limit, requests);
    }

    CostLimits requests(long limit) {
        return new CostLimits(cpuMillis, heapMegabytes, diskKilobytes, seconds, limit);
    }

    /** What the figures are beyond, one sentence each. */
    List<String> exceeded(HostileCrawl.CrawlCost crawlCost) {
        var problems = new ArrayList<String>();
        addIfExceeded(problems, "requests", crawlCost.requests(), requests);
        addIfExceeded(problems, "CPU ms", crawlCost.cpuMillis(), cpuMillis);
        addIfExceeded(problems, "heap MB", crawlCost.heapMegabytes(), heapMegabytes);
        addIfExceeded(problems, "disk KB", crawlCost.diskKilobytes(), diskKilobytes);
        addIfExceeded(problems, "seconds", (long) crawlCost.seconds(), seconds);
        return problems;
    }

    static void addIfExceeded(List<String> problems, String what, long value, long limit) {
        if (value > limit) {
            problems.add(what + " " + value + " > " + limit);
        }
    }
}
