package dev.orbweaver.server;

import java.util.Arrays;
import java.util.Optional;

final class Latencies {

    private static final int SAMPLES = 512;

    /** The median and the 95th percentile of response times. */
    record Quantiles(int p50, int p95) {}

    private final int[] samples = new int[SAMPLES];
    private int count;

    synchronized void add(long milliseconds) {
        samples[count++ % SAMPLES] = (int) Math.min(Integer.MAX_VALUE, milliseconds);
        if (count == 2 * SAMPLES) {
            count = SAMPLES; // All slots are filled.
        }
    }

    synchronized Optional<Quantiles> quantiles() {
        var size = Math.min(count, SAMPLES);
        if (size == 0) {
            return Optional.empty();
        }
        var sorted = Arrays.copyOf(samples, size);
        Arrays.sort(sorted);
        return Optional.of(new Quantiles(sorted[(int) (0.5 * size)], sorted[(int) (0.95 * size)]));
    }
}
