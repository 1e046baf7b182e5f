package dev.orbweaver.model;

import java.net.InetAddress;
import java.util.Optional;

/**
 * One request and its response as they went over the wire.
 *
 * @param body the response's body with chunks joined, still in its content coding
 * @param truncated why the body is incomplete
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

    /** Why a body was cut, by WARC's WARC-Truncated field. */
    public enum Truncation {
        /** Over the size limit. */
        LENGTH
    }

    public int status() {
        return head.status();
    }
}
