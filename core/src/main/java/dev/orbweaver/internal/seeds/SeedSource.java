package dev.orbweaver.internal.seeds;

import java.io.IOException;

/** A list of URLs outside the crawl: a file, a site's sitemaps, an index server. */
public interface SeedSource {

    /** Returns type and argument, such as {@code sitemap:https://example.org/}. */
    String description();

    /**
     * Reads the source from its start to its end. Entries are passed on as they are read and never
     * collected in memory.
     *
     * @throws IOException if the source ended early, or {@code out} failed; the message is a whole
     *     sentence that says what failed and what to do. Entries passed on before are valid.
     */
    void read(SeedOutput out) throws IOException, InterruptedException;
}
