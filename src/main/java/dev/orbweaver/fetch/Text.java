package dev.orbweaver.fetch;

import dev.orbweaver.model.PrintableText;

import java.util.concurrent.ExecutionException;

/** Makes what the other side sent fit for logs and messages. */
final class Text {

    private static final int LENGTH_MAX = 300;
    private static final int DEPTH_MAX = 10;

    private Text() {}

    /** What a future failed with, out of its wrapping. */
    static Throwable rootOf(ExecutionException error) {
        var cause = error.getCause();
        return cause == null ? error : cause;
    }

    /** An error in one line, without control characters and not too long. */
    static String harmless(Throwable error) {
        var root = error instanceof ExecutionException wrapped ? rootOf(wrapped) : error;
        return harmless(messageOf(root));
    }

    /**
     * An error and what lies under it: a TLS library says "handshake failed", and only the last
     * cause says which certificate was not liked.
     */
    static String harmlessWithRoot(Throwable error) {
        var root = error;
        for (var depth = 0; depth < DEPTH_MAX && root.getCause() != null; depth++) {
            root = root.getCause();
        }
        var message = messageOf(error);
        return harmless(root.equals(error) ? message : message + ": " + messageOf(root));
    }

    private static String messageOf(Throwable error) {
        var message = error.getMessage();
        return message == null ? error.getClass().getSimpleName() : message;
    }

    /** A text in one line, without control characters and not too long. */
    static String harmless(String text) {
        return PrintableText.line(
                text.length() <= LENGTH_MAX ? text : text.substring(0, LENGTH_MAX));
    }
}
