package dev.orbweaver.testkit;

/**
 * The kind of a page. A host's ordinary pages come first and form a tree under its front page; the
 * others follow, each added by one of the host's traits.
 */
enum PageKind {
    ORDINARY("/"),
    /** In a directory that robots.txt may disallow. */
    PRIVATE("/private/"),
    /**
     * Ends in {@code .draft}, with or without a query, which a robots.txt with wildcards disallows.
     */
    DRAFT("/drafts/"),
    SITEMAP_ONLY("/listed/"),
    REDIRECT("/go/"),
    /** A redirect that is only the target of another redirect. */
    REDIRECT_HOP("/go/"),
    /** Redirects to its own path with a trailing slash. */
    SLASH_REDIRECT("/dir-"),
    SLASH_PAGE("/dir-"),
    NOT_FOUND("/missing/"),
    GONE("/gone/"),
    ERROR_500("/broken/"),
    ERROR_503("/overloaded/"),
    /** Returns 503 to the first request. */
    FLAKY("/flaky/"),
    SLOW("/slow/"),
    TRUNCATED("/cut/"),
    IMAGE("/media/"),
    ARCHIVE("/media/"),
    /** Has a canonical link to an ordinary page, of which it is a copy. */
    CANONICAL_COPY("/x?id="),
    NOINDEX("/meta/noindex-"),
    /** Has a robots meta nofollow. */
    NOFOLLOW("/meta/nofollow-"),
    /** Linked only from a page with robots meta nofollow. */
    HIDDEN("/hidden/"),
    /** Linked only with rel=nofollow, which a crawler follows by default. */
    SPONSORED("/sponsored/"),
    UTF_16("/wide/"),
    /** Linked only from a page in UTF-16, so found only with correct decoding. */
    LINKED_FROM_UTF_16("/behind/");

    final String directory;

    PageKind(String directory) {
        this.directory = directory;
    }

    /** Whether an ordinary page of the host links to it. */
    boolean isLinked() {
        return switch (this) {
            case SITEMAP_ONLY, REDIRECT_HOP, SLASH_PAGE, HIDDEN, LINKED_FROM_UTF_16 -> false;
            case ORDINARY,
                    PRIVATE,
                    DRAFT,
                    REDIRECT,
                    SLASH_REDIRECT,
                    NOT_FOUND,
                    GONE,
                    ERROR_500,
                    ERROR_503,
                    FLAKY,
                    SLOW,
                    TRUNCATED,
                    IMAGE,
                    ARCHIVE,
                    CANONICAL_COPY,
                    NOINDEX,
                    NOFOLLOW,
                    SPONSORED,
                    UTF_16 ->
                    true;
        };
    }

    /** The final outcome for a crawl with retries. */
    Outcome outcome() {
        return switch (this) {
            case REDIRECT, REDIRECT_HOP, SLASH_REDIRECT -> Outcome.REDIRECT;
            case NOT_FOUND, GONE -> Outcome.MISSING;
            case ERROR_500, ERROR_503 -> Outcome.FAILING;
            case TRUNCATED -> Outcome.TRUNCATED;
            case IMAGE, ARCHIVE -> Outcome.BINARY;
            case ORDINARY,
                    PRIVATE,
                    DRAFT,
                    SITEMAP_ONLY,
                    SLASH_PAGE,
                    FLAKY,
                    SLOW,
                    CANONICAL_COPY,
                    NOINDEX,
                    NOFOLLOW,
                    HIDDEN,
                    SPONSORED,
                    UTF_16,
                    LINKED_FROM_UTF_16 ->
                    Outcome.HTML;
        };
    }

    enum Outcome {
        HTML,
        BINARY,
        REDIRECT,
        MISSING,
        FAILING,
        TRUNCATED
    }
}
