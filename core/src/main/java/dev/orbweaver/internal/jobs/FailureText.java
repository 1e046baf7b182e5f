package dev.orbweaver.internal.jobs;

import dev.orbweaver.internal.frontier.FrontierFailedException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;

/**
 * The text of a failure for users of the service. Messages of libraries name their classes and
 * files and help only a reader of the log, so they are not shown.
 */
public final class FailureText {

    private static final String UNKNOWN = "see the log of the service";

    private FailureText() {}

    /** Returns the message of a failure of this program or of the system, without a full stop. */
    public static String of(Throwable failure) {
        if (failure instanceof FileSystemException file) {
            var reason = file.getReason();
            return reason == null ? UNKNOWN : reason;
        }
        var cause = failure.getCause();
        if (cause != null
                && (failure instanceof UncheckedIOException
                        || failure instanceof FrontierFailedException)) {
            return of(cause); // Their own message repeats the cause as a library prints it.
        }
        var own =
                failure.getClass() == IOException.class
                        || failure.getClass().getName().startsWith("dev.orbweaver.");
        var message = failure.getMessage();
        return own && message != null ? message : UNKNOWN;
    }
}
