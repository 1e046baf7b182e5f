package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CrawlUrl;

import java.util.List;
import java.util.function.Predicate;

/**
 * Limits what a job accepts. URLs over a limit are refused at offer, before any request to their
 * host.
 *
 * @param urlsPerDomain URLs of all hosts of a registrable domain together
 * @param matching limits of URLs that match conditions; each condition occurs once
 * @param waiting URLs of all jobs that wait in memory for their earliest time
 */
public record IntakeLimits(
        int urlsPerHost, long urlsPerDomain, int hosts, List<MatchLimit> matching, long waiting) {

    /** About 300 bytes each. */
    static final long WAITING_MAX = 1_000_000;

    public static final IntakeLimits NONE =
            new IntakeLimits(Integer.MAX_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE);

    public IntakeLimits {
        if (urlsPerHost < 1 || urlsPerDomain < 1 || hosts < 1) {
            throw new IllegalArgumentException("an intake limit must be at least 1");
        }
        matching = List.copyOf(matching);
    }

    /** Creates limits without conditions. */
    public IntakeLimits(int urlsPerHost, long urlsPerDomain, int hosts) {
        this(urlsPerHost, urlsPerDomain, hosts, List.of());
    }

    public IntakeLimits(int urlsPerHost, long urlsPerDomain, int hosts, List<MatchLimit> matching) {
        this(urlsPerHost, urlsPerDomain, hosts, matching, WAITING_MAX);
    }

    /** Returns the limits of matching URLs that apply to a URL. */
    public List<MatchLimit> matching(CrawlUrl url) {
        return matching.isEmpty()
                ? matching
                : matching.stream().filter(limit -> limit.condition.test(url)).toList();
    }

    /**
     * Limits the URLs that match a condition.
     *
     * @param name the condition as text, under which the accepted URLs are counted: with another
     *     maximum the count continues
     * @param max 0 for none
     */
    public record MatchLimit(String name, Predicate<CrawlUrl> condition, long max) {}
}
