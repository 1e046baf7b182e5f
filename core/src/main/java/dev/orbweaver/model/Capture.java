package dev.orbweaver.model;

import java.time.Instant;
import java.util.Optional;

/**
 * The record of one visit of a URL: a line of the page log and its WARC records.
 *
 * <p>Handlers get a {@link dev.orbweaver.spi.CrawledPage} instead; of this type they need {@link
 * Kind}.
 *
 * @param hop how the URL entered the crawl
 * @param depth the number of links between a seed and the URL
 * @param parent the sequence number of the capture in which the URL was found, 0 for a seed
 * @param attempts the number of failed requests before this one
 * @param time when the request was sent
 * @param exchange request and response as transferred; empty when there was no request or no
 *     response
 * @param page the result of the parser; {@link Page#EMPTY} when nothing was parsed
 * @param cause why the visit failed or was refused, as an id; empty otherwise
 * @param detail the cause as a sentence
 * @param visit which visit of the URL; after the first, {@code parent} is the visit before
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
        String detail,
        VisitNumber visit) {

    /** Creates the record of a first visit. */
    public Capture(
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
        this(
                url,
                kind,
                hop,
                depth,
                parent,
                attempts,
                time,
                exchange,
                page,
                cause,
                detail,
                VisitNumber.FIRST);
    }

    /** The outcome of a visit. */
    public enum Kind {
        /** A stored document with a 2xx response. */
        PAGE,
        /** A redirect to another URL, which is queued as a URL of its own. */
        REDIRECT,
        /** A final response without a document, such as 404. */
        ERROR,
        /**
         * No usable response after the last retry, or never requested because the URL is part of a
         * crawler trap: a dead letter.
         */
        FAILED,
        /** No usable response; the request is repeated later. */
        RETRIED,
        /**
         * Not requested, or its body was not read, for example because robots.txt or a rule forbids
         * it. It is not requested again.
         */
        WITHDRAWN,
        /** A robots.txt file. */
        ROBOTS,
        /** A sitemap file. */
        SITEMAP
    }
}
