package dev.orbweaver.testing;

import java.lang.management.ManagementFactory;
import java.util.Arrays;

/**
 * The CPU time of the same operation at two sizes of something that it must not depend on: medians
 * of many short rounds on one thread, taken in turns, so that other work on the machine and the
 * compiler affect both sizes alike.
 *
 * @param smallerNanos CPU nanoseconds of one operation at the smaller size
 * @param largerNanos the same at the larger size
 */
public record CpuRatio(double smallerNanos, double largerNanos) {

    private static final int ROUNDS = 41;
    private static final long ROUND_NANOS = 5_000_000;

    /** Executes an operation a number of times; its results must not be removable by a compiler. */
    @FunctionalInterface
    public interface Operation {
        void repeat(int times);
    }

    public double ratio() {
        return largerNanos / smallerNanos;
    }

    /** Measures two operations in turns. */
    public static CpuRatio of(Operation smaller, Operation larger) {
        var smallerTimes = timesPerRound(smaller);
        var largerTimes = timesPerRound(larger);
        var smallerNanos = new double[ROUNDS];
        var largerNanos = new double[ROUNDS];
        for (var round = 0; round < ROUNDS; round++) {
            smallerNanos[round] = nanos(smaller, smallerTimes);
            largerNanos[round] = nanos(larger, largerTimes);
        }
        return new CpuRatio(median(smallerNanos), median(largerNanos));
    }

    /** Returns how often an operation fits into a round, after it has run for some rounds. */
    private static int timesPerRound(Operation operation) {
        var times = 1;
        for (var warm = 0; warm < 10; ) {
            var taken = nanos(operation, times) * times;
            if (taken >= ROUND_NANOS || times >= 1 << 24) {
                warm++;
            } else {
                times *= 2;
            }
        }
        return times;
    }

    private static double nanos(Operation operation, int times) {
        var threads = ManagementFactory.getThreadMXBean();
        var before = threads.getCurrentThreadCpuTime();
        operation.repeat(times);
        return (double) (threads.getCurrentThreadCpuTime() - before) / times;
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
