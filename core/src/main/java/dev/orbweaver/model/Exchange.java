package dev.orbweaver.model;

import java.net.InetAddress;
import java.util.Optional;

/**
 * One request and its response as transferred. The WARC records are written from it.
 *
 * @param requestHead the request line and header fields as sent, with the empty line; those of
 *     HTTP/2 as HTTP/1.1 text
 * @param head the status line and header fields of the response; those of HTTP/2 as HTTP/1.1 text
 * @param body the body of the response without transfer coding, still in its content coding
 * @param remote the address of the server
 * @param truncated why the body is incomplete, empty when it is complete
 * @param httpVersion the version of HTTP in which it was transferred
 */
@SuppressWarnings("ArrayRecordComponent") // Exchanges are never compared.
public record Exchange(
        CrawlUrl url,
        byte[] requestHead,
        ResponseHead head,
        Body body,
        InetAddress remote,
        Timings timings,
        Optional<Truncation> truncated,
        HttpVersion httpVersion) {

    /** Creates an exchange over HTTP/1.1. */
    public Exchange(
            CrawlUrl url,
            byte[] requestHead,
            ResponseHead head,
            Body body,
            InetAddress remote,
            Timings timings,
            Optional<Truncation> truncated) {
        this(url, requestHead, head, body, remote, timings, truncated, HttpVersion.HTTP_1);
    }

    /** Versions of HTTP. */
    public enum HttpVersion {
        /** HTTP/1.0 or HTTP/1.1. */
        HTTP_1,
        HTTP_2
    }

    /** Why a body is truncated, after the WARC-Truncated field of WARC. */
    public enum Truncation {
        /** The body exceeded the size limit. */
        LENGTH
    }

    /** Returns the HTTP status code. */
    public int status() {
        return head.status();
    }
}
