package dev.orbweaver.testkit;

/**
 * Trouble that a web has only on request: some of it never ends, some needs more from a crawler
 * than getting every page once.
 */
public enum Hazard {
    /** Every URL is https, with certificates that an authority of the simulation's own signs. */
    TLS,
    /** robots.txt with 401 or 410, a closed connection, too long, or behind redirects. */
    ROBOTS_KINDS,
    /** ETag and Last-Modified, and 304 for those who show them again. */
    VALIDATORS,
    /** Pages that are another text every few days. */
    CHANGES,
    /** Hosts that answer 429 when they are asked faster than they like, and do not say how fast. */
    HIDDEN_LIMITS,
    /** Every host and page takes its own time to answer. */
    LATENCY,
    /** Answers that fail at random, at the first two times of asking at most. */
    FAILURES,
    /** A calendar with a next month for every month. */
    CALENDAR,
    /** Links that carry a session's number, a new one on every page. */
    SESSION_IDS,
    /** Relative links that make the path longer by the same segment for ever. */
    REPEATING_PATHS,
    /** A shop whose filters can be chosen in every order. */
    FACETS,
    /** Hosts that answer 200 with the same text to whatever does not exist. */
    SOFT_404,
    /** Names below a host that all exist, each of which links to more of them. */
    SUBDOMAINS,
    /** Traps that are written in another way on each host, and look like the rest of it. */
    DISGUISED_TRAPS;

    /** Whether following it never ends. */
    boolean isTrap() {
        return switch (this) {
            case CALENDAR, SESSION_IDS, REPEATING_PATHS, FACETS, SOFT_404, SUBDOMAINS -> true;
            case TLS,
                    ROBOTS_KINDS,
                    VALIDATORS,
                    CHANGES,
                    HIDDEN_LIMITS,
                    LATENCY,
                    FAILURES,
                    DISGUISED_TRAPS ->
                    false;
        };
    }
}
