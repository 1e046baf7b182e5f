package dev.orbweaver.internal.fetch;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.ResponseHead;

import java.net.InetAddress;
import java.util.Optional;

/** One URL in, one result out. Calls block, for virtual threads. Redirects are not followed. */
public interface Fetcher extends AutoCloseable {

    /** Finds the address to connect to for a URL; there is no second look-up. */
    Resolution resolve(CrawlUrl url);

    /**
     * Requests a URL from its address. Never throws for anything the server does.
     *
     * @param sent run when the request has been sent, before any of its response is read
     */
    FetchResult fetch(CrawlUrl url, InetAddress address, Runnable sent);

    /**
     * If the filter refuses the response's head, the body is not read and the result is {@link
     * FetchResult.Refused}. A fetcher that has whole responses only may ignore the filter.
     */
    default FetchResult fetch(CrawlUrl url, InetAddress address, Runnable sent, HeadFilter judge) {
        return fetch(url, address, sent);
    }

    /** Decides whether a response is wanted, before its body is read. */
    interface HeadFilter {

        HeadFilter ACCEPT_ALL = _ -> Optional.empty();

        /** Why the response is not wanted; empty when it is. */
        Optional<String> refusalReason(ResponseHead head);

        /** Where the body is cut, if that is sooner than the fetcher cuts every body. */
        default long bodyBytesMax() {
            return Long.MAX_VALUE;
        }
    }

    default FetchResult fetch(CrawlUrl url, InetAddress address) {
        return fetch(url, address, () -> {});
    }

    Stats stats();

    @Override
    void close();

    sealed interface Resolution {

        record Found(InetAddress address) implements Resolution {}

        /** The name leads only to addresses that this crawl must not reach. */
        record Forbidden(String reason) implements Resolution {}

        record NotFound(String reason) implements Resolution {}
    }

    /** Bytes are as the network saw them, TLS included. */
    record Stats(
            int openConnections,
            long requests,
            long connectionsOpened,
            long sentBytes,
            long receivedBytes) {}
}
