package dev.orbweaver.export.markdown;

/**
 * Estimates the number of tokens of a text for a typical language model. A short word is one token,
 * a long word one per four or five letters, a punctuation mark one, a character of a script without
 * spaces about one.
 */
public final class TokenEstimator {

    private static final int LETTERS_PER_TOKEN = 5;

    private TokenEstimator() {}

    public static int estimate(String text) {
        var tokens = 0;
        var letters = 0;
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            if (c < 0x2E80 && Character.isLetterOrDigit(c)) {
                letters++;
                continue;
            }
            tokens += Math.ceilDiv(letters, LETTERS_PER_TOKEN);
            letters = 0;
            if (c > ' ' && !Character.isLowSurrogate(c)) {
                // Repeated punctuation, as in rules and tables, is few tokens.
                tokens += i > 0 && text.charAt(i - 1) == c ? 0 : 1;
            }
        }
        return tokens + Math.ceilDiv(letters, LETTERS_PER_TOKEN);
    }

    /**
     * Returns the end of the longest text from an index that has at most some tokens; at least one
     * character.
     */
    public static int endWithin(String text, int from, int tokensMax) {
        var tokens = 0;
        var letters = 0;
        for (var i = from; i < text.length(); i++) {
            var c = text.charAt(i);
            if (c < 0x2E80 && Character.isLetterOrDigit(c)) {
                letters++;
            } else {
                tokens += Math.ceilDiv(letters, LETTERS_PER_TOKEN);
                letters = 0;
                if (c > ' ' && !Character.isLowSurrogate(c)) {
                    tokens += i > from && text.charAt(i - 1) == c ? 0 : 1;
                }
            }
            if (tokens + Math.ceilDiv(letters, LETTERS_PER_TOKEN) > tokensMax && i > from) {
                return i;
            }
        }
        return text.length();
    }
}
