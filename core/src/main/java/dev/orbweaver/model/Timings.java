package dev.orbweaver.model;

import java.time.Duration;
import java.time.Instant;

/**
 * The time at which a request started and the duration of its steps; skipped steps have the
 * duration 0.
 *
 * @param started the start of the request, after the name was looked up
 * @param lookup the duration of the name look-up
 * @param connect the time until the TCP connection was established
 * @param tls the duration of the TLS handshake
 * @param firstByte the time from sending the request to the first byte of the response
 * @param total the time from the start to the last byte, without the look-up
 */
public record Timings(
        Instant started,
        Duration lookup,
        Duration connect,
        Duration tls,
        Duration firstByte,
        Duration total) {

    /** Creates timings without name look-up and TLS. */
    public Timings(Instant started, Duration connect, Duration firstByte, Duration total) {
        this(started, Duration.ZERO, connect, Duration.ZERO, firstByte, total);
    }

    /** Returns the time of the last byte, from which the delay of a host is counted. */
    public Instant ended() {
        return started.plus(total);
    }
}
