package dev.orbweaver.testkit;

/**
 * What a path leads to. A host's ordinary pages come first and form a tree under its front page;
 * the others follow, each added by one of the host's traits.
 */
enum PageKind {
    ORDINARY("/"),
    /** Under a folder that robots.txt may forbid. */
    PRIVATE("/private/"),
    /**
     * Ends in {@code .draft}, with or without a query, which a robots.txt with wildcards forbids.
     */
    DRAFT("/drafts/"),
    SITEMAP_ONLY("/listed/"),
    REDIRECT("/go/"),
    /** A redirect that only another redirect leads to. */
    REDIRECT_HOP("/go/"),
    /** Redirects to its own path with a slash behind it. */
    SLASH_REDIRECT("/dir-"),
    SLASH_PAGE("/dir-"),
    NOT_FOUND("/missing/"),
    GONE("/gone/"),
    ERROR_500("/broken/"),
    ERROR_503("/overloaded/"),
    /** Answers 503 the first time it is asked for. */
    FLAKY("/flaky/"),
    SLOW("/slow/"),
    TRUNCATED("/cut/"),
    IMAGE("/media/"),
    ARCHIVE("/media/"),
    /** Says by a canonical link that it is a copy of an ordinary page. */
    CANONICAL_COPY("/x?id="),
    NOINDEX("/meta/noindex-"),
    /** Asks that its links not be followed. */
    NOFOLLOW("/meta/nofollow-"),
    /** Linked only from a page that asks for nofollow. */
    HIDDEN("/hidden/"),
    /** Linked only by a link that says nofollow of itself, which a crawler follows all the same. */
    SPONSORED("/sponsored/"),
    UTF_16("/wide/"),
    /** Linked only from a page in UTF-16: found by those who read it rightly. */
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

    /** The final outcome for a crawl that retries where that helps. */
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
