package dev.orbweaver.internal.revisit;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Why a page is visited when it is.
 *
 * @param changesPerDay estimated rate of changes
 * @param recall share of the host's changes that signals report
 * @param precision share of the signals that report a change
 * @param signals number of signals since the last visit
 * @param fresh probability that the stored copy is the current one
 * @param value what a visit now would buy, in fresh days times importance
 * @param lambda value from which pages are visited
 * @param queued whether the page waits in the frontier
 * @param sourceInterval by when the page is visited again in any case, because new pages and
 *     changes are known from it; empty for other pages
 * @param due when the page is visited again; empty if it is queued, gone, or not in the crawl's
 *     scope
 */
public record RevisitExplanation(
        PageState state,
        Instant visited,
        double importance,
        double changesPerDay,
        double recall,
        double precision,
        int signals,
        double fresh,
        double value,
        double lambda,
        boolean queued,
        Optional<Duration> sourceInterval,
        Optional<Instant> due) {}
