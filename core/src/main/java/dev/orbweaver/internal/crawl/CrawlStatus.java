package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.NextWork;

import java.time.Duration;
import java.util.Optional;

/**
 * The status of a running crawl at one moment.
 *
 * @param elapsed time since this process started or resumed the crawl
 * @param inFlight leases in progress
 * @param openConnections open sockets, idle ones included
 * @param problem the storage problem being retried, if any
 * @param governor the current concurrency limit and its reason
 * @param timeProfile how the crawl's time divides into phases
 */
public record CrawlStatus(
        FrontierStats frontier,
        NextWork nextWork,
        Duration elapsed,
        int inFlight,
        int openConnections,
        boolean paused,
        boolean stopping,
        Optional<String> problem,
        Governor.State governor,
        TimeProfile.TimeBreakdown timeProfile) {}
