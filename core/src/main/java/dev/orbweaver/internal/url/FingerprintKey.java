package dev.orbweaver.internal.url;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/**
 * The 128-bit secret of a frontier's fingerprints. A site that does not know it cannot choose URLs
 * whose fingerprints collide or crowd one part of a table (ADR 14).
 */
public record FingerprintKey(long first, long second) {

    public static final int BYTES = 2 * Long.BYTES;

    /** For URLs that are compared within one process and for tests, never for a frontier. */
    public static final FingerprintKey PUBLIC =
            new FingerprintKey(0x0706050403020100L, 0x0F0E0D0C0B0A0908L);

    private static final SecureRandom RANDOM = new SecureRandom();

    public static FingerprintKey random() {
        return new FingerprintKey(RANDOM.nextLong(), RANDOM.nextLong());
    }

    public static FingerprintKey of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException(
                    "a fingerprint key must have " + BYTES + " bytes, found " + bytes.length);
        }
        var in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        return new FingerprintKey(in.getLong(), in.getLong());
    }

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
