package dev.orbweaver.internal.fetch;

import dev.orbweaver.model.PrintableText;

import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;

/** Sanitizes text from servers for logs and messages. */
final class LogText {

    private static final int LENGTH_MAX = 300;

    /** The system call that Netty names before the error of the system. */
    private static final Pattern SYSTEM_CALL =
            Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ");

    private static final int DEPTH_MAX = 10;

    private LogText() {}

    static Throwable unwrap(ExecutionException error) {
        var cause = error.getCause();
        return cause == null ? error : cause;
    }

    /** Returns an error in one line, without control characters and truncated. */
    static String sanitize(Throwable error) {
        var root = error instanceof ExecutionException wrapped ? unwrap(wrapped) : error;
        return sanitize(messageOf(root));
    }

    /** Returns an error with its root cause, which explains a TLS "handshake failed". */
    static String sanitizeWithRootCause(Throwable error) {
        var root = error;
        for (var depth = 0; depth < DEPTH_MAX && root.getCause() != null; depth++) {
            root = root.getCause();
        }
        var message = messageOf(error);
        return sanitize(root.equals(error) ? message : message + ": " + messageOf(root));
    }

    private static String messageOf(Throwable error) {
        var message = error.getMessage();
        return message == null
                ? error.getClass().getSimpleName()
                : SYSTEM_CALL.matcher(message).replaceFirst("");
    }

    /** Returns a text in one line, without control characters and truncated. */
    static String sanitize(String text) {
        return PrintableText.line(
                text.length() <= LENGTH_MAX ? text : text.substring(0, LENGTH_MAX));
    }
}
