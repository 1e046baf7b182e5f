package dev.orbweaver.model;

/** How a URL came into the crawl. */
public enum Hop {
    /** Given by the user, or the redirect target of one that was. */
    SEED,
    /** Given without a scheme: https is tried first, then http. */
    GUESSED_SEED,
    /** Linked from a page or listed in a sitemap. */
    LINK,
    /** Needed to show a page. */
    EMBED,
    /** Pointed at by a redirect. */
    REDIRECT,
    /** A sitemap file. */
    SITEMAP;

    /** Whether the URL was given rather than found. */
    public boolean isSeed() {
        return this == SEED || this == GUESSED_SEED;
    }
}
