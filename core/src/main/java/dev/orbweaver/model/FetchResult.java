package dev.orbweaver.model;

import java.time.Instant;
import java.util.Optional;

/** The outcome of one request. A {@link dev.orbweaver.spi.Fetcher} returns one of its records. */
public sealed interface FetchResult {

    /** Returns the URL that was requested. */
    CrawlUrl url();

    /** Returns request and response as transferred; empty when there was no response. */
    default Optional<Exchange> optionalExchange() {
        return switch (this) {
            case Fetched(var exchange) -> Optional.of(exchange);
            case NotModified(var exchange) -> Optional.of(exchange);
            case Redirected(var exchange, _) -> Optional.of(exchange);
            case Refused _, NoResponse _, Failed _ -> Optional.empty();
        };
    }

    /** A complete or truncated response of any status, except redirects and 304. */
    record Fetched(Exchange exchange) implements FetchResult {
        @Override
        public CrawlUrl url() {
            return exchange.url();
        }
    }

    /** A response with status 304: the stored copy is still valid. */
    record NotModified(Exchange exchange) implements FetchResult {
        @Override
        public CrawlUrl url() {
            return exchange.url();
        }
    }

    /**
     * A redirect.
     *
     * @param location the value of the Location header field as sent, not resolved
     */
    record Redirected(Exchange exchange, String location) implements FetchResult {
        @Override
        public CrawlUrl url() {
            return exchange.url();
        }
    }

    /** No request because of the address, or no body read because of the head of the response. */
    record Refused(CrawlUrl url, String reason) implements FetchResult {}

    /**
     * No response, for a reason that is not a failure of the URL or its host. Either the request
     * was sent on a reused connection that closed without a byte of response: the server probably
     * closed it just before, but may have seen the request, so a retry waits like any other
     * request. Or no connection was available.
     *
     * @param ended when this was known
     * @param localProblem why this machine could not start the request; empty in the first case
     */
    record NoResponse(CrawlUrl url, Instant ended, Optional<String> localProblem)
            implements FetchResult {

        /** Creates a result for a reused connection that was closed. */
        public NoResponse(CrawlUrl url, Instant ended) {
            this(url, ended, Optional.empty());
        }
    }

    /**
     * A failed request.
     *
     * @param cause the kind of failure, which decides whether the request is repeated
     * @param detail the failure as a sentence
     * @param ended when the failure was known
     */
    record Failed(CrawlUrl url, FailureCause cause, String detail, Instant ended)
            implements FetchResult {}
}
