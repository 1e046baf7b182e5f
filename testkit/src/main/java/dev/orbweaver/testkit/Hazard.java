package dev.orbweaver.testkit;

/**
 * Difficulties that occur only on request: some are endless, others need more from a crawler than
 * to fetch every page once.
 */
public enum Hazard {
    /** Every URL is https, with certificates of the testkit's own authority. */
    TLS,
    /** robots.txt with 401 or 410, a closed connection, too long, or after redirects. */
    ROBOTS_KINDS,
    /** ETag and Last-Modified, and 304 for conditional requests. */
    VALIDATORS,
    /** Pages whose text changes by a Poisson process. */
    CHANGES,
    /** A date in the footer, a menu entry or a nonce that changes while the text is the same. */
    BOILERPLATE,
    /** An ETag that changes at each request, or 304 for a page that has changed. */
    LYING_VALIDATORS,
    /** Sitemaps with a lastmod date: that of the last change, or the time of the request. */
    SITEMAP_DATES,
    /** Pages that are missing for some days and come back. */
    VANISHING,
    /** Hosts with a hidden rate limit that respond with 429. */
    HIDDEN_LIMITS,
    /** Every host and page has its own latency. */
    LATENCY,
    /** Responses that fail at random, in the first two attempts at most. */
    FAILURES,
    /** An endless calendar. */
    CALENDAR,
    /** Links with a session id, a new one on every page. */
    SESSION_IDS,
    /** Relative links that extend the path by the same segment without end. */
    REPEATING_PATHS,
    /** A shop whose filters can be combined in every order. */
    FACETS,
    /** Hosts that return 200 with the same text for missing URLs (soft 404). */
    SOFT_404,
    /** Wildcard subdomains, each of which links to more of them. */
    SUBDOMAINS,
    /** Traps with different URLs on each host that look like the rest of the site. */
    DISGUISED_TRAPS;

    /** Whether it is an endless trap. */
    boolean isTrap() {
        return switch (this) {
            case CALENDAR, SESSION_IDS, REPEATING_PATHS, FACETS, SOFT_404, SUBDOMAINS -> true;
            case TLS,
                    ROBOTS_KINDS,
                    VALIDATORS,
                    CHANGES,
                    BOILERPLATE,
                    LYING_VALIDATORS,
                    SITEMAP_DATES,
                    VANISHING,
                    HIDDEN_LIMITS,
                    LATENCY,
                    FAILURES,
                    DISGUISED_TRAPS ->
                    false;
        };
    }
}
