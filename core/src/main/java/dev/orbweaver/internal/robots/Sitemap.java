package dev.orbweaver.internal.robots;

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
    public record Entry(String url, Optional<Instant> lastModified, OptionalDouble priority) {}
}
