package dev.orbweaver.internal.parse;

import java.util.ArrayList;
import java.util.List;

/** Splits text at HTML white space (Infra standard, 4.6), and truncates it. */
final class Words {

    private Words() {}

    /**
     * Returns the start of a text, up to a number of characters and without half a surrogate pair.
     */
    static String truncate(String text, int charsMax) {
        if (text.length() <= charsMax) {
            return text;
        }
        var half = Character.isHighSurrogate(text.charAt(charsMax - 1));
        return text.substring(0, half ? charsMax - 1 : charsMax);
    }

    static List<String> split(String text) {
        var words = new ArrayList<String>(4);
        var start = 0;
        for (var at = 0; at <= text.length(); at++) {
            if (at == text.length() || ByteScan.isSpace(text.charAt(at))) {
                if (at > start) {
                    words.add(text.substring(start, at));
                }
                start = at + 1;
            }
        }
        return words;
    }
}
