package dev.orbweaver.internal.sink;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Two reusable SHA-1 digests: of a payload and of its block. */
final class Sha1 {

    /** RFC 4648, 6. */
    private static final byte[] BASE32 = {
        'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'P', 'Q', 'R',
        'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z', '2', '3', '4', '5', '6', '7'
    };

    private static final int BITS = 5;
    private static final int MASK = (1 << BITS) - 1;

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
        var text = new StringBuilder("sha1:".length() + 32).append("sha1:");
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
}
