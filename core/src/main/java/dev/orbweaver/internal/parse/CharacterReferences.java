package dev.orbweaver.internal.parse;

import static dev.orbweaver.internal.parse.ByteScan.isDigit;
import static dev.orbweaver.internal.parse.ByteScan.isLetter;

/**
 * Decodes the text of a page: character references (HTML standard, 13.2.5.72 to 13.2.5.80), NUL,
 * and line breaks (13.2.3.5). Reads and writes UTF-8.
 */
final class CharacterReferences {

    /** The context of a text, which decides what is decoded in it. */
    enum TextContext {
        ATTRIBUTE(true, true),
        /** Keeps NUL: the tokenizer passes it on, and only the tree builder drops it. */
        DATA(true, false),
        RCDATA(true, true),
        RAW_TEXT(false, true),
        CDATA(false, false);

        private final boolean references;
        private final boolean replacesNul;

        TextContext(boolean references, boolean replacesNul) {
            this.references = references;
            this.replacesNul = replacesNul;
        }
    }

    private static final int REPLACEMENT = 0xFFFD;
    private static final int OUT_OF_RANGE = 0x110000;

    /**
     * The characters of the numbers 0x80 to 0x9F: windows-1252, not the C1 controls (13.2.5.80).
     */
    private static final char[] WINDOWS_1252 = {
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F,
        0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178
    };

    private final TextContext textContext;
    private final byte[] bytes;
    private final int end;
    private final Utf8Buffer out;

    private CharacterReferences(TextContext textContext, byte[] bytes, int end, Utf8Buffer out) {
        this.textContext = textContext;
        this.bytes = bytes;
        this.end = end;
        this.out = out;
    }

    /** Appends the decoded text to {@code out}. */
    static void decode(byte[] bytes, int start, int end, TextContext textContext, Utf8Buffer out) {
        new CharacterReferences(textContext, bytes, end, out).decode(start);
    }

    private void decode(int start) {
        var at = start;
        while (at < end) {
            var plain = at;
            while (plain < end && isLiteral(bytes[plain])) {
                plain++;
            }
            out.append(bytes, at, plain);
            if (plain == end) {
                return;
            }
            at = plain;
            var character = bytes[at];
            at =
                    switch (character) {
                        case '&' -> textContext.references ? reference(at) : literal(at);
                        case '\r' -> lineEnd(at);
                        case 0 -> nul(at);
                        default -> literal(at);
                    };
        }
    }

    private static boolean isLiteral(byte character) {
        return character != '&' && character != '\r' && character != 0;
    }

    private int literal(int at) {
        out.append(bytes[at]);
        return at + 1;
    }

    private int lineEnd(int at) {
        out.append((byte) '\n');
        return at + 1 < end && bytes[at + 1] == '\n' ? at + 2 : at + 1;
    }

    private int nul(int at) {
        out.appendCodePoint(textContext.replacesNul ? REPLACEMENT : 0);
        return at + 1;
    }

    private int reference(int ampersand) {
        var at = ampersand + 1;
        if (at < end && bytes[at] == '#') {
            return numeric(ampersand);
        }
        if (at < end && isLetter(bytes[at])) {
            return named(ampersand);
        }
        return literal(ampersand);
    }

    private int named(int ampersand) {
        var at = ampersand + 1;
        var table = NamedReferences.table();
        var reference = table.longest(bytes, at, end);
        if (reference < 0) {
            return literal(ampersand);
        }
        var after = at + table.length(reference);
        if (textContext == TextContext.ATTRIBUTE
                && !table.isTerminated(reference)
                && isFollowedByNameCharacter(after)) {
            // "?a=1&copy=2" is a parameter and not a reference (13.2.5.73).
            return literal(ampersand);
        }
        var value = table.value(reference);
        out.append(value, 0, value.length);
        return after;
    }

    private boolean isFollowedByNameCharacter(int after) {
        return after < end
                && (bytes[after] == '=' || isLetter(bytes[after]) || isDigit(bytes[after]));
    }

    private int numeric(int ampersand) {
        var at = ampersand + 2;
        var hex = at < end && (bytes[at] == 'x' || bytes[at] == 'X');
        if (hex) {
            at++;
        }
        var radix = hex ? 16 : 10;
        var digits = at;
        var number = 0;
        for (; at < end; at++) {
            var digit = bytes[at] < 0 ? -1 : Character.digit(bytes[at], radix);
            if (digit < 0) {
                break;
            }
            number = Math.min(number * radix + digit, OUT_OF_RANGE);
        }
        if (at == digits) {
            return literal(ampersand);
        }
        out.appendCodePoint(codePoint(number));
        return at < end && bytes[at] == ';' ? at + 1 : at;
    }

    private static int codePoint(int number) {
        if (number == 0
                || number >= OUT_OF_RANGE
                || (number >= Character.MIN_SURROGATE && number <= Character.MAX_SURROGATE)) {
            return REPLACEMENT;
        }
        return number >= 0x80 && number <= 0x9F ? WINDOWS_1252[number - 0x80] : number;
    }
}
