package dev.orbweaver.internal.frontier;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * Four numbers for each queue, mostly zero. Rows are in chunks that are allocated once they contain
 * a nonzero number. A million queues with one array each would be a million objects for the garbage
 * collector.
 */
final class IntGrid {

    private static final int PIECE_BITS = 10;
    private static final int ROWS = 1 << PIECE_BITS;

    private int[] @Nullable [] chunks = new int[16][];

    int get(int row, int band) {
        var piece = row >>> PIECE_BITS;
        if (piece >= chunks.length) {
            return 0;
        }
        var there = chunks[piece];
        return there == null ? 0 : there[cell(row, band)];
    }

    void add(int row, int band, int count) {
        if (count != 0) {
            chunk(row)[cell(row, band)] += count;
        }
    }

    private int[] chunk(int row) {
        var piece = row >>> PIECE_BITS;
        if (piece >= chunks.length) {
            chunks = Arrays.copyOf(chunks, Math.max(piece + 1, 2 * chunks.length));
        }
        var there = chunks[piece];
        if (there == null) {
            there = new int[ROWS * UrlQueue.BANDS];
            chunks[piece] = there;
        }
        return there;
    }

    private static int cell(int row, int band) {
        return (row & (ROWS - 1)) * UrlQueue.BANDS + band;
    }
}
