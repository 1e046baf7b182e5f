package dev.orbweaver.model;

import java.time.Instant;
import java.util.Optional;

/** What came of one request. Every outcome is a type, so a switch over it is complete. */
public sealed interface FetchResult {

    /** The URL that was asked for. */
    CrawlUrl url();

    /** What went over the wire, if an answer came. */
    default Optional<Exchange> optionalExchange() {
        return switch (this) {
            case Fetched(var exchange) -> Optional.of(exchange);
            case NotModified(var exchange) -> Optional.of(exchange);
            case Redirected(var exchange, _) -> Optional.of(exchange);
            case Refused _, NoResponse _, Failed _ -> Optional.empty();
        };
    }

    /** A complete or truncated answer that is neither of the two below. */
    record Fetched(Exchange exchange) implements FetchResult {
        @Override
        public CrawlUrl url() {
            return exchange.url();
        }
    }

    /** The server says that our copy is still good. */
    record NotModified(Exchange exchange) implements FetchResult {
        @Override
        public CrawlUrl url() {
            return exchange.url();
        }
    }

    /**
     * The server points elsewhere; never followed inside the fetcher. {@code location} is the raw
     * header value.
     */
    record Redirected(Exchange exchange, String location) implements FetchResult {
        @Override
        public CrawlUrl url() {
            return exchange.url();
        }
    }

    /**
     * We did not ask: the address is not one a crawl may reach, or the answer's head said not to
     * read on.
     */
    record Refused(CrawlUrl url, String reason) implements FetchResult {}

    /**
     * Nothing came of it, and that says nothing about the URL or its host. Either the request went
     * out on a connection kept from an earlier one, which then broke without a byte of an answer:
     * most likely the server had given the connection up just before, but it may have seen the
     * request, so asking again must wait like any other request. Or none of our own connections
     * came free.
     *
     * @param localProblem why this machine could not even begin, if that is the cause
     */
    record NoResponse(CrawlUrl url, Instant ended, Optional<String> localProblem)
            implements FetchResult {

        /** Without a cause on this machine. */
        public NoResponse(CrawlUrl url, Instant ended) {
            this(url, ended, Optional.empty());
        }
    }

    /** Nothing usable came back; {@code ended} is when we knew. */
    record Failed(CrawlUrl url, FailureCause cause, String detail, Instant ended)
            implements FetchResult {}
}
