package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.robots.Directive;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** What a crawl's pages are for, which decides what their owners' wishes mean for keeping them. */
public enum Purpose {
    /** Not stated: wishes are recorded and left to whoever uses the pages. */
    NONE,
    /** Copies to be looked at. */
    ARCHIVE,
    /** An index that leads people to the pages. */
    SEARCH,
    /** What a generative model is shown when it answers. */
    AI_INPUT,
    /** What a generative model learns from. */
    AI_TRAIN;

    /** Its name as people write it. */
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The first wish that forbids keeping a page for this. */
    Optional<Directive> firstForbidding(Collection<Directive> wishes) {
        return wishes.stream().sorted().filter(this::forbiddenBy).findFirst();
    }

    /** Whether a wish forbids keeping a page for this. */
    public boolean forbiddenBy(Directive wish) {
        return switch (wish) {
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
