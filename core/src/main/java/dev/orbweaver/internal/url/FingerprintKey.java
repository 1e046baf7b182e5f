package dev.orbweaver.internal.url;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/**
 * The 128-bit secret under which one frontier takes its fingerprints. A site that does not know it
 * cannot choose URLs whose fingerprints collide or crowd one part of a table (ADR 14).
 */
public record FingerprintKey(long first, long second) {

    /** How many bytes a key has. */
    public static final int BYTES = 2 * Long.BYTES;

    /**
     * A key that is public: for URLs that are compared within one process and for tests, never for
     * a frontier that meets the web.
     */
    public static final FingerprintKey PUBLIC =
            new FingerprintKey(0x0706050403020100L, 0x0F0E0D0C0B0A0908L);

    private static final SecureRandom RANDOM = new SecureRandom();

    /** A new secret. */
    public static FingerprintKey random() {
        return new FingerprintKey(RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** The key that these bytes hold. */
    public static FingerprintKey of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException(
                    "a fingerprint key has " + BYTES + " bytes, not " + bytes.length);
        }
        var in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        return new FingerprintKey(in.getLong(), in.getLong());
    }

    /** The key as bytes, to be stored with its frontier. */
    public byte[] bytes() {
        return ByteBuffer.allocate(BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(first)
                .putLong(second)
                .array();
    }

    /** Keeps the secret out of logs and messages. */
    @Override
    public String toString() {
        return equals(PUBLIC) ? "FingerprintKey[public]" : "FingerprintKey[secret]";
    }
}
