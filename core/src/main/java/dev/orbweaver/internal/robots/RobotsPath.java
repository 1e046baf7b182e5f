package dev.orbweaver.internal.robots;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Normalizes paths and patterns so that they can be compared byte by byte.
 *
 * <p>RFC 9309 section 2.2.2 requires octets outside ASCII to be percent-encoded, and encoded octets
 * to be decoded where they are unreserved, before a rule is compared with a path. Both sides are
 * normalized here: {@code /%7ea}, {@code /%7Ea} and {@code /~a} are one path, and {@code /a%2Fb}
 * differs from {@code /a/b}. Characters that are invalid in a URI (space, quotes, angle brackets)
 * are encoded too. A literal {@code *} or {@code $} becomes {@code %2A} or {@code %24}, so that an
 * unencoded one in a pattern is always the special character of section 2.2.3.
 */
final class RobotsPath {

    private static final String HEX = "0123456789ABCDEF";
    private static final String KEPT_PUNCTUATION = "-._~:/?#[]@!&'()+,;=%";

    /** By octet: whether it is kept as it is. */
    private static final boolean[] KEPT = new boolean[256];

    static {
        for (var c = 0; c < KEPT.length; c++) {
            KEPT[c] = isAlphanumeric(c) || KEPT_PUNCTUATION.indexOf(c) >= 0;
        }
    }

    private RobotsPath() {}

    /** Normalizes a path. Nearly all paths are normal already, and are not copied again. */
    static byte[] ofPath(String pathAndQuery) {
        var bytes = pathAndQuery.getBytes(StandardCharsets.UTF_8);
        for (var each : bytes) {
            if (each == '%' || !KEPT[each & 0xFF]) {
                return normalize(bytes, 0, bytes.length, false);
            }
        }
        return bytes;
    }

    /** Normalizes a rule's pattern and keeps its special characters. */
    static byte[] ofPattern(byte[] line, int start, int end) {
        return normalize(line, start, end, true);
    }

    private static byte[] normalize(byte[] bytes, int start, int end, boolean pattern) {
        var out = new ByteArrayOutputStream(end - start);
        for (var i = start; i < end; i++) {
            var c = bytes[i] & 0xFF;
            var encoded = c == '%' ? octet(bytes, i, end) : -1;
            if (encoded >= 0) {
                i += 2;
                if (isUnreserved(encoded)) {
                    out.write(encoded);
                } else {
                    encode(encoded, out);
                }
            } else if (KEPT[c] || (pattern && (c == '*' || (c == '$' && i == end - 1)))) {
                out.write(c);
            } else {
                encode(c, out);
            }
        }
        return out.toByteArray();
    }

    private static int octet(byte[] bytes, int percent, int end) {
        if (percent + 2 >= end) {
            return -1;
        }
        var high = Character.digit(bytes[percent + 1], 16);
        var low = Character.digit(bytes[percent + 2], 16);
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }

    private static void encode(int octet, ByteArrayOutputStream out) {
        out.write('%');
        out.write(HEX.charAt(octet >> 4));
        out.write(HEX.charAt(octet & 15));
    }

    /** See RFC 3986 section 2.3. */
    private static boolean isUnreserved(int c) {
        return isAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
    }

    private static boolean isAlphanumeric(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
}
