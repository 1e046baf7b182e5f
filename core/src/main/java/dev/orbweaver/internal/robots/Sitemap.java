package dev.orbweaver.internal.robots;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The entries of a sitemap or feed, in file order.
 *
 * @param sitemaps further sitemaps listed by an index
 * @param malformed whether the file is of unknown type, truncated, or over a limit; entries parsed
 *     before that are included
 */
public record Sitemap(List<String> sitemaps, List<Entry> entries, boolean malformed) {

    public Sitemap {
        sitemaps = List.copyOf(sitemaps);
        entries = List.copyOf(entries);
    }

    /**
     * One page.
     *
     * @param url an http or https URL as written, or a path prefixed with the file's origin; not
     *     parsed yet
     * @param priority between 0 and 1
     */
    public record Entry(String url, Optional<Instant> lastModified, OptionalDouble priority) {

        /**
         * Returns the points that the entry adds to the priority of its page: up to 20 more or less
         * for a priority other than the default of 0.5, and 5 for a page that changed recently.
         */
        public int points(Instant now) {
            var recent =
                    lastModified
                            .filter(at -> at.isAfter(now.minus(RECENT)) && !at.isAfter(now))
                            .isPresent();
            return (int) Math.round((priority.orElse(DEFAULT_PRIORITY) - DEFAULT_PRIORITY) * 40)
                    + (recent ? 5 : 0);
        }
    }

    private static final Duration RECENT = Duration.ofDays(30);

    /** The protocol's priority of a page that has none. */
    private static final double DEFAULT_PRIORITY = 0.5;
}
