package dev.orbweaver.model;

import java.time.Duration;
import java.time.Instant;

/**
 * When one request was made and where its time went.
 *
 * @param started when the request was begun
 * @param connect the time to a usable connection, TLS included; zero on a kept-alive one
 * @param firstByte from sending the request to the first byte of the answer
 * @param total from beginning to the last byte
 */
public record Timings(Instant started, Duration connect, Duration firstByte, Duration total) {

    /** When the last byte had come, from which a host's delay runs. */
    public Instant ended() {
        return started.plus(total);
    }
}
