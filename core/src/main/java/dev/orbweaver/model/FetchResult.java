package dev.orbweaver.model;

import java.time.Instant;
import java.util.Optional;

/** The outcome of one request. */
public sealed interface FetchResult {

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

    /** The server redirects. {@code location} is the raw header value. */
    record Redirected(Exchange exchange, String location) implements FetchResult {
        @Override
        public CrawlUrl url() {
            return exchange.url();
        }
    }

    /** Not requested because of its address, or not read because of the response's head. */
    record Refused(CrawlUrl url, String reason) implements FetchResult {}

    /**
     * No response, which says nothing about the URL or its host. Either the request went out on a
     * reused connection, which then broke without a byte: the server most likely closed it just
     * before, but may have seen the request, so a retry must wait like any other request. Or no
     * connection came free.
     *
     * @param localProblem why this machine could not even begin, if that is the cause
     */
    record NoResponse(CrawlUrl url, Instant ended, Optional<String> localProblem)
            implements FetchResult {

        public NoResponse(CrawlUrl url, Instant ended) {
            this(url, ended, Optional.empty());
        }
    }

    /** Nothing usable came back; {@code ended} is when we knew. */
    record Failed(CrawlUrl url, FailureCause cause, String detail, Instant ended)
            implements FetchResult {}
}
