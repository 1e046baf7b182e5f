package dev.orbweaver.export;

import dev.orbweaver.internal.parse.SimHash;

import java.util.Arrays;

/**
 * Finds an earlier near-duplicate of a text by SimHash.
 *
 * <p>Two fingerprints that differ in at most three of 64 bits agree in at least one of four
 * quarters (Manku, Jain and Das Sarma 2007, section 3). So every fingerprint is in four tables, one
 * per quarter, and only fingerprints that share a quarter are compared. A text belongs to the
 * cluster of the first text that it is near to, and is compared only with the first texts of
 * clusters: so clusters do not grow through chains of small differences. Memory: 24 bytes per
 * cluster.
 */
final class NearDuplicateIndex {

    static final int DISTANCE_MAX = 3;

    private static final int QUARTERS = 4;
    private static final int QUARTER_BITS = 16;
    private static final int INITIAL_CAPACITY = 1024;

    private final int[][] heads = new int[QUARTERS][1 << QUARTER_BITS];
    private int[][] next = new int[QUARTERS][INITIAL_CAPACITY];
    private long[] hashes = new long[INITIAL_CAPACITY];
    private int size;

    NearDuplicateIndex() {
        for (var head : heads) {
            Arrays.fill(head, -1);
        }
    }

    /** Returns the number of the first near text, or a new number. */
    int leader(long hash) {
        var found = find(hash);
        return found < 0 ? add(hash) : found;
    }

    int size() {
        return size;
    }

    private int find(long hash) {
        var best = -1;
        for (var quarter = 0; quarter < QUARTERS; quarter++) {
            for (var at = heads[quarter][part(hash, quarter)]; at >= 0; at = next[quarter][at]) {
                if (SimHash.distance(hashes[at], hash) <= DISTANCE_MAX && (best < 0 || at < best)) {
                    best = at;
                }
            }
        }
        return best;
    }

    private int add(long hash) {
        if (size == hashes.length) {
            hashes = Arrays.copyOf(hashes, size * 2);
            for (var quarter = 0; quarter < QUARTERS; quarter++) {
                next[quarter] = Arrays.copyOf(next[quarter], size * 2);
            }
        }
        hashes[size] = hash;
        for (var quarter = 0; quarter < QUARTERS; quarter++) {
            var part = part(hash, quarter);
            next[quarter][size] = heads[quarter][part];
            heads[quarter][part] = size;
        }
        return size++;
    }

    private static int part(long hash, int quarter) {
        return (int) (hash >>> (quarter * QUARTER_BITS)) & ((1 << QUARTER_BITS) - 1);
    }
}
