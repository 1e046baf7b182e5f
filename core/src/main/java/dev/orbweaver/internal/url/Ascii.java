package dev.orbweaver.internal.url;

/** The ASCII classes used by the URL standard, independent of locale and Unicode. */
final class Ascii {

    private Ascii() {}

    static boolean isAlpha(int c) {
        return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    }

    static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    /**
     * Returns whether a character may follow a scheme's first letter: letter, digit, {@code +},
     * {@code -} or {@code .}.
     */
    static boolean isSchemeRest(int c) {
        return isAlpha(c) || isDigit(c) || c == '+' || c == '-' || c == '.';
    }

    /** Returns the value of a hexadecimal digit, or -1. */
    static int hexValue(int c) {
        if (isDigit(c)) {
            return c - '0';
        }
        var lower = c | 0x20;
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }

    static boolean isAscii(String text) {
        for (var i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }

    /** Converts A to Z only. */
    static String lowerCase(String text) {
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                return lowerCaseFrom(text, i);
            }
        }
        return text;
    }

    private static String lowerCaseFrom(String text, int firstUpper) {
        var chars = text.toCharArray();
        for (var i = firstUpper; i < chars.length; i++) {
            if (chars[i] >= 'A' && chars[i] <= 'Z') {
                chars[i] = (char) (chars[i] | 0x20);
            }
        }
        return new String(chars);
    }
}
