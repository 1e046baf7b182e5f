package dev.orbweaver.server;

import java.util.Arrays;

/** How long the last answers took. */
final class Latencies {

    private static final int SAMPLES = 512;

    private final int[] samples = new int[SAMPLES];
    private int count;

    synchronized void add(long milliseconds) {
        samples[count++ % SAMPLES] = (int) Math.min(Integer.MAX_VALUE, milliseconds);
        if (count == 2 * SAMPLES) {
            count = SAMPLES; // Full either way.
        }
    }

    /** The time that this share of the answers stayed below; -1 while there are none. */
    synchronized int quantile(double share) {
        var size = Math.min(count, SAMPLES);
        if (size == 0) {
            return -1;
        }
        var sorted = Arrays.copyOf(samples, size);
        Arrays.sort(sorted);
        return sorted[Math.min(size - 1, (int) (share * size))];
    }
}
