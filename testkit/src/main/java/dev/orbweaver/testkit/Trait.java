package dev.orbweaver.testkit;

/** A property of a host. */
enum Trait {
    /** The name does not resolve. */
    UNRESOLVABLE,
    /** The name resolves to an address without a server. */
    UNRESPONSIVE,
    GZIP,
    CHUNKED,
    /** Closes the connection after each response. */
    CLOSING,
    WINDOWS_1252,
    SITEMAP,
    /** A sitemap index with two files, one of them gzipped. */
    SITEMAP_INDEX,
    REDIRECTS,
    LOOP,
    MISSING,
    ERRORS,
    META,
    MEDIA,
    SLOW,
    TRUNCATED,
    UTF_16,
    // The following traits occur only with a hazard.
    VALIDATORS,
    CHANGES,
    BOILERPLATE,
    LYING_VALIDATORS,
    SITEMAP_DATES,
    VANISHING,
    HIDDEN_LIMIT,
    LATENCY,
    FAILURES,
    CALENDAR,
    SESSION_IDS,
    REPEATING_PATHS,
    FACETS,
    SOFT_404,
    SUBDOMAINS
}
