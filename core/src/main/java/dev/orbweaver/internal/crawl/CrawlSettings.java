package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.traps.TrapSettings;

import java.time.Duration;

/**
 * How a crawl goes about its work and when it ends.
 *
 * @param concurrency requests under way at the same time
 * @param robots whose robots.txt decides
 * @param productToken the name by which robots.txt may address us
 * @param sitemaps whether sitemaps that robots.txt names are read
 * @param idleWaitMax how long to wait for nothing but retries, resting hosts and unreachable
 *     robots.txt
 * @param diskRetryTimeout how long to wait for a disk that is full or failing
 * @param parseBytesMax how much of a document is read for links
 * @param decompressionRatioMax how many times larger than it was sent a document may unfold
 * @param traps how it keeps out of places that go on for ever
 * @param directivePolicy how far it goes along with what pages ask
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
        DirectivePolicy directivePolicy) {

    /** With no more requests at the same time than so many. */
    public CrawlSettings withConcurrencyMax(int workersMax) {
        return new CrawlSettings(
                Math.min(concurrency, workersMax),
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
                directivePolicy);
    }

    /** The same with the usual ratio, and each host's own robots.txt or nobody's. */
    public CrawlSettings(
            int workers,
            boolean obeyRobots,
            String productToken,
            boolean sitemaps,
            RetryPolicy retry,
            Limits limits,
            Duration patience,
            Duration grace,
            Duration diskPatience,
            int redirectsMax,
            int contentBytesMax,
            TrapSettings traps) {
        this(
                workers,
                obeyRobots ? new RobotsPolicy.Obey() : new RobotsPolicy.Ignore(),
                productToken,
                sitemaps,
                retry,
                limits,
                patience,
                grace,
                diskPatience,
                redirectsMax,
                contentBytesMax,
                ContentReader.Limits.RATIO,
                traps,
                DirectivePolicy.DEFAULT);
    }

    /** Whether hosts are asked for their robots.txt. */
    public boolean obeyRobots() {
        return robots instanceof RobotsPolicy.Obey;
    }

    /** Where a crawl stops; {@link Long#MAX_VALUE} and the like for nowhere. */
    public record Limits(long pages, long bytes, Duration time) {}
}
