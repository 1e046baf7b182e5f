package dev.orbweaver.internal.revisit;

import dev.orbweaver.internal.revisit.ChangeEstimate.Exposure;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What is stored of a page, besides its due time and the hash of its URL.
 *
 * @param first page-log line of the page's first visit, which identifies it
 * @param last page-log line of its last visit
 * @param visited second of the last visit that had a response
 * @param pattern bucket of the URL pattern, 20 bits
 * @param host bucket of the host, 20 bits
 * @param importance as {@link Importance} encodes it
 * @param signals number of signals since the last visit
 * @param signalled units of {@link #SIGNAL_UNIT} from the visit to the last signal; 0 for none
 * @param isSource whether the crawl learns of new pages and of changes from it
 */
record PageRow(
        long first,
        long last,
        int visited,
        Exposure exposure,
        int pattern,
        int host,
        byte importance,
        PageState state,
        int signals,
        int signalled,
        boolean isSource) {

    static final int BYTES = 29;
    static final int SIGNALS_MAX = 31;

    /** Ten minutes; with 16 bits the last signal is known for more than a year. */
    static final int SIGNAL_UNIT = 600;

    static final int SIGNALLED_MAX = (1 << 16) - 1;
    private static final long LINE_MAX = (1L << 40) - 1;

    private static final int FLAGS_AT = 26;

    /** Above the state and the number of signals. */
    private static final int SOURCE_BIT = 1 << 7;

    private static final int STATE_MASK = 3;

    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    PageRow {
        if (first < 0 || first > last || last > LINE_MAX) {
            throw new IllegalArgumentException("lines %d and %d".formatted(first, last));
        }
    }

    /** Returns the row after a visit that had a response. */
    PageRow responded(long line, int time, Exposure observed, byte newImportance, boolean source) {
        return new PageRow(
                first,
                line,
                time,
                observed,
                pattern,
                host,
                newImportance,
                PageState.PRESENT,
                0,
                0,
                source);
    }

    /** Returns the row in another state; signals before the time of its visit no longer count. */
    PageRow withState(PageState newState, int time) {
        var isSame = time == visited;
        return new PageRow(
                first,
                last,
                time,
                exposure,
                pattern,
                host,
                importance,
                newState,
                isSame ? signals : 0,
                isSame ? signalled : 0,
                isSource);
    }

    PageRow withLast(long line) {
        return new PageRow(
                first,
                line,
                visited,
                exposure,
                pattern,
                host,
                importance,
                state,
                signals,
                signalled,
                isSource);
    }

    PageRow signalled(int number, int units) {
        return new PageRow(
                first,
                last,
                visited,
                exposure,
                pattern,
                host,
                importance,
                state,
                number,
                units,
                isSource);
    }

    /** Returns whether stored bytes can be a row. */
    static boolean isValid(MemorySegment bytes, long at) {
        var days = fraction(bytes, at + 14);
        var changes = fraction(bytes, at + 17);
        return number(bytes, at) <= number(bytes, at + 5)
                && bytes.get(INT, at + 10) >= 0
                && days >= 0
                && days < Double.POSITIVE_INFINITY
                && changes >= 0
                && changes < Double.POSITIVE_INFINITY;
    }

    static PageRow read(MemorySegment bytes, long at) {
        var flags = bytes.get(ValueLayout.JAVA_BYTE, at + FLAGS_AT) & 0xFF;
        var buckets = number(bytes, at + 20);
        return new PageRow(
                number(bytes, at),
                number(bytes, at + 5),
                bytes.get(INT, at + 10),
                new Exposure(fraction(bytes, at + 14), fraction(bytes, at + 17)),
                (int) (buckets >>> 20),
                (int) (buckets & SumsTable.ID_MAX),
                bytes.get(ValueLayout.JAVA_BYTE, at + 25),
                PageState.of((flags >>> 5) & STATE_MASK),
                flags & SIGNALS_MAX,
                bytes.get(SHORT, at + 27) & SIGNALLED_MAX,
                (flags & SOURCE_BIT) != 0);
    }

    void write(MemorySegment bytes, long at) {
        putNumber(bytes, at, first);
        putNumber(bytes, at + 5, last);
        bytes.set(INT, at + 10, visited);
        putFraction(bytes, at + 14, exposure.days());
        putFraction(bytes, at + 17, exposure.changes());
        putNumber(bytes, at + 20, ((long) pattern << 20) | host);
        bytes.set(ValueLayout.JAVA_BYTE, at + 25, importance);
        var flags = (isSource ? SOURCE_BIT : 0) | (state.code() << 5) | signals;
        bytes.set(ValueLayout.JAVA_BYTE, at + FLAGS_AT, (byte) flags);
        bytes.set(SHORT, at + 27, (short) signalled);
    }

    static long first(MemorySegment bytes, long at) {
        return number(bytes, at);
    }

    static long last(MemorySegment bytes, long at) {
        return number(bytes, at + 5);
    }

    /** Returns whether no row was written to a place. */
    static boolean isEmpty(MemorySegment bytes, long at) {
        return bytes.asSlice(at, BYTES).mismatch(MemorySegment.ofArray(new byte[BYTES])) == -1;
    }

    private static long number(MemorySegment bytes, long at) {
        return (bytes.get(INT, at) & 0xFFFF_FFFFL)
                | ((bytes.get(ValueLayout.JAVA_BYTE, at + 4) & 0xFFL) << 32);
    }

    private static void putNumber(MemorySegment bytes, long at, long value) {
        bytes.set(INT, at, (int) value);
        bytes.set(ValueLayout.JAVA_BYTE, at + 4, (byte) (value >>> 32));
    }

    /** A float without the last eight bits of its mantissa. */
    private static double fraction(MemorySegment bytes, long at) {
        var bits =
                (bytes.get(SHORT, at) & 0xFFFF)
                        | ((bytes.get(ValueLayout.JAVA_BYTE, at + 2) & 0xFF) << 16);
        return Float.intBitsToFloat(bits << 8);
    }

    private static void putFraction(MemorySegment bytes, long at, double value) {
        var bits = (Float.floatToIntBits((float) value) + 0x80) >>> 8;
        bytes.set(SHORT, at, (short) bits);
        bytes.set(ValueLayout.JAVA_BYTE, at + 2, (byte) (bits >>> 16));
    }
}
