package dev.orbweaver.model;

/** How a URL entered the crawl. */
public enum Hop {
    /** A seed, or the redirect target of a seed. */
    SEED,
    /** A seed without a scheme: https is tried first, then http. */
    GUESSED_SEED,
    /** Linked from a page or listed in a sitemap. */
    LINK,
    /** A file that is needed to show a page, such as an image. */
    EMBED,
    /** The target of a redirect. */
    REDIRECT,
    /** A sitemap file. */
    SITEMAP;

    /** Returns whether the URL is a seed. */
    public boolean isSeed() {
        return this == SEED || this == GUESSED_SEED;
    }
}
