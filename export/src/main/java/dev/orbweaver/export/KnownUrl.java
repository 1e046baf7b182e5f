package dev.orbweaver.export;

import java.time.Instant;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A URL of a site that was found without fetching it.
 *
 * @param sources all sources that list it, such as {@code sitemap}
 * @param lastModified the latest date that one of them gives
 */
public record KnownUrl(String url, SortedSet<String> sources, Optional<Instant> lastModified) {

    /** Adds that another source lists it. */
    public KnownUrl with(String source, Optional<Instant> date) {
        var all = new TreeSet<>(sources);
        all.add(source);
        var later = lastModified.filter(at -> date.filter(at::isBefore).isEmpty());
        return new KnownUrl(url, all, later.or(() -> date));
    }
}
