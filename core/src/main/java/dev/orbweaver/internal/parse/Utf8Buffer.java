package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/** A growing buffer of UTF-8. */
final class Utf8Buffer {

    private byte[] array = new byte[256];
    private int length;

    byte[] array() {
        return array;
    }

    int length() {
        return length;
    }

    void clear() {
        length = 0;
    }

    void append(byte value) {
        if (length == array.length) {
            array = Arrays.copyOf(array, length * 2);
        }
        array[length++] = value;
    }

    void append(byte[] from, int start, int end) {
        var needed = length + end - start;
        if (needed > array.length) {
            array = Arrays.copyOf(array, Math.max(needed, array.length * 2));
        }
        System.arraycopy(from, start, array, length, end - start);
        length = needed;
    }

    void appendCodePoint(int codePoint) {
        if (codePoint < 0x80) {
            append((byte) codePoint);
        } else if (codePoint < 0x800) {
            append((byte) (0xC0 | codePoint >> 6));
            append((byte) (0x80 | (codePoint & 0x3F)));
        } else if (codePoint < 0x10000) {
            append((byte) (0xE0 | codePoint >> 12));
            append((byte) (0x80 | (codePoint >> 6 & 0x3F)));
            append((byte) (0x80 | (codePoint & 0x3F)));
        } else {
            append((byte) (0xF0 | codePoint >> 18));
            append((byte) (0x80 | (codePoint >> 12 & 0x3F)));
            append((byte) (0x80 | (codePoint >> 6 & 0x3F)));
            append((byte) (0x80 | (codePoint & 0x3F)));
        }
    }

    @Override
    public String toString() {
        return new String(array, 0, length, UTF_8);
    }
}
