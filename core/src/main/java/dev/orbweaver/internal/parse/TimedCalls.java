package dev.orbweaver.internal.parse;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Calls code of a program that may not return, within a time limit. The calls are made on platform
 * threads of their own, because a call that does not end cannot be stopped: it keeps its thread and
 * its permit, and there are few permits.
 */
public final class TimedCalls {

    private static final int CALLS_PER_PROCESSOR = 4;

    private final String name;
    private final Duration timeout;
    private final Semaphore permits =
            new Semaphore(CALLS_PER_PROCESSOR * Runtime.getRuntime().availableProcessors());

    /**
     * @param name names the threads
     * @param timeout the limit of the wait for a thread, and then of the call
     */
    public TimedCalls(String name, Duration timeout) {
        this.name = name;
        this.timeout = timeout;
    }

    /**
     * The result of a call, or why there is none.
     *
     * @param problem empty when there is a value
     * @param error the exception of the call, null when it threw none
     */
    public record Result<T>(Optional<T> value, String problem, @Nullable Throwable error) {}

    /** Calls a task and waits for it. A call that exceeds the limit is interrupted. */
    public <T> Result<T> call(Callable<T> task) {
        var future = new FutureTask<>(task);
        try {
            if (!permits.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                return failed("all %s threads are in use".formatted(name));
            }
            start(future);
            return new Result<>(
                    Optional.of(future.get(timeout.toNanos(), TimeUnit.NANOSECONDS)), "", null);
        } catch (TimeoutException e) {
            future.cancel(true);
            return failed("no result after " + timeout.toMillis() + " ms");
        } catch (ExecutionException e) {
            return new Result<>(Optional.empty(), String.valueOf(e.getCause()), e.getCause());
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            return failed("interrupted");
        }
    }

    private static <T> Result<T> failed(String problem) {
        return new Result<>(Optional.empty(), problem, null);
    }

    /** The permit is held until the call has really ended. */
    private void start(Runnable task) {
        var started = false;
        try {
            var _ =
                    Thread.ofPlatform()
                            .daemon()
                            .name(name)
                            .start(
                                    () -> {
                                        try {
                                            task.run();
                                        } finally {
                                            permits.release();
                                        }
                                    });
            started = true;
        } finally {
            if (!started) {
                permits.release();
            }
        }
    }
}
