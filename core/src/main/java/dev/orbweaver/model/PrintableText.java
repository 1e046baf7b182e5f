package dev.orbweaver.model;

/**
 * Makes foreign text fit for a terminal, a log or a report: characters that move the cursor, start
 * a terminal command, break a line or reverse the direction of writing become spaces.
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

    /** False for control characters and lone surrogates. */
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
