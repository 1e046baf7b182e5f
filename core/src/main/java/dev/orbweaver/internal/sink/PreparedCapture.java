package dev.orbweaver.internal.sink;

import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;

/**
 * A capture ready to be appended.
 *
 * @param records its WARC records, compressed; empty when nothing went over the wire
 * @param bodyOffset where in the records the capture's body belongs, which was not copied; {@link
 *     #BODY_INCLUDED} when nothing was left out
 * @param digest the payload's digest as WARC writes it, empty when there is none
 * @param responseLength how many of the bytes are the first record, the response
 * @param original where the payload is when the first record is a revisit
 */
public record PreparedCapture(
        Capture capture,
        Body records,
        int bodyOffset,
        String digest,
        long responseLength,
        WarcLocation original) {

    /** The records have no gap. */
    public static final int BODY_INCLUDED = -1;

    public PreparedCapture(Capture capture, Body records, String digest, long responseLength) {
        this(capture, records, BODY_INCLUDED, digest, responseLength, WarcLocation.NONE);
    }
}
