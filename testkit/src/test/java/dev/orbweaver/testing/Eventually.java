package dev.orbweaver.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Polls for a condition that another thread or process fulfils. The timeout is only for tests that
 * hang, so it is generous: a slow machine must not reach it.
 */
public final class Eventually {

    /** The default timeout. */
    public static final Duration LIMIT = Duration.ofMinutes(3);

    private static final long STEP_NANOS = 5_000_000;

    /** A condition. */
    @FunctionalInterface
    public interface Condition<E extends Exception> {
        /** Whether the condition holds now. */
        boolean holds() throws E;
    }

    /** A value that changes. */
    @FunctionalInterface
    public interface Source<T, E extends Exception> {
        /** Returns the current value. */
        T get() throws E;
    }

    private Eventually() {}

    /** Waits until the condition holds; fails after the timeout with its description. */
    public static <E extends Exception> void until(
            Duration limit, String what, Condition<E> condition) throws E {
        var _ = value(limit, what, condition::holds, Boolean::booleanValue);
    }

    /** Waits at most {@link #LIMIT}. */
    public static <E extends Exception> void until(String what, Condition<E> condition) throws E {
        until(LIMIT, what, condition);
    }

    /** Returns the first accepted value; fails after the timeout with the last value. */
    public static <T, E extends Exception> T value(
            Duration limit, String what, Source<T, E> source, Predicate<T> accepted) throws E {
        var begun = System.nanoTime();
        while (true) {
            var last = source.get();
            if (accepted.test(last)) {
                return last;
            }
            if (System.nanoTime() - begun > limit.toNanos()) {
                throw new AssertionError(
                        "waited %s for: %s; last value: %s".formatted(limit, what, last));
            }
            LockSupport.parkNanos(STEP_NANOS);
            if (Thread.currentThread().isInterrupted()) {
                throw new AssertionError("interrupted while waiting for: " + what);
            }
        }
    }
}
