package dev.orbweaver.internal.url;

/**
 * The percent-encode sets of the URL standard (section 1.3). Every set contains the C0 controls,
 * DEL and all non-ASCII characters; the constants add to them.
 */
enum PercentEncodeSet {
    C0_CONTROL(""),
    FRAGMENT(" \"<>`"),
    QUERY(" \"#<>"),
    SPECIAL_QUERY(" \"#<>'"),
    PATH(" \"#<>?^`{}"),
    USERINFO(" \"#<>?^`{}/:;=@[\\]|");

    private static final String HEX = "0123456789ABCDEF";

    private final long low;
    private final long high;

    PercentEncodeSet(String members) {
        var lowBits = 0xFFFF_FFFFL;
        var highBits = 1L << 63;
        for (var i = 0; i < members.length(); i++) {
            var bit = 1L << members.charAt(i);
            if (members.charAt(i) < 64) {
                lowBits |= bit;
            } else {
                highBits |= bit;
            }
        }
        this.low = lowBits;
        this.high = highBits;
    }

    /** Returns whether a code point, or a byte from 0 to 255, must be escaped. */
    boolean contains(int value) {
        if (value >= 128) {
            return true;
        }
        return (((value < 64 ? low : high) >>> value) & 1) != 0;
    }

    /** Escapes a text in UTF-8. */
    String encode(String text) {
        var out = new StringBuilder(text.length() + 16);
        encode(text, 0, text.length(), out);
        return out.toString();
    }

    /** Appends a part of a text without lone surrogates. */
    void encode(String text, int start, int end, StringBuilder out) {
        var i = start;
        while (i < end) {
            var c = text.charAt(i);
            if (!contains(c)) {
                out.append(c);
                i++;
            } else {
                var codePoint = text.codePointAt(i);
                escapeUtf8(codePoint, out);
                i += Character.charCount(codePoint);
            }
        }
    }

    /** Appends one byte of an encoded text, escaped if it is in this set. */
    void encodeByte(int unsigned, StringBuilder out) {
        if (contains(unsigned)) {
            escape(unsigned, out);
        } else {
            out.append((char) unsigned);
        }
    }

    private static void escapeUtf8(int codePoint, StringBuilder out) {
        if (codePoint < 0x80) {
            escape(codePoint, out);
        } else if (codePoint < 0x800) {
            escape(0xC0 | (codePoint >> 6), out);
            escape(0x80 | (codePoint & 0x3F), out);
        } else if (codePoint < 0x10000) {
            escape(0xE0 | (codePoint >> 12), out);
            escape(0x80 | ((codePoint >> 6) & 0x3F), out);
            escape(0x80 | (codePoint & 0x3F), out);
        } else {
            escape(0xF0 | (codePoint >> 18), out);
            escape(0x80 | ((codePoint >> 12) & 0x3F), out);
            escape(0x80 | ((codePoint >> 6) & 0x3F), out);
            escape(0x80 | (codePoint & 0x3F), out);
        }
    }

    private static void escape(int unsigned, StringBuilder out) {
        out.append('%').append(HEX.charAt(unsigned >> 4)).append(HEX.charAt(unsigned & 0xF));
    }
}
