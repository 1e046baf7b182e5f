package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.NextWork;

import java.time.Duration;
import java.util.Optional;

/**
 * A running crawl at one moment.
 *
 * @param elapsed since this process took the crawl up
 * @param inFlight leases being worked on
 * @param openConnections sockets, waiting ones included
 * @param problem what the disk says while it is waited for
 * @param governor how far the crawl is narrowed, and why
 * @param timeProfile where its time goes
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
