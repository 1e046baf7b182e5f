package dev.orbweaver.frontier;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * Four numbers for each queue, nearly all of them zero for most: a table of rows that lie one
 * behind the other, in pieces that are only there once something in them is not zero. A million
 * queues with an array each would be a million objects that the collector has to look at.
 */
final class IntGrid {

    private static final int PIECE_BITS = 10;
    private static final int ROWS = 1 << PIECE_BITS;

    private int[] @Nullable [] pieces = new int[16][];

    int get(int row, int band) {
        var piece = row >>> PIECE_BITS;
        if (piece >= pieces.length) {
            return 0;
        }
        var there = pieces[piece];
        return there == null ? 0 : there[cell(row, band)];
    }

    void add(int row, int band, int count) {
        if (count != 0) {
            piece(row)[cell(row, band)] += count;
        }
    }

    private int[] piece(int row) {
        var piece = row >>> PIECE_BITS;
        if (piece >= pieces.length) {
            pieces = Arrays.copyOf(pieces, Math.max(piece + 1, 2 * pieces.length));
        }
        var there = pieces[piece];
        if (there == null) {
            there = new int[ROWS * UrlQueue.BANDS];
            pieces[piece] = there;
        }
        return there;
    }

    private static int cell(int row, int band) {
        return (row & (ROWS - 1)) * UrlQueue.BANDS + band;
    }
}
