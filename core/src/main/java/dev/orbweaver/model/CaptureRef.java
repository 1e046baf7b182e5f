package dev.orbweaver.model;

/**
 * A line of a page log as one number: with several workers the upper bits are the worker's number;
 * a worker's own lines are plain numbers to itself.
 *
 * <p>It fits in the 53 bits up to which every reader of JSON keeps integers exact.
 */
public final class CaptureRef {

    /** The highest number of a worker. */
    public static final int WORKERS_MAX = 8_191;

    private static final int LINE_BITS = 40;

    private CaptureRef() {}

    /** A line in a worker's log; 0 stays 0, which is no line. */
    public static long of(int worker, long line) {
        if (worker < 0 || worker > WORKERS_MAX || line < 0 || line >>> LINE_BITS != 0) {
            throw new IllegalArgumentException("no line " + line + " of worker " + worker);
        }
        return line == 0 ? 0 : ((long) worker << LINE_BITS) | line;
    }

    /** Whose log it is in; 0 for one's own. */
    public static int worker(long number) {
        return (int) (number >>> LINE_BITS);
    }

    /** Which line of that log it is. */
    public static long line(long number) {
        return number & ((1L << LINE_BITS) - 1);
    }
}
