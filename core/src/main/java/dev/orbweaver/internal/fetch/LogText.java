package dev.orbweaver.internal.fetch;

import dev.orbweaver.model.PrintableText;

import java.util.concurrent.ExecutionException;

/** Sanitizes text from servers for logs and messages. */
final class LogText {

    private static final int LENGTH_MAX = 300;

    /** What Netty writes after the name of a system call, before the error of the system. */
    private static final String CALL_FAILED = "(..) failed with error(";

    private static final String NUMBER_END = "): ";

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
        return message == null ? error.getClass().getSimpleName() : withoutSystemCall(message);
    }

    private static String withoutSystemCall(String message) {
        var call = message.indexOf(CALL_FAILED);
        var end = call < 0 ? -1 : message.indexOf(NUMBER_END, call);
        return end < 0 ? message : message.substring(end + NUMBER_END.length());
    }

    /** Returns a text in one line, without control characters and truncated. */
    static String sanitize(String text) {
        return PrintableText.line(
                text.length() <= LENGTH_MAX ? text : text.substring(0, LENGTH_MAX));
    }
}
