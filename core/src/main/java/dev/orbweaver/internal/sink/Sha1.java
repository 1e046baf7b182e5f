package dev.orbweaver.internal.sink;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.OptionalLong;

/** Two reusable SHA-1 digests: of a payload and of its block. */
final class Sha1 {

    /** RFC 4648, 6. */
    private static final byte[] BASE32 = {
        'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'P', 'Q', 'R',
        'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z', '2', '3', '4', '5', '6', '7'
    };

    private static final String PREFIX = "sha1:";
    private static final int BITS = 5;
    private static final int MASK = (1 << BITS) - 1;

    /** Letters of a digest of 20 bytes. */
    private static final int LETTERS = 32;

    final MessageDigest payload = newDigest();
    final MessageDigest block = newDigest();

    static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-1 is missing from this Java runtime", e);
        }
    }

    /** Formats a digest for WARC: twenty bytes are 32 letters without padding. */
    static String format(byte[] digest) {
        var text = new StringBuilder(PREFIX.length() + LETTERS).append(PREFIX);
        var bits = 0L;
        var count = 0;
        for (var each : digest) {
            bits = (bits << Byte.SIZE) | (each & 0xFF);
            count += Byte.SIZE;
            while (count >= BITS) {
                count -= BITS;
                text.append((char) BASE32[(int) (bits >>> count) & MASK]);
            }
        }
        return text.toString();
    }

    /**
     * Returns the first eight bytes of a digest in the form of {@link #format}; empty otherwise.
     */
    static OptionalLong firstBytes(String digest) {
        if (digest.length() != PREFIX.length() + LETTERS || !digest.startsWith(PREFIX)) {
            return OptionalLong.empty();
        }
        var bits = 0L;
        for (var i = 0; i * BITS < Long.SIZE; i++) {
            var letter = digest.charAt(PREFIX.length() + i);
            var value =
                    letter >= 'A' && letter <= 'Z'
                            ? letter - 'A'
                            : letter >= '2' && letter <= '7' ? letter - '2' + 26 : -1;
            if (value < 0) {
                return OptionalLong.empty();
            }
            var left = Math.min(BITS, Long.SIZE - i * BITS); // The last letter has a bit too many.
            bits = bits << left | value >>> (BITS - left);
        }
        return OptionalLong.of(bits);
    }
}
