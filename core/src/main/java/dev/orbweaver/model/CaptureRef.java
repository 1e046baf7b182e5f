package dev.orbweaver.model;

/**
 * Refers to a line of a page log, possibly of another worker.
 *
 * @param worker the number of the worker that has the log; 0 for the own log
 * @param line counted from 1; 0 refers to no capture
 */
public record CaptureRef(int worker, long line) {

    /** The highest number of a worker. */
    public static final int WORKERS_MAX = 8_191;

    public static final CaptureRef NONE = new CaptureRef(0, 0);

    private static final int LINE_BITS = 40;

    public CaptureRef {
        if (worker < 0 || worker > WORKERS_MAX || line < 0 || line >>> LINE_BITS != 0) {
            throw new IllegalArgumentException("invalid line " + line + " of worker " + worker);
        }
    }

    /** Refers to a line of the own log. */
    public static CaptureRef ofLine(long line) {
        return line == 0 ? NONE : new CaptureRef(0, line);
    }

    /** Returns whether a number is a valid result of {@link #packed}. */
    public static boolean isPacked(long number) {
        return number >>> LINE_BITS <= WORKERS_MAX;
    }

    /** Decodes a result of {@link #packed}. */
    public static CaptureRef unpack(long packed) {
        return packed == 0
                ? NONE
                : new CaptureRef((int) (packed >>> LINE_BITS), packed & ((1L << LINE_BITS) - 1));
    }

    /**
     * Encodes the reference as one number for files and JSON, 0 for none. It fits in the 53 bits up
     * to which every JSON reader keeps integers exact.
     */
    public long packed() {
        return line == 0 ? 0 : ((long) worker << LINE_BITS) | line;
    }

    public boolean isNone() {
        return line == 0;
    }
}
