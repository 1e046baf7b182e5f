package dev.orbweaver.testkit;

/** A family of things that make a web harder to crawl; a {@link WebSpec} says which occur. */
public enum Quirk {
    /** robots.txt files that forbid something, in all the ways they do. */
    ROBOTS_DENIALS,
    /** Hosts whose robots.txt answers 500: nothing on them may be fetched. */
    ROBOTS_UNREACHABLE,
    /** Small hosts that ask for a Crawl-delay. */
    CRAWL_DELAYS,
    /** Sitemaps, with pages that nothing else leads to. */
    SITEMAPS,
    /** Redirects: single, chained, across hosts, to a trailing slash, in a loop. */
    REDIRECTS,
    /** Links to pages that answer 404 and 410. */
    MISSING_PAGES,
    /** Pages that answer 500 or 503, always or the first time only. */
    SERVER_ERRORS,
    /** Pages that take their time. */
    SLOW_PAGES,
    /** Bodies that end before their Content-Length. */
    TRUNCATED_BODIES,
    /** A name that does not resolve and an address where nobody listens. */
    DEAD_HOSTS,
    /** gzip, chunks, and connections closed after each answer. */
    TRANSFER_FORMS,
    /** Pages in windows-1252 and UTF-16. */
    CHARSETS,
    /** Pages and links that say noindex or nofollow, and canonical links. */
    ROBOTS_META,
    /** Links to images and archives. */
    MEDIA
}
