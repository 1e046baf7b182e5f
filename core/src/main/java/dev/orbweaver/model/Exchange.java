package dev.orbweaver.model;

import java.net.InetAddress;
import java.util.Optional;

/**
 * One request and its response as transferred. The WARC records are written from it.
 *
 * @param requestHead the request line and header fields as sent, with the empty line
 * @param head the status line and header fields of the response
 * @param body the body of the response without transfer coding, still in its content coding
 * @param remote the address of the server
 * @param truncated why the body is incomplete, empty when it is complete
 */
@SuppressWarnings("ArrayRecordComponent") // Exchanges are never compared.
public record Exchange(
        CrawlUrl url,
        byte[] requestHead,
        ResponseHead head,
        Body body,
        InetAddress remote,
        Timings timings,
        Optional<Truncation> truncated) {

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
