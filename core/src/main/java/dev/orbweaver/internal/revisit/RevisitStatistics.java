package dev.orbweaver.internal.revisit;

import java.util.OptionalDouble;

/**
 * Figures of all pages.
 *
 * @param queued pages that wait in the frontier
 * @param due pages that are due and not queued
 * @param overdue pages that have been due for more than a day
 * @param gone pages that no longer exist
 * @param freshness estimated share of pages whose stored copy is the current one; of a sample, if
 *     there are many pages
 * @param weightedFreshness the same, weighted by importance
 * @param lambda value from which pages are visited
 * @param usedToday visits since the last midnight UTC
 * @param visitsPerDay the budget
 */
public record RevisitStatistics(
        long pages,
        long queued,
        long due,
        long overdue,
        long gone,
        double freshness,
        double weightedFreshness,
        double lambda,
        long usedToday,
        OptionalDouble visitsPerDay) {

    /** The figures of a crawl that visits no page again. */
    public static final RevisitStatistics NONE =
            new RevisitStatistics(0, 0, 0, 0, 0, 1, 1, 0, 0, OptionalDouble.empty());
}
