package dev.orbweaver.internal.frontier;

import java.util.Arrays;

/**
 * A growing byte buffer with variable-length numbers: groups of seven bits, lowest first, each byte
 * but the last with its high bit set. {@link VarintReader} reads them.
 */
@CanIgnoreReturnValue
public final class VarintWriter {

    /** The maximum length of an array. */
    static final int LENGTH_MAX = Integer.MAX_VALUE - 8;

    private byte[] bytes;
    private int length;

    public VarintWriter(int capacity) {
        this.bytes = new byte[capacity];
    }

    /** Returns the backing array: the written bytes, and unused space after them. */
    public byte[] array() {
        return bytes;
    }

    public int length() {
        return length;
    }

    public void truncate(int newLength) {
        length = newLength;
    }

    /** Reserves bytes to be filled in later. */
    public VarintWriter reserve(int count) {
        ensureCapacity(count);
        length += count;
        return this;
    }

    public VarintWriter octet(int value) {
        ensureCapacity(1);
        bytes[length++] = (byte) value;
        return this;
    }

    /** Writes a number in groups of seven bits. Negative numbers take ten bytes. */
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

    public VarintWriter bytes(byte[] source, int start, int count) {
        ensureCapacity(count);
        System.arraycopy(source, start, bytes, length, count);
        length += count;
        return this;
    }

    /** Writes the low {@code count} bytes of a number, highest first. */
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

    /**
     * Returns twice the capacity, or as much as is needed, at most the maximum length of an array.
     */
    static int capacity(int before, long needed) {
        if (needed > LENGTH_MAX) {
            throw new IllegalStateException(
                    "cannot write %d bytes at once; the limit is %d bytes"
                            .formatted(needed, LENGTH_MAX));
        }
        return (int) Math.min(LENGTH_MAX, Math.max(before * 2L, needed));
    }
}
