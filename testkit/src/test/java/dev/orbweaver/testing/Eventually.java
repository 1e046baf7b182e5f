package dev.orbweaver.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Waits for something that another thread or process does, by asking again and again. The limit is
 * for a test that hangs, so it is generous: a slow machine must not reach it.
 */
public final class Eventually {

    /** Long enough for every wait whose length is not itself tested. */
    public static final Duration LIMIT = Duration.ofMinutes(3);

    private static final long STEP_NANOS = 5_000_000;

    /** Something that becomes true. */
    @FunctionalInterface
    public interface Condition<E extends Exception> {
        /** Whether it is true now. */
        boolean holds() throws E;
    }

    /** Something that changes. */
    @FunctionalInterface
    public interface Source<T, E extends Exception> {
        /** What it is now. */
        T get() throws E;
    }

    private Eventually() {}

    /** Returns once the condition holds; fails after the limit, naming what was awaited. */
    public static <E extends Exception> void until(
            Duration limit, String what, Condition<E> condition) throws E {
        var _ = value(limit, what, condition::holds, Boolean::booleanValue);
    }

    /** Waits for {@link #LIMIT} at most. */
    public static <E extends Exception> void until(String what, Condition<E> condition) throws E {
        until(LIMIT, what, condition);
    }

    /** Returns the first accepted value; fails after the limit, naming the last one. */
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
