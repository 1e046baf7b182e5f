package dev.orbweaver.model;

import java.time.Instant;
import java.util.Optional;

/**
 * What is recorded of one visit.
 *
 * @param parent the sequence number of the capture in which the URL was found, 0 for a seed
 * @param exchange what went over the wire; empty when there was no request or no response
 * @param cause why it failed or was refused, in one word; empty otherwise
 * @param detail the same in a sentence
 */
public record Capture(
        CrawlUrl url,
        Kind kind,
        Hop hop,
        int depth,
        CaptureRef parent,
        int attempts,
        Instant time,
        Optional<Exchange> exchange,
        Page page,
        String cause,
        String detail) {

    public enum Kind {
        /** A document, stored with a 2xx answer. */
        PAGE,
        /** A pointer elsewhere. */
        REDIRECT,
        /** A final answer that is no document: 4xx and what else has no use. */
        ERROR,
        /** No usable answer after the last try. */
        FAILED,
        /** No usable answer, but it is asked for again. */
        RETRIED,
        /** Never asked for. */
        WITHDRAWN,
        ROBOTS,
        SITEMAP
    }
}
