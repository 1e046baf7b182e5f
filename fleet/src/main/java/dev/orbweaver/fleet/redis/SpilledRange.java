package dev.orbweaver.fleet.redis;

import java.nio.charset.StandardCharsets;

/**
 * Consecutive URLs of one queue in a file. In the queue it is one element, in place of its URLs;
 * the scripts read its count and its file.
 *
 * @param file its name, letters and digits
 * @param offset of the first URL
 * @param bytes of all URLs together
 */
record SpilledRange(String file, long offset, long bytes, int count) {

    static final char TAG = 'R';

    SpilledRange {
        if (offset < 0 || bytes < 1 || count < 1) {
            throw new IllegalArgumentException("invalid spilled range: " + file + " " + offset);
        }
    }

    /** Returns whether an element of a queue is a range; a URL's record begins with a digit. */
    static boolean isSpilledRange(byte[] element) {
        return element[0] == TAG;
    }

    static SpilledRange decode(byte[] element) {
        var parts = new String(element, StandardCharsets.US_ASCII).substring(1).split(",", -1);
        return new SpilledRange(
                parts[0],
                Long.parseLong(parts[1]),
                Long.parseLong(parts[2]),
                Integer.parseInt(parts[3]));
    }

    byte[] encode() {
        return RedisConnection.bytes(TAG + file + "," + offset + "," + bytes + "," + count);
    }
}
