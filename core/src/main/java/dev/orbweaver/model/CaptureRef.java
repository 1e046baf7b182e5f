package dev.orbweaver.model;

/**
 * A line of a page log, also where several workers write a log each.
 *
 * @param worker the number of the worker whose log it is; 0 for one's own
 * @param line counted from 1; 0 refers to no capture
 */
public record CaptureRef(int worker, long line) {

    /** No worker has a higher number. */
    public static final int WORKERS_MAX = 8_191;

    public static final CaptureRef NONE = new CaptureRef(0, 0);

    private static final int LINE_BITS = 40;

    public CaptureRef {
        if (worker < 0 || worker > WORKERS_MAX || line < 0 || line >>> LINE_BITS != 0) {
            throw new IllegalArgumentException("no line " + line + " of worker " + worker);
        }
    }

    /** A line of one's own log. */
    public static CaptureRef ofLine(long line) {
        return line == 0 ? NONE : new CaptureRef(0, line);
    }

    /** Whether {@link #packed} can have made a number. */
    public static boolean isPacked(long number) {
        return number >>> LINE_BITS <= WORKERS_MAX;
    }

    /** As {@link #packed} made it. */
    public static CaptureRef unpack(long packed) {
        return packed == 0
                ? NONE
                : new CaptureRef((int) (packed >>> LINE_BITS), packed & ((1L << LINE_BITS) - 1));
    }

    /**
     * One number for files and JSON, 0 for none. It fits in the 53 bits up to which every reader of
     * JSON keeps integers exact.
     */
    public long packed() {
        return line == 0 ? 0 : ((long) worker << LINE_BITS) | line;
    }

    public boolean isNone() {
        return line == 0;
    }
}
