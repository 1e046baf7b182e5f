package dev.orbweaver.fetch;

import java.util.concurrent.ExecutionException;

/** Makes what the other side sent fit for logs and messages. */
final class Text {

    private static final int LENGTH_MAX = 300;

    private Text() {}

    /** What a future failed with, out of its wrapping. */
    static Throwable rootOf(ExecutionException error) {
        var cause = error.getCause();
        return cause == null ? error : cause;
    }

    /** An error in one line, without control characters and not too long. */
    static String harmless(Throwable error) {
        var root = error instanceof ExecutionException wrapped ? rootOf(wrapped) : error;
        var message = root.getMessage();
        return harmless(message == null ? root.getClass().getSimpleName() : message);
    }

    /** A text in one line, without control characters and not too long. */
    static String harmless(String text) {
        var clean = new StringBuilder(Math.min(text.length(), LENGTH_MAX));
        text.codePoints()
                .limit(LENGTH_MAX)
                .forEach(c -> clean.appendCodePoint(Character.isISOControl(c) ? ' ' : c));
        return clean.toString();
    }
}
