package dev.orbweaver.internal.sink;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/** A set of line numbers of a page log: one bit for each line of the ranges that have any. */
public final class LineSet {

    private static final int RANGE_BITS = 20;

    private final Map<Long, BitSet> ranges = new HashMap<>();

    public void add(long line) {
        ranges.computeIfAbsent(line >>> RANGE_BITS, _ -> new BitSet(1 << RANGE_BITS))
                .set(index(line));
    }

    public boolean contains(long line) {
        var range = ranges.get(line >>> RANGE_BITS);
        return range != null && range.get(index(line));
    }

    private static int index(long line) {
        return (int) (line & ((1L << RANGE_BITS) - 1));
    }
}
