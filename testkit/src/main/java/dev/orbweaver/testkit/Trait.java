package dev.orbweaver.testkit;

/** What one host is like. */
enum Trait {
    /** The name does not resolve. */
    UNRESOLVABLE,
    /** The name resolves to an address where nobody listens. */
    UNRESPONSIVE,
    GZIP,
    CHUNKED,
    /** Closes the connection after each answer. */
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
    // From here on: what only a hazard brings.
    VALIDATORS,
    CHANGES,
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
