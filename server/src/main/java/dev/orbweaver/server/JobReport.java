package dev.orbweaver.server;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a job has found: distributions of its responses, and the pages that stand out.
 *
 * @param lines the number of the last line of the page log that it includes
 */
record JobReport(
        Instant computed,
        long lines,
        Totals totals,
        ResponseTimes responseTimes,
        Timeline timeline,
        List<Count> statuses,
        List<Count> types,
        List<Count> depths,
        List<Count> sizes,
        List<Count> languages,
        Hosts hosts,
        List<PageJson> slowest,
        List<PageJson> largest,
        List<Linked> mostLinked,
        Broken broken,
        Redirects redirects,
        Duplicates duplicates) {

    /**
     * @param failed URLs without a usable response
     * @param withdrawn URLs that were not requested, because of robots.txt or an exclusion
     * @param pagesPerSecond the average over the time in which the job ran
     */
    record Totals(
            long responses,
            long pages,
            long redirects,
            long errors,
            long failed,
            long withdrawn,
            long bytes,
            long durationMs,
            double pagesPerSecond) {}

    /** Quantiles over all pages, with an error of at most 5 %. */
    record ResponseTimes(long p50, long p95, long p99, long max) {}

    /** Responses over time in intervals of the same length; the first begins at {@code start}. */
    record Timeline(Optional<Instant> start, long intervalMs, List<Interval> intervals) {}

    record Interval(long ok, long redirects, long clientErrors, long serverErrors, long failed) {}

    /**
     * @param name what was counted; {@code other} for values beyond the limit of the list
     */
    record Count(String name, long count, long bytes) {}

    record Hosts(long total, List<Host> items) {}

    record Host(String host, long responses, long pages, long errors, long bytes, long averageMs) {}

    /** A fetched URL and the number of pages that link to it. */
    record Linked(PageJson page, long inlinks) {}

    record Broken(long total, List<BrokenLink> items) {}

    /**
     * @param sources some of the pages that link to it
     */
    record BrokenLink(PageJson page, long inlinks, List<PageJson> sources) {}

    record Redirects(long total, List<PageJson> items) {}

    /**
     * Pages with the same content at different URLs.
     *
     * @param groups the number of contents that several pages have
     * @param surplus the number of pages less one for each content
     */
    record Duplicates(long groups, long surplus, List<Group> items) {}

    record Group(long count, long bytes, List<PageJson> pages) {}
}
