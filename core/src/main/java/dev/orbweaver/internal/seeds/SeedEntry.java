package dev.orbweaver.internal.seeds;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A URL as a source lists it.
 *
 * @param url the text of the source, not parsed yet
 * @param priority between 0 and 1, as in a sitemap
 * @param lastModified when the source says that the page changed last
 */
public record SeedEntry(String url, OptionalDouble priority, Optional<Instant> lastModified) {

    public SeedEntry {
        if (priority.isPresent() && !(priority.getAsDouble() >= 0 && priority.getAsDouble() <= 1)) {
            throw new IllegalArgumentException("priority of " + url + " is not in 0..1");
        }
    }

    /** Creates an entry of a source that lists URLs only. */
    public static SeedEntry of(String url) {
        return new SeedEntry(url, OptionalDouble.empty(), Optional.empty());
    }
}
