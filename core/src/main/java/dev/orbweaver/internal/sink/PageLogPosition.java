package dev.orbweaver.internal.sink;

/**
 * A position between two lines of a page log, from which reading can continue later.
 *
 * @param offset number of bytes before it
 * @param seq the number of the line before it, 0 at the start
 * @param checksum CRC-32C of that line. Committed lines never change, but a loss of power may roll
 *     some back and {@code compact} rewrites the log: then a position stored elsewhere is no longer
 *     valid and must be rejected.
 */
public record PageLogPosition(long offset, long seq, int checksum) {

    public static final PageLogPosition START = new PageLogPosition(0, 0, 0);

    public PageLogPosition {
        if (offset < 0 || seq < 0) {
            throw new IllegalArgumentException(
                    "invalid position in a page log: " + offset + ", " + seq);
        }
    }
}
