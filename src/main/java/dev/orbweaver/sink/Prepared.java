package dev.orbweaver.sink;

import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;

/**
 * A capture ready to be appended.
 *
 * @param records its WARC records, compressed; empty when nothing went over the wire
 * @param digest the payload's digest as WARC writes it, empty when there is none
 * @param responseLength how many of the bytes are the first record, the response
 * @param original where the payload lies when the first record is a revisit
 */
public record Prepared(
        Capture capture, Body records, String digest, long responseLength, WarcPlace original) {

    /** One with its payload, if it has any. */
    public Prepared(Capture capture, Body records, String digest, long responseLength) {
        this(capture, records, digest, responseLength, WarcPlace.NONE);
    }
}
