package dev.orbweaver.testkit;

import java.time.Duration;

/**
 * The politeness rules that a crawler is audited against.
 *
 * @param hostDelay minimum time between the end of a host's response and its next request; with
 *     several concurrent requests per host, between the starts of requests
 * @param ipDelay minimum time between the starts of two requests to one address
 * @param domainDelay minimum time between the starts of two requests to one registrable domain
 * @param perHost maximum concurrent requests per host
 * @param tolerance how much too early a request may appear, because two clocks are involved
 * @param honourCrawlDelay whether a longer Crawl-delay of the host applies
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
            throw new IllegalArgumentException(
                    "delays must not be negative, and perHost must be at least 1");
        }
    }

    /** Rules with one concurrent request per host. */
    public static AuditRules of(Duration hostDelay, Duration ipDelay) {
        return new AuditRules(hostDelay, ipDelay, Duration.ZERO, 1, TOLERANCE, true);
    }
}
