package dev.orbweaver.sinks.mongo;

import java.time.Duration;

/**
 * Where and how documents are written.
 *
 * @param uri of the server, with the database's name; it may hold a password, so it is never shown
 * @param batch lines a write, 50 to 500
 * @param flush so long a line waits at most for others to be written with
 */
public record MongoSettings(String uri, BodyCompression compression, int batch, Duration flush) {

    /** The smallest batch. */
    public static final int BATCH_MIN = 50;

    /** The largest batch. */
    public static final int BATCH_MAX = 500;

    /** Refuses other batches. */
    public MongoSettings {
        if (batch < BATCH_MIN || batch > BATCH_MAX) {
            throw new IllegalArgumentException(batch + " lines a batch");
        }
    }

    /** Without the URI, which may hold a password. */
    @Override
    public String toString() {
        return "MongoSettings[" + compression + ", " + batch + ", " + flush + "]";
    }
}
