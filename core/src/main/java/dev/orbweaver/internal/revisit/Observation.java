package dev.orbweaver.internal.revisit;

import java.time.Instant;
import java.util.Optional;

/**
 * One visit of a page, as the page log has it.
 *
 * @param line of the visit in the page log
 * @param first line of the page's first visit; equal to {@code line} for a new page
 * @param urlHash of the URL, as in {@link Signal}
 * @param patternHash of host and URL pattern: pages with the same hash change at similar rates
 * @param hostHash of the host, as in {@link Signal}
 * @param importance see {@link Importance#of}
 * @param changedAt when the page last changed, if server, sitemap or feed say so
 * @param role what the crawl learns from the page besides its text
 */
public record Observation(
        long line,
        long first,
        long urlHash,
        long patternHash,
        long hostHash,
        Instant time,
        double importance,
        Result result,
        Optional<Instant> changedAt,
        Role role) {

    /** What a visit found, compared with the visit before. */
    public enum Result {
        NEW,
        UNCHANGED,
        /** Something changed, but not the main text. */
        BOILERPLATE,
        CHANGED,
        /** 404 or 410. */
        GONE,
        NO_RESPONSE
    }

    /** What the crawl learns from a page besides its text. */
    public enum Role {
        PAGE,
        /** New pages are linked from it. */
        SEED,
        /** A sitemap or feed: it lists new pages, and says which have changed. */
        LIST
    }

    /** A visit of an ordinary page. */
    public Observation(
            long line,
            long first,
            long urlHash,
            long patternHash,
            long hostHash,
            Instant time,
            double importance,
            Result result,
            Optional<Instant> changedAt) {
        this(
                line,
                first,
                urlHash,
                patternHash,
                hostHash,
                time,
                importance,
                result,
                changedAt,
                Role.PAGE);
    }

    public Observation withRole(Role other) {
        return new Observation(
                line,
                first,
                urlHash,
                patternHash,
                hostHash,
                time,
                importance,
                result,
                changedAt,
                other);
    }

    public Observation {
        if (!(importance > 0)) {
            throw new IllegalArgumentException("an importance of " + importance);
        }
    }
}
