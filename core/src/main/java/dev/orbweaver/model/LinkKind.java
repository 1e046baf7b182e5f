package dev.orbweaver.model;

/** How a page points at a URL. */
public enum LinkKind {
    /** {@code <a>} and {@code <area>}. */
    ANCHOR,
    /** {@code <iframe>} and {@code <frame>}. */
    FRAME,
    /** A meta refresh or a {@code Refresh} header. */
    REFRESH,
    /** {@code <form method=get>}. */
    FORM,
    /** {@code rel=canonical}. */
    CANONICAL,
    /** {@code rel=alternate}, as for languages and feeds. */
    ALTERNATE,
    /** Other {@code <link>} relations to documents: next, prev, license, help and their like. */
    RELATED,
    /** An entry of a sitemap or feed. */
    ENTRY,
    /** A sitemap file: named by robots.txt or by a sitemap index. */
    SITEMAP,
    /** What a page needs to be shown: images, styles, scripts, media. */
    REQUISITE
}
