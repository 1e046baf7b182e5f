package dev.orbweaver.internal.url;

import dev.orbweaver.model.Fingerprint;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Computes fingerprints: 80 of the 128 bits of SipHash-2-4 (Aumasson and Bernstein, 2012) over a
 * URL's normal form.
 *
 * <p>Fingerprints are stored on disk and in Redis, so the function is part of those formats. It is
 * a pseudorandom function under the key of a frontier; a fast hash such as XXH3 is not, with or
 * without a seed.
 */
public final class Fingerprints {

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int COMPRESSION_ROUNDS = 2;
    private static final int FINAL_ROUNDS = 4;

    private Fingerprints() {}

    /** Returns the fingerprint of {@code [start, end)}. */
    public static Fingerprint of(FingerprintKey key, byte[] normalForm, int start, int end) {
        var v0 = key.first() ^ 0x736f6d6570736575L;
        var v1 = key.second() ^ 0x646f72616e646f6dL ^ 0xEE;
        var v2 = key.first() ^ 0x6c7967656e657261L;
        var v3 = key.second() ^ 0x7465646279746573L;
        var at = start;
        var last = false;
        while (!last) {
            last = at + Long.BYTES > end;
            var block =
                    last ? lastBlock(normalForm, start, at, end) : (long) LONG.get(normalForm, at);
            at += Long.BYTES;
            v3 ^= block;
            for (var i = 0; i < COMPRESSION_ROUNDS; i++) {
                v0 += v1;
                v2 += v3;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 = Long.rotateLeft(v0, 32) + v3;
                v2 += v1;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v2 = Long.rotateLeft(v2, 32);
            }
            v0 ^= block;
        }
        v2 ^= 0xEE;
        var high = 0L;
        for (var i = 0; i < 2 * FINAL_ROUNDS; i++) {
            if (i == FINAL_ROUNDS) {
                high = v0 ^ v1 ^ v2 ^ v3;
                v1 ^= 0xDD;
            }
            v0 += v1;
            v2 += v3;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 = Long.rotateLeft(v0, 32) + v3;
            v2 += v1;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
        }
        return new Fingerprint(high, (short) (v0 ^ v1 ^ v2 ^ v3));
    }

    /**
     * Returns the bytes after the last full block, with the length in the most significant byte.
     */
    private static long lastBlock(byte[] bytes, int start, int from, int end) {
        var block = (long) (end - start) << 56;
        for (var i = from; i < end; i++) {
            block |= (bytes[i] & 0xFFL) << (8 * (i - from));
        }
        return block;
    }
}
