package dev.orbweaver.internal.parse;

/** Iterates over the runs of letters and numbers of any script. */
public final class WordIterator {

    private final String text;
    private int start;
    private int end;

    public WordIterator(String text) {
        this.text = text;
    }

    /**
     * Moves to the next run with at least {@code charactersMin} characters; returns false if there
     * is none.
     */
    public boolean next(int charactersMin) {
        while (end < text.length()) {
            var c = text.codePointAt(end);
            if (isLetterOrNumber(c)) {
                if (readWord() >= charactersMin) {
                    return true;
                }
            } else {
                end += Character.charCount(c);
            }
        }
        return false;
    }

    private int readWord() {
        start = end;
        var count = 0;
        while (end < text.length()) {
            var c = text.codePointAt(end);
            if (!isLetterOrNumber(c)) {
                break;
            }
            end += Character.charCount(c);
            count++;
        }
        return count;
    }

    public String current() {
        return text.substring(start, end);
    }

    private static boolean isLetterOrNumber(int c) {
        return Character.isLetterOrDigit(c)
                || Character.getType(c) == Character.LETTER_NUMBER
                || Character.getType(c) == Character.OTHER_NUMBER;
    }
}
