package dev.orbweaver.internal.frontier;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/**
 * Makes the calls that change a frontier fail as a whole.
 *
 * <p>The first call that throws aborts the log and makes the frontier unusable: some of its events
 * are already applied in memory, so neither a later call nor {@code close} may store anything. A
 * {@link FrontierUnavailableException} is not such a failure: the call changed nothing, or only
 * what a repeated call changes again.
 */
public final class ChangeGuard {

    private final Runnable abort;
    private volatile @Nullable Throwable failure;

    /**
     * @param abort discards uncommitted events; it must neither throw nor allocate
     */
    public ChangeGuard(Runnable abort) {
        this.abort = abort;
    }

    public boolean hasFailed() {
        return failure != null;
    }

    /** Throws if an earlier call has failed. */
    public void check() {
        var cause = failure;
        if (cause != null) {
            throw new FrontierFailedException(cause);
        }
    }

    public <T> T change(Supplier<T> call) {
        check();
        try {
            return call.get();
        } catch (FrontierUnavailableException e) {
            throw e;
        } catch (Throwable e) { // Also OutOfMemoryError: the state is half changed.
            var cause = e instanceof FrontierFailedException ? e.getCause() : e;
            failure = cause == null ? e : cause;
            abort.run();
            throw new FrontierFailedException(cause == null ? e : cause);
        }
    }

    public void run(Runnable call) {
        var _ =
                change(
                        () -> {
                            call.run();
                            return true;
                        });
    }
}
