package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.scope.PriorityRules;
import dev.orbweaver.internal.traps.TrapSettings;

import java.time.Duration;

/**
 * The settings of a crawl: concurrency, robots.txt, retries, limits and timeouts.
 *
 * @param concurrency maximum number of concurrent requests
 * @param robots which robots.txt rules apply
 * @param productToken the user agent name matched in robots.txt
 * @param sitemaps whether sitemaps listed in robots.txt are fetched
 * @param idleWaitMax how long to wait when only retries, resting hosts and unreachable robots.txt
 *     are left
 * @param diskRetryTimeout how long to retry writing to a disk that is full or failing
 * @param parseBytesMax how many bytes of a document are parsed
 * @param decompressionRatioMax maximum ratio of decompressed to received size
 * @param traps settings of the crawler trap detector
 * @param directivePolicy which page directives are obeyed
 * @param priorities the user's rules for the priority of URLs
 */
public record CrawlSettings(
        int concurrency,
        RobotsPolicy robots,
        String productToken,
        boolean sitemaps,
        RetryPolicy retry,
        Limits limits,
        Duration idleWaitMax,
        Duration stopGrace,
        Duration diskRetryTimeout,
        int redirectsMax,
        int parseBytesMax,
        int decompressionRatioMax,
        TrapSettings traps,
        DirectivePolicy directivePolicy,
        PriorityRules priorities) {

    /** Returns these settings with at most this concurrency. */
    public CrawlSettings withConcurrencyMax(int concurrencyMax) {
        return new CrawlSettings(
                Math.min(concurrency, concurrencyMax),
                robots,
                productToken,
                sitemaps,
                retry,
                limits,
                idleWaitMax,
                stopGrace,
                diskRetryTimeout,
                redirectsMax,
                parseBytesMax,
                decompressionRatioMax,
                traps,
                directivePolicy,
                priorities);
    }

    /**
     * Creates settings with the default decompression ratio; robots.txt is either obeyed or
     * ignored.
     */
    public CrawlSettings(
            int concurrency,
            boolean obeyRobots,
            String productToken,
            boolean sitemaps,
            RetryPolicy retry,
            Limits limits,
            Duration idleWaitMax,
            Duration stopGrace,
            Duration diskRetryTimeout,
            int redirectsMax,
            int parseBytesMax,
            TrapSettings traps) {
        this(
                concurrency,
                obeyRobots ? new RobotsPolicy.Obey() : new RobotsPolicy.Ignore(),
                productToken,
                sitemaps,
                retry,
                limits,
                idleWaitMax,
                stopGrace,
                diskRetryTimeout,
                redirectsMax,
                parseBytesMax,
                ContentReader.Limits.RATIO,
                traps,
                DirectivePolicy.DEFAULT,
                PriorityRules.NONE);
    }

    /** Returns whether each host's robots.txt is fetched and obeyed. */
    public boolean obeyRobots() {
        return robots instanceof RobotsPolicy.Obey;
    }

    /** The limits that end a crawl; {@link Long#MAX_VALUE} and its counterparts mean unlimited. */
    public record Limits(long pages, long bytes, Duration time) {}
}
