package dev.orbweaver.crawl;

import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.Outlook;

import java.time.Duration;

/**
 * A running crawl at one moment.
 *
 * @param elapsed since this process took the crawl up
 * @param inFlight leases being worked on
 * @param openConnections sockets, waiting ones included
 */
public record CrawlStatus(
        FrontierStats frontier,
        Outlook outlook,
        Duration elapsed,
        int inFlight,
        int openConnections,
        boolean paused,
        boolean stopping) {}
