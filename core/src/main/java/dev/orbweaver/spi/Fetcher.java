package dev.orbweaver.spi;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.Validators;

import java.net.InetAddress;
import java.util.Optional;

/**
 * Requests URLs. The built-in fetcher is an HTTP/1.1 client; pass another one to {@link
 * dev.orbweaver.CrawlerBuilder#fetcher}, for example one that reads from an archive or a cache.
 *
 * <pre>{@code
 * public FetchResult fetch(CrawlUrl url, InetAddress address, Runnable sent) {
 *     var started = Instant.now();
 *     sent.run();
 *     byte[] body = pages.get(url.text());
 *     var head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
 *     return new FetchResult.Fetched(new Exchange(
 *             url,
 *             ("GET " + url.pathAndQuery() + " HTTP/1.1\r\n\r\n").getBytes(US_ASCII),
 *             new ResponseHead(head.getBytes(US_ASCII), 200),
 *             new Body.InMemory(body, body.length),
 *             address,
 *             new Timings(started, Duration.ZERO, Duration.ZERO, Duration.ZERO),
 *             Optional.empty()));
 * }
 * }</pre>
 *
 * <p>The crawl first calls {@link #resolve}, then {@link #fetch}, and decides itself about
 * redirects, retries, robots.txt and delays. A fetcher makes exactly one request per call, does not
 * follow redirects, and reports every failure as a {@link FetchResult} instead of an exception.
 *
 * <p>Calls block; each runs in a virtual thread of its own. Many threads call a fetcher at once, so
 * it must be safe for that. It must check addresses itself: an address that is not public is {@link
 * Resolution.Forbidden} in the built-in fetcher.
 */
public interface Fetcher extends AutoCloseable {

    /** Finds the address for a URL. {@link #fetch} gets this address and does no look-up again. */
    Resolution resolve(CrawlUrl url);

    /**
     * Requests a URL. Throws no exception for anything that the server does.
     *
     * @param address the address that {@link #resolve} found
     * @param sent to be run when the request was sent, before the response is read
     */
    FetchResult fetch(CrawlUrl url, InetAddress address, Runnable sent);

    /**
     * Requests a URL and reads the body only if a filter accepts the head; otherwise the result is
     * {@link FetchResult.Refused}. The default ignores the filter, which is correct for fetchers
     * that have whole responses only.
     */
    default FetchResult fetch(CrawlUrl url, InetAddress address, Runnable sent, HeadFilter judge) {
        return fetch(url, address, sent);
    }

    /**
     * Requests a URL that is stored already. The default ignores the validators, which is correct:
     * the response then has the whole document.
     *
     * @param validators of the stored response, which a server compares
     */
    default FetchResult fetch(
            CrawlUrl url,
            InetAddress address,
            Runnable sent,
            HeadFilter judge,
            Validators validators) {
        return fetch(url, address, sent, judge);
    }

    /** Decides by the head of a response whether its body is read. */
    interface HeadFilter {

        /** Accepts every response. */
        HeadFilter ACCEPT_ALL = _ -> Optional.empty();

        /** Returns why the response is refused, empty when it is accepted. */
        Optional<String> refusalReason(ResponseHead head);

        /** Returns the size at which this body is truncated, if it is below the fetcher's limit. */
        default long bodyBytesMax() {
            return Long.MAX_VALUE;
        }
    }

    /** Requests a URL without a callback. */
    default FetchResult fetch(CrawlUrl url, InetAddress address) {
        return fetch(url, address, () -> {});
    }

    /** Returns counts since the fetcher was created. */
    Stats stats();

    /** Closes all connections. The crawl calls it once. */
    @Override
    void close();

    /** The result of a name look-up. */
    sealed interface Resolution {

        /** The address to connect to. */
        record Found(InetAddress address) implements Resolution {}

        /** The name has only addresses that this crawl must not connect to. */
        record Forbidden(String reason) implements Resolution {}

        /**
         * The name has no address, or the look-up failed.
         *
         * @param nonexistent whether the name server said that the name does not exist; a seed with
         *     such a name is not retried
         */
        record NotFound(String reason, boolean nonexistent) implements Resolution {

            /** Creates the result of a look-up that failed and may succeed later. */
            public NotFound(String reason) {
                this(reason, false);
            }
        }
    }

    /**
     * Counts of a fetcher.
     *
     * @param openConnections connections that are open now
     * @param requests requests that were sent
     * @param connectionsOpened connections that were opened
     * @param sentBytes bytes sent, with TLS
     * @param receivedBytes bytes received, with TLS
     */
    record Stats(
            int openConnections,
            long requests,
            long connectionsOpened,
            long sentBytes,
            long receivedBytes) {}
}
