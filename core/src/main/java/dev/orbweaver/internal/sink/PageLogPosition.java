package dev.orbweaver.internal.sink;

/**
 * A place between two lines of a page log, to go on from later.
 *
 * @param offset bytes before it
 * @param seq the number of the line before it, 0 at the beginning
 * @param checksum CRC-32C of that line. Committed lines never change, but a loss of power may take
 *     some back and {@code compact} writes the log anew: then a position that was kept elsewhere no
 *     longer fits, and must not be believed.
 */
public record PageLogPosition(long offset, long seq, int checksum) {

    public static final PageLogPosition START = new PageLogPosition(0, 0, 0);

    public PageLogPosition {
        if (offset < 0 || seq < 0) {
            throw new IllegalArgumentException("no position in a log: " + offset + ", " + seq);
        }
    }
}
