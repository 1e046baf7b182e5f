package dev.orbweaver.internal.frontier;

import java.util.Arrays;

/**
 * Bytes being put together: numbers in groups of seven bits, lowest first, each byte but the last
 * with its high bit set. {@link VarintReader} reads them back.
 */
@CanIgnoreReturnValue
public final class VarintWriter {

    /** How much can be written: no more than an array can hold. */
    static final int LENGTH_MAX = Integer.MAX_VALUE - 8;

    private byte[] bytes;
    private int length;

    /** Room for so many bytes at first. */
    public VarintWriter(int capacity) {
        this.bytes = new byte[capacity];
    }

    /** What has been written so far, and room behind it. */
    public byte[] array() {
        return bytes;
    }

    /** How much has been written. */
    public int length() {
        return length;
    }

    /** Goes back to an earlier length. */
    public void truncate(int newLength) {
        length = newLength;
    }

    /** Leaves bytes to be filled in later. */
    public VarintWriter reserve(int count) {
        ensureCapacity(count);
        length += count;
        return this;
    }

    /** One byte. */
    public VarintWriter octet(int value) {
        ensureCapacity(1);
        bytes[length++] = (byte) value;
        return this;
    }

    /** A number; negative ones take ten bytes. */
    public VarintWriter varint(long value) {
        ensureCapacity(10);
        var rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte) rest;
        return this;
    }

    /** Bytes as they are. */
    public VarintWriter bytes(byte[] source, int start, int count) {
        ensureCapacity(count);
        System.arraycopy(source, start, bytes, length, count);
        length += count;
        return this;
    }

    /** So many low bytes of a number, the highest first. */
    public VarintWriter bigEndian(long value, int count) {
        ensureCapacity(count);
        for (var shift = 8 * (count - 1); shift >= 0; shift -= 8) {
            bytes[length++] = (byte) (value >>> shift);
        }
        return this;
    }

    private void ensureCapacity(int more) {
        if (more > bytes.length - length) {
            bytes = Arrays.copyOf(bytes, capacity(bytes.length, (long) length + more));
        }
    }

    /** Twice the room, or as much as is needed, as long as an array can be so large. */
    static int capacity(int before, long needed) {
        if (needed > LENGTH_MAX) {
            throw new IllegalStateException(
                    "%d bytes cannot be written at once; the limit is %d bytes"
                            .formatted(needed, LENGTH_MAX));
        }
        return (int) Math.min(LENGTH_MAX, Math.max(before * 2L, needed));
    }
}
