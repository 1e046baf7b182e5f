package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.FileExtensions;

/**
 * Computes the priority of a URL among those of its host.
 *
 * <p>The score is 100 for a front page, and less with depth, for media, long queries and long URLs;
 * a little more on a new host. A queue is ordered by rank: the distance from 100 in steps of five,
 * so every rule changes the order. Within a rank it is first in, first out.
 */
public final class Priority {

    /** The rank of score 0. */
    public static final int LAST_RANK = 20;

    /** A host with fewer pages than this counts as new. */
    public static final int YOUNG_HOST_PAGES = 10;

    private static final int MAX_SCORE = 100;
    private static final int STEP = 5;
    private static final int LONG_QUERY = 50;
    private static final int LONG_URL = 100;

    private Priority() {}

    public static int score(Candidate candidate, long hostPages) {
        var text = candidate.url().text();
        var query = text.indexOf('?');
        var score = MAX_SCORE - 10 * candidate.depth();
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
        return Math.clamp(score + candidate.bonus(), 0, MAX_SCORE);
    }

    /** Returns the rank of a score; rank 0 is served first. */
    public static int rank(int score) {
        return (MAX_SCORE - Math.clamp(score, 0, MAX_SCORE)) / STEP;
    }

    /** Returns the highest score of a rank, as it is shown to users. */
    public static int scoreOfRank(int rank) {
        return MAX_SCORE - STEP * rank;
    }
}
