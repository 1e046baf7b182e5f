package dev.orbweaver.cli;

import java.time.Duration;
import java.util.ArrayDeque;

/** Measures the growth of a count: a smoothed rate, and recent rates as a line of bars. */
final class RateSparkline {

    private static final String BARS = "▁▂▃▄▅▆▇█";
    private static final int HISTORY = 30;
    private static final double SMOOTHING = 0.3;

    private final ArrayDeque<Double> rates = new ArrayDeque<>();
    private long lastCount = -1;
    private Duration lastElapsed = Duration.ZERO;
    private double rate;

    void observe(long count, Duration elapsed) {
        var seconds = elapsed.minus(lastElapsed).toMillis() / 1000.0;
        if (lastCount >= 0 && seconds > 0) {
            var current = (count - lastCount) / seconds;
            rate = rates.isEmpty() ? current : (1 - SMOOTHING) * rate + SMOOTHING * current;
            rates.addLast(current);
            if (rates.size() > HISTORY) {
                rates.removeFirst();
            }
        }
        lastCount = count;
        lastElapsed = elapsed;
    }

    /** Returns the smoothed rate per second. */
    double rate() {
        return rate;
    }

    String sparkline() {
        var highest = rates.stream().mapToDouble(Double::doubleValue).max().orElse(0);
        var line = new StringBuilder();
        for (var value : rates) {
            var height =
                    highest <= 0
                            ? 0
                            : (int) Math.round(Math.max(0, value) / highest * (BARS.length() - 1));
            line.append(BARS.charAt(height));
        }
        return line.toString();
    }
}
