package dev.orbweaver.model;

/**
 * Makes untrusted text safe for a terminal, a log or a report.
 *
 * <p>Characters that move the cursor, start a terminal command, break a line or reverse the
 * direction of writing become spaces.
 */
public final class PrintableText {

    // Part of the spelling of many languages and of emoji; neither has an effect on the terminal.
    private static final int ZERO_WIDTH_NON_JOINER = 0x200C;
    private static final int ZERO_WIDTH_JOINER = 0x200D;

    private PrintableText() {}

    /** Returns a text in one line, without characters that a terminal interprets. */
    public static String line(String text) {
        var first = 0;
        while (first < text.length() && isPrintable(text.charAt(first))) {
            first++;
        }
        if (first == text.length()) {
            return text; // The common case.
        }
        var clean = new StringBuilder(text.length());
        text.codePoints().forEach(c -> clean.appendCodePoint(isPrintable(c) ? c : ' '));
        return clean.toString();
    }

    /**
     * Returns whether a character is printable; false for control characters and lone surrogates.
     */
    public static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.FORMAT ->
                    codePoint == ZERO_WIDTH_JOINER || codePoint == ZERO_WIDTH_NON_JOINER;
            case Character.CONTROL,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE ->
                    false;
            default -> true;
        };
    }
}
