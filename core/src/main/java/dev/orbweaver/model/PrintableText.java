package dev.orbweaver.model;

/**
 * Makes text from elsewhere fit for a terminal, a log and one line of a report. A page, a header or
 * a file name may hold characters that move the cursor, start a command of the terminal (C0 and C1
 * controls), break a line or reverse the direction of writing; each becomes a space.
 */
public final class PrintableText {

    // Part of the spelling of many languages and of emoji; neither moves anything.
    private static final int ZERO_WIDTH_NON_JOINER = 0x200C;
    private static final int ZERO_WIDTH_JOINER = 0x200D;

    private PrintableText() {}

    /** A text in one line, without characters that a terminal acts on. */
    public static String line(String text) {
        var first = 0;
        while (first < text.length() && isPrintable(text.charAt(first))) {
            first++;
        }
        if (first == text.length()) {
            return text; // Nearly all of them.
        }
        var clean = new StringBuilder(text.length());
        text.codePoints().forEach(c -> clean.appendCodePoint(isPrintable(c) ? c : ' '));
        return clean.toString();
    }

    /**
     * Whether a code point only shows a sign. A surrogate that has lost its other half does not.
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
