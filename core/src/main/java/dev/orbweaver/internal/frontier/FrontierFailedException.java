package dev.orbweaver.internal.frontier;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Thrown after a call that changes the frontier failed between its first event and its commit.
 *
 * <p>The events of that call were discarded, nothing is written any more, and every further call
 * throws this exception: memory has neither the state before the call nor the state after it. The
 * disk, or Redis, has the state before it, from which the crawl is resumed.
 */
public final class FrontierFailedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    FrontierFailedException(Throwable cause) {
        super(sentence(cause), cause);
    }

    /** Returns whether the storage is the cause, as opposed to a programming error. */
    public boolean isStorageFailure() {
        return getCause() instanceof IOException || getCause() instanceof UncheckedIOException;
    }

    private static String sentence(Throwable cause) {
        if (cause instanceof UncheckedIOException
                && cause.getCause() instanceof FrontierDamagedException damage) {
            return String.valueOf(damage.getMessage());
        }
        return "the frontier failed during a change (%s) and accepts no more calls: the change was discarded; resume the crawl from its directory"
                .formatted(cause);
    }
}
