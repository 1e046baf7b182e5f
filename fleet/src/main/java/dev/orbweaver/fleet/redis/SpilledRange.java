package dev.orbweaver.fleet.redis;

import java.nio.charset.StandardCharsets;

/**
 * URLs of one queue that lie one behind the other in a file. In the queue it stands as one element,
 * where its URLs would stand; the scripts read the number and the file of it.
 *
 * @param file its name, letters and digits
 * @param offset where the first URL begins
 * @param bytes how long all of them are
 * @param count how many there are
 */
record SpilledRange(String file, long offset, long bytes, int count) {

    static final char TAG = 'R';

    SpilledRange {
        if (offset < 0 || bytes < 1 || count < 1) {
            throw new IllegalArgumentException("no stretch of a queue: " + file + " " + offset);
        }
    }

    /** Whether an element of a queue is one; a URL's record begins with a digit. */
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
