package dev.orbweaver.crawl;

import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.Outlook;

import java.time.Duration;
import java.util.Optional;

/**
 * A running crawl at one moment.
 *
 * @param elapsed since this process took the crawl up
 * @param inFlight leases being worked on
 * @param openConnections sockets, waiting ones included
 * @param trouble what the disk says while it is waited for
 * @param governor how far the crawl is narrowed, and why
 * @param waiting where its time goes
 */
public record CrawlStatus(
        FrontierStats frontier,
        Outlook outlook,
        Duration elapsed,
        int inFlight,
        int openConnections,
        boolean paused,
        boolean stopping,
        Optional<String> trouble,
        Governor.State governor,
        Waiting.Account waiting) {}
