package dev.orbweaver.model;

/** The kinds of links, by the element or header field in which they were found. */
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
    /** {@code rel=alternate}, used for other languages and feeds. */
    ALTERNATE,
    /** Other {@code <link>} relations to documents, such as next, prev, license and help. */
    RELATED,
    /** An entry of a sitemap, a feed or another list of URLs. */
    ENTRY,
    /** A sitemap file that robots.txt or a sitemap index names. */
    SITEMAP,
    /** A file that is needed to show the page: image, style sheet, script, media. */
    REQUISITE
}
