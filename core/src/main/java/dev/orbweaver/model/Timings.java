package dev.orbweaver.model;

import java.time.Duration;
import java.time.Instant;

/**
 * When one request was made and where its time went; skipped steps took no time.
 *
 * @param started after the name had been looked up
 * @param tls to the end of the TLS handshake
 * @param firstByte from sending the request to the first byte of the response
 * @param total from beginning to the last byte, the look-up not included
 */
public record Timings(
        Instant started,
        Duration lookup,
        Duration connect,
        Duration tls,
        Duration firstByte,
        Duration total) {

    public Timings(Instant started, Duration connect, Duration firstByte, Duration total) {
        this(started, Duration.ZERO, connect, Duration.ZERO, firstByte, total);
    }

    /** When the last byte had come, from which a host's delay runs. */
    public Instant ended() {
        return started.plus(total);
    }
}
