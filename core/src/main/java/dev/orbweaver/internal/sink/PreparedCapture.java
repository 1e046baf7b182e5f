package dev.orbweaver.internal.sink;

import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;

import java.util.Optional;

/**
 * A capture ready to be appended.
 *
 * @param records its WARC records, compressed; empty if nothing was transferred
 * @param bodyOffset where in the records the capture's body must be inserted, which was not copied;
 *     {@link #BODY_INCLUDED} if the records include it
 * @param digest the payload's digest in WARC format, empty if there is none
 * @param responseLength number of bytes of the first record, the response
 * @param original the location of the payload if the first record is a revisit
 * @param unchanged the last visit, if the server said that the document is the same
 */
public record PreparedCapture(
        Capture capture,
        Body records,
        int bodyOffset,
        String digest,
        long responseLength,
        WarcLocation original,
        Optional<PageLogEntry> unchanged) {

    /** The records include the body. */
    public static final int BODY_INCLUDED = -1;

    public PreparedCapture(Capture capture, Body records, String digest, long responseLength) {
        this(
                capture,
                records,
                BODY_INCLUDED,
                digest,
                responseLength,
                WarcLocation.NONE,
                Optional.empty());
    }
}
