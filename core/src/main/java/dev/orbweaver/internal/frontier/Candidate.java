package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;

/**
 * A URL that passed the scope and is offered to a frontier.
 *
 * @param depth links from a seed; a redirect keeps the depth of its source
 * @param hops redirects in a row that led here
 */
public record Candidate(CrawlUrl url, Hop hop, int depth, int hops) {

    public static Candidate seed(CrawlUrl url, boolean schemeGuessed) {
        return new Candidate(url, schemeGuessed ? Hop.GUESSED_SEED : Hop.SEED, 0, 0);
    }
}
