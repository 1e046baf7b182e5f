package dev.orbweaver.testkit;

/** A category of difficulties for crawlers; a {@link WebSpec} selects those that occur. */
public enum Quirk {
    /** robots.txt files with various rules. */
    ROBOTS_DENIALS,
    /** Hosts whose robots.txt has status 500: nothing on them may be fetched. */
    ROBOTS_UNREACHABLE,
    /** Small hosts with a Crawl-delay. */
    CRAWL_DELAYS,
    /** Sitemaps, also with pages that are not linked. */
    SITEMAPS,
    /** Redirects: single, chained, across hosts, to a trailing slash, in a loop. */
    REDIRECTS,
    /** Links to pages with status 404 and 410. */
    MISSING_PAGES,
    /** Pages with status 500 or 503, always or for the first request only. */
    SERVER_ERRORS,
    /** Slow pages. */
    SLOW_PAGES,
    /** Bodies that end before their Content-Length. */
    TRUNCATED_BODIES,
    /** A name that does not resolve, and an address without a server. */
    DEAD_HOSTS,
    /** gzip, chunked bodies, and connections closed after each response. */
    TRANSFER_FORMS,
    /** Pages in windows-1252 and UTF-16. */
    CHARSETS,
    /** Pages and links with noindex or nofollow, and canonical links. */
    ROBOTS_META,
    /** Links to images and archives. */
    MEDIA
}
