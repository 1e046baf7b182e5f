package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;

/**
 * A URL that passed the scope and is offered to a frontier.
 *
 * @param depth links from a seed; a redirect keeps the depth of its source
 * @param hops redirects in a row that led here
 * @param bonus points added to its priority, or subtracted if negative
 * @param notBefore when it may be requested, in milliseconds since 1970; 0 for now
 */
public record Candidate(CrawlUrl url, Hop hop, int depth, int hops, int bonus, long notBefore) {

    public Candidate(CrawlUrl url, Hop hop, int depth, int hops) {
        this(url, hop, depth, hops, 0, 0);
    }

    public static Candidate seed(CrawlUrl url, boolean schemeGuessed) {
        return new Candidate(url, schemeGuessed ? Hop.GUESSED_SEED : Hop.SEED, 0, 0);
    }
}
