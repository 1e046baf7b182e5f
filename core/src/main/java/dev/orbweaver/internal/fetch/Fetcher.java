package dev.orbweaver.internal.fetch;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.ResponseHead;

import java.net.InetAddress;
import java.util.Optional;

/**
 * One URL in, one result out. Calls block and are meant for virtual threads. Redirects are never
 * followed inside.
 */
public interface Fetcher extends AutoCloseable {

    /**
     * Finds the address to dial for a URL. What is returned here is what must be dialled: there is
     * no second look-up.
     */
    Resolution resolve(CrawlUrl url);

    /**
     * Requests a URL from the address that was found for it. Never throws for anything the other
     * side does.
     *
     * @param sent run when the request has gone out, before any of its answer is read
     */
    FetchResult fetch(CrawlUrl url, InetAddress address, Runnable sent);

    /**
     * The same with a say on the answer's head: if there is an objection, the body is not read and
     * the result is {@link FetchResult.Refused}. A fetcher that has whole answers only may leave
     * the judge out.
     */
    default FetchResult fetch(CrawlUrl url, InetAddress address, Runnable sent, HeadFilter judge) {
        return fetch(url, address, sent);
    }

    /** Says whether an answer is wanted, before its body is read. */
    interface HeadFilter {

        /** Wants everything. */
        HeadFilter ACCEPT_ALL = _ -> Optional.empty();

        /** Why the answer is not wanted, or nothing when it is. */
        Optional<String> refusalReason(ResponseHead head);

        /** Where the body is cut, if that is sooner than the fetcher cuts every body. */
        default long bodyBytesMax() {
            return Long.MAX_VALUE;
        }
    }

    /** The same when nobody wants to know the moment. */
    default FetchResult fetch(CrawlUrl url, InetAddress address) {
        return fetch(url, address, () -> {});
    }

    /** Open sockets and the like. */
    Stats stats();

    @Override
    void close();

    /** The outcome of a look-up. */
    sealed interface Resolution {

        /** The address to dial. */
        record Found(InetAddress address) implements Resolution {}

        /** The name leads only to addresses that this crawl must not reach. */
        record Forbidden(String reason) implements Resolution {}

        /** No address. */
        record NotFound(String reason) implements Resolution {}
    }

    /**
     * The fetcher's figures.
     *
     * @param sentBytes as the network saw them, TLS included
     * @param receivedBytes likewise
     */
    record Stats(
            int openConnections,
            long requests,
            long connectionsOpened,
            long sentBytes,
            long receivedBytes) {

        /** Those of a fetcher that does not count bytes. */
        public Stats(int openConnections, long requests, long connectionsMade) {
            this(openConnections, requests, connectionsMade, 0, 0);
        }
    }
}
