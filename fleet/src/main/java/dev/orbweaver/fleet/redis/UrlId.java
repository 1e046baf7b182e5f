package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.model.Fingerprint;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Identifies a URL of a job permanently, because a URL enters a job only once. */
record UrlId(int job, Fingerprint key) {

    static final int KEY_BYTES = Long.BYTES + Short.BYTES;

    static UrlId of(QueuedUrl url) {
        return new UrlId(url.url().job(), url.url().url().key());
    }

    /**
     * Encodes the ID as the scripts derive it from a record: the job's number, a colon, ten bytes
     * of fingerprint.
     */
    byte[] bytes() {
        var number = Integer.toString(job).getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(number.length + 1 + KEY_BYTES)
                .put(number)
                .put((byte) ':')
                .putLong(key.high())
                .putShort(key.low())
                .array();
    }
}
