package dev.orbweaver.fetch;

/** Makes what the other side sent fit for logs and messages. */
final class Text {

    private static final int LENGTH_MAX = 300;

    private Text() {}

    /** An error in one line, without control characters and not too long. */
    static String harmless(Throwable error) {
        var message = error.getMessage();
        return harmless(message == null ? error.getClass().getSimpleName() : message);
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
