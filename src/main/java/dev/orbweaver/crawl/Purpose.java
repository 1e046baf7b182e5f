package dev.orbweaver.crawl;

import dev.orbweaver.robots.Directive;

import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** What a crawl's pages are for, which decides what their owners' wishes mean for keeping them. */
public enum Purpose {
    /** Not stated: wishes are recorded and left to whoever uses the pages. */
    NONE,
    /** Copies to be looked at. */
    ARCHIVE(Directive.NOARCHIVE),
    /** An index that leads people to the pages. */
    SEARCH(Directive.NOINDEX, Directive.UNAVAILABLE, Directive.NO_SEARCH),
    /** What a generative model is shown when it answers. */
    AI_INPUT(
            Directive.NOINDEX,
            Directive.NOSNIPPET,
            Directive.NOAI,
            Directive.UNAVAILABLE,
            Directive.NO_AI_INPUT),
    /** What a generative model learns from. */
    AI_TRAIN(Directive.NOAI, Directive.NO_AI_TRAIN);

    private final Set<Directive> forbidding = EnumSet.noneOf(Directive.class);

    Purpose(Directive... forbidding) {
        this.forbidding.addAll(Arrays.asList(forbidding));
    }

    /** Its name as people write it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The first wish that forbids keeping a page for this. */
    Optional<Directive> objection(Collection<Directive> wishes) {
        return wishes.stream().sorted().filter(forbidding::contains).findFirst();
    }

    /** Whether a wish forbids keeping a page for this. */
    public boolean forbiddenBy(Directive wish) {
        return forbidding.contains(wish);
    }
}
