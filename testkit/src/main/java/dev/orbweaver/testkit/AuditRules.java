package dev.orbweaver.testkit;

import java.time.Duration;

/**
 * What a crawler promised.
 *
 * @param hostDelay between the end of a host's response and its next request; with more than one
 *     request at a time per host, between the starts of requests
 * @param ipDelay between the starts of two requests to one address
 * @param domainDelay between the starts of two requests to one registrable domain
 * @param perHost how many requests a host may get at a time
 * @param tolerance how much too early a request may seem because two clocks are never read at once
 * @param honourCrawlDelay whether a host's own Crawl-delay holds where it is longer
 */
public record AuditRules(
        Duration hostDelay,
        Duration ipDelay,
        Duration domainDelay,
        int perHost,
        Duration tolerance,
        boolean honourCrawlDelay) {

    private static final Duration TOLERANCE = Duration.ofMillis(2);

    public AuditRules {
        if (perHost < 1 || hostDelay.isNegative() || ipDelay.isNegative()) {
            throw new IllegalArgumentException("delays cannot be negative, nor perHost under 1");
        }
    }

    /** One request per host at a time. */
    public static AuditRules of(Duration hostDelay, Duration ipDelay) {
        return new AuditRules(hostDelay, ipDelay, Duration.ZERO, 1, TOLERANCE, true);
    }
}
