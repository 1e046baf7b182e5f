package dev.orbweaver.internal.robots;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a sitemap or feed lists, in the file's order.
 *
 * @param sitemaps further sitemaps that an index names
 * @param malformed the file is of no known kind, breaks off, or broke a limit; what could be read
 *     before that is here all the same
 */
public record Sitemap(List<String> sitemaps, List<Entry> entries, boolean malformed) {

    public Sitemap {
        sitemaps = List.copyOf(sitemaps);
        entries = List.copyOf(entries);
    }

    /**
     * One page.
     *
     * @param url an http or https URL as written, or with the file's origin put before a path; not
     *     yet parsed
     * @param priority between 0 and 1
     */
    public record Entry(String url, Optional<Instant> lastModified, OptionalDouble priority) {}
}
