package dev.orbweaver.model;

import java.net.InetAddress;
import java.util.Optional;

/**
 * One request and its answer as they went over the wire.
 *
 * @param requestHead the request's bytes
 * @param body the answer's body with chunks joined, still in its content coding: what the archive
 *     holds
 * @param truncated why the body is not all that the server had to send
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

    /** Why a body was cut, in the words of the WARC standard's WARC-Truncated field. */
    public enum Truncation {
        /** Over the size limit. */
        LENGTH
    }

    /** The status code. */
    public int status() {
        return head.status();
    }
}
