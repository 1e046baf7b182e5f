package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.FileExtensions;

/**
 * Computes the priority of a URL among those of its host.
 *
 * <p>The score is 100 for a front page, and less with depth, for media, long queries and long URLs;
 * a little more on a new host. Scores are divided into four bands of 25.
 */
public final class Priority {

    public static final int LAST_BAND = 3;

    /** A host with fewer pages than this counts as new. */
    public static final int YOUNG_HOST_PAGES = 10;

    private static final int BAND_WIDTH = 25;
    private static final int LONG_QUERY = 50;
    private static final int LONG_URL = 100;

    private Priority() {}

    public static int score(Candidate candidate, long hostPages) {
        var text = candidate.url().text();
        var query = text.indexOf('?');
        var score = 100 - 10 * candidate.depth();
        if (FileExtensions.MEDIA_AND_DOCUMENTS.contains(FileExtensions.of(candidate.url()))) {
            score -= 20;
        }
        if (query >= 0 && text.length() - query - 1 > LONG_QUERY) {
            score -= 10;
        }
        if (text.length() > LONG_URL) {
            score -= 5;
        }
        if (hostPages < YOUNG_HOST_PAGES) {
            score += 5;
        }
        return Math.clamp(score, 0, 100);
    }

    /** Returns the band of a score; band 0 is served first. */
    public static int band(int score) {
        return Math.min(LAST_BAND, (100 - score) / BAND_WIDTH);
    }
}
