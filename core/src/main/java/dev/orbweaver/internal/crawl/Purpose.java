package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.robots.Directive;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** What a crawl's pages are used for, which decides which directives forbid storing them. */
public enum Purpose {
    /** Not stated: directives are recorded, and users of the pages must apply them. */
    NONE,
    /** Copies for later viewing. */
    ARCHIVE,
    /** A search index that links to the pages. */
    SEARCH,
    /** Input to a generative model when it produces output. */
    AI_INPUT,
    /** Training data of a generative model. */
    AI_TRAIN;

    /** Returns the identifier used in configuration. */
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the first directive that forbids storing a page for this purpose. */
    Optional<Directive> firstForbidding(Collection<Directive> directives) {
        return directives.stream().sorted().filter(this::forbiddenBy).findFirst();
    }

    /** Returns whether a directive forbids storing a page for this purpose. */
    public boolean forbiddenBy(Directive directive) {
        return switch (directive) {
            case NOFOLLOW -> false;
            case NOINDEX, UNAVAILABLE -> this == SEARCH || this == AI_INPUT;
            case NOARCHIVE -> this == ARCHIVE;
            case NOSNIPPET, NO_AI_INPUT -> this == AI_INPUT;
            case NOAI -> this == AI_INPUT || this == AI_TRAIN;
            case NO_SEARCH -> this == SEARCH;
            case NO_AI_TRAIN -> this == AI_TRAIN;
        };
    }
}
