package dev.orbweaver.sinks.mongo;

import java.time.Duration;

/**
 * Where and how documents are written.
 *
 * @param uri with the database's name; it may contain a password, so it is never shown
 * @param batch lines per write, 50 to 500
 * @param flush maximum time that a line waits for others to be written with
 */
public record MongoSettings(String uri, BodyCompression compression, int batch, Duration flush) {

    public static final int BATCH_MIN = 50;

    public static final int BATCH_MAX = 500;

    public MongoSettings {
        if (batch < BATCH_MIN || batch > BATCH_MAX) {
            throw new IllegalArgumentException("batch must be from 50 to 500 lines, not " + batch);
        }
    }

    @Override
    public String toString() {
        return "MongoSettings[" + compression + ", " + batch + ", " + flush + "]";
    }
}
