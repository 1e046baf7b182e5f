package dev.orbweaver.sink;

import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;

/**
 * A capture ready to be appended.
 *
 * @param records its WARC records, compressed; empty when nothing went over the wire
 * @param gap where in the records the capture's body belongs, which was left where it is; {@link
 *     #WHOLE} when nothing was left out
 * @param digest the payload's digest as WARC writes it, empty when there is none
 * @param responseLength how many of the bytes are the first record, the response
 * @param original where the payload lies when the first record is a revisit
 */
public record Prepared(
        Capture capture,
        Body records,
        int gap,
        String digest,
        long responseLength,
        WarcPlace original) {

    /** The records have no gap. */
    public static final int WHOLE = -1;

    /** One with its payload, if it has any. */
    public Prepared(Capture capture, Body records, String digest, long responseLength) {
        this(capture, records, WHOLE, digest, responseLength, WarcPlace.NONE);
    }
}
