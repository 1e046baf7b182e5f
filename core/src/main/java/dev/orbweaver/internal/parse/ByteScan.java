package dev.orbweaver.internal.parse;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Searches and compares byte arrays, eight bytes at a time where it pays off.
 *
 * <p>Most of a page is text, attribute values and scripts that are not needed, so the speed of
 * skipping them decides the speed of parsing. The search compares eight bytes in one register: a
 * byte of {@code word ^ pattern} is zero exactly where the wanted byte is, and {@code (x -
 * 0x01..01) & ~x & 0x80..80} marks the first zero byte of x without a branch per byte.
 */
final class ByteScan {

    private static final VarHandle WORD =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;
    private static final long MIX = 0x9E3779B97F4A7C15L;

    private ByteScan() {}

    /** Returns the first index of {@code wanted} in {@code [from, end)}, or {@code end}. */
    static int indexOf(byte[] bytes, int from, int end, byte wanted) {
        var pattern = (wanted & 0xFF) * ONES;
        var at = from;
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            var differences = (long) WORD.get(bytes, at) ^ pattern;
            var zeros = (differences - ONES) & ~differences & HIGHS;
            if (zeros != 0) {
                return at + (Long.numberOfTrailingZeros(zeros) >>> 3);
            }
        }
        while (at < end && bytes[at] != wanted) {
            at++;
        }
        return at;
    }

    /**
     * Returns the first index of a byte of 0x80 or above in {@code [from, end)}, or {@code end}.
     */
    static int indexOfNonAscii(byte[] bytes, int from, int end) {
        var at = from;
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            var highs = (long) WORD.get(bytes, at) & HIGHS;
            if (highs != 0) {
                return at + (Long.numberOfTrailingZeros(highs) >>> 3);
            }
        }
        while (at < end && bytes[at] >= 0) {
            at++;
        }
        return at;
    }

    /** Returns whether a byte of {@code [from, end)} is zero, an ampersand, or 0x80 and above. */
    static boolean hasReferenceOrNonAscii(byte[] bytes, int from, int end) {
        var at = from;
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            var word = (long) WORD.get(bytes, at);
            var ampersands = word ^ '&' * ONES;
            if (((word | word - ONES | (ampersands - ONES & ~ampersands)) & HIGHS) != 0) {
                return true;
            }
        }
        for (; at < end; at++) {
            if (bytes[at] <= 0 || bytes[at] == '&') {
                return true;
            }
        }
        return false;
    }

    /** Returns a hash over {@code [from, end)}: fast, and good enough for a table that may miss. */
    static int hash(byte[] bytes, int from, int end) {
        var hash = (long) (end - from);
        var at = from;
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            hash = (hash ^ (long) WORD.get(bytes, at)) * MIX;
            hash ^= hash >>> 32;
        }
        return (int) finish(hash ^ tail(bytes, at, end));
    }

    private static long finish(long hash) {
        var mixed = hash * MIX;
        return mixed ^ mixed >>> 32;
    }

    private static long tail(byte[] bytes, int from, int end) {
        var word = 0L;
        for (var at = from; at < end; at++) {
            word = word << 8 | (bytes[at] & 0xFF);
        }
        return word;
    }

    /** Returns eight bytes as one word, the first lowest; bytes from {@code end} on are 0. */
    static long longAt(byte[] bytes, int at, int end) {
        var left = end - at;
        if (left >= Long.BYTES) {
            return (long) WORD.get(bytes, at);
        }
        if (at + Long.BYTES <= bytes.length) {
            return (long) WORD.get(bytes, at) & ((1L << (left << 3)) - 1);
        }
        var word = 0L;
        for (var i = end - 1; i >= at; i--) {
            word = (word << 8) | (bytes[i] & 0xFF);
        }
        return word;
    }

    /**
     * Returns the at most eight bytes of {@code [start, end)} as one word with letters in lower
     * case. Other bytes change too: compare again if the word may contain more than letters.
     */
    static long lowerCaseWord(byte[] bytes, int start, int end) {
        if (start + Long.BYTES <= bytes.length) {
            var unused = Long.SIZE - ((end - start) << 3);
            return unused == Long.SIZE
                    ? 0
                    : ((long) WORD.get(bytes, start) << unused >>> unused)
                            | (0x2020202020202020L << unused >>> unused);
        }
        var word = 0L;
        for (var at = end - 1; at >= start; at--) {
            word = word << 8 | (bytes[at] & 0xFF) | 0x20;
        }
        return word;
    }

    /**
     * Returns whether {@code [start, end)} equals the lower-case ASCII {@code word}, ignoring case.
     */
    static boolean equalsIgnoreCase(byte[] bytes, int start, int end, byte[] word) {
        return end - start == word.length && startsWith(bytes, start, end, word);
    }

    /**
     * Returns whether {@code [start, end)} starts with the lower-case ASCII {@code word}, ignoring
     * case.
     */
    static boolean startsWith(byte[] bytes, int start, int end, byte[] word) {
        if (end - start < word.length) {
            return false;
        }
        for (var i = 0; i < word.length; i++) {
            if (lower(bytes[start + i]) != word[i]) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether a character is ASCII white space in HTML: tab, line feed, form feed, carriage
     * return, space.
     */
    static boolean isSpace(int character) {
        return character == ' '
                || character == '\n'
                || character == '\t'
                || character == '\r'
                || character == '\f';
    }

    static boolean isLetter(int character) {
        var lower = character | 0x20;
        return lower >= 'a' && lower <= 'z';
    }

    static boolean isDigit(int character) {
        return character >= '0' && character <= '9';
    }

    static byte lower(byte character) {
        return character >= 'A' && character <= 'Z' ? (byte) (character | 0x20) : character;
    }
}
