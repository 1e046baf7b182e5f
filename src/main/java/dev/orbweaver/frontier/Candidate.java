package dev.orbweaver.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;

/**
 * A URL that passed the scope and asks to be crawled.
 *
 * @param depth links from a seed; a redirect keeps the depth of what it came from
 * @param hops redirects in a row that led here
 * @param parent the sequence number of the capture it was found in, 0 for a seed
 */
public record Candidate(CrawlUrl url, Hop hop, int depth, int hops, long parent) {

    /** A URL given by the user. */
    public static Candidate seed(CrawlUrl url, boolean schemeGuessed) {
        return new Candidate(url, schemeGuessed ? Hop.GUESSED_SEED : Hop.SEED, 0, 0, 0);
    }
}
