package dev.orbweaver.service;

import java.util.Arrays;

/** How long the last answers took. */
final class Latencies {

    private static final int KEPT = 512;

    private final int[] last = new int[KEPT];
    private int count;

    synchronized void add(long milliseconds) {
        last[count++ % KEPT] = (int) Math.min(Integer.MAX_VALUE, milliseconds);
        if (count == 2 * KEPT) {
            count = KEPT; // Full either way.
        }
    }

    /** The time that this share of the answers stayed below; -1 while there are none. */
    synchronized int quantile(double share) {
        var size = Math.min(count, KEPT);
        if (size == 0) {
            return -1;
        }
        var sorted = Arrays.copyOf(last, size);
        Arrays.sort(sorted);
        return sorted[Math.min(size - 1, (int) (share * size))];
    }
}
