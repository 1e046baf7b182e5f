package dev.orbweaver.internal.frontier;

/** Reads the format of {@link VarintWriter}. */
public final class VarintReader {

    private byte[] bytes;
    private int position;
    private int end;

    public VarintReader(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.position = start;
        this.end = end;
    }

    public void reset(byte[] newBytes, int start, int newEnd) {
        bytes = newBytes;
        position = start;
        end = newEnd;
    }

    public int position() {
        return position;
    }

    public boolean hasNext() {
        return position < end;
    }

    /** Reads a number from 0 to 255. */
    public int octet() {
        return bytes[position++] & 0xFF;
    }

    public long varint() {
        var value = 0L;
        var shift = 0;
        while (true) {
            var group = bytes[position++];
            value |= (long) (group & 0x7F) << shift;
            if (group >= 0) {
                return value;
            }
            shift += 7;
        }
    }

    public int intVarint() {
        return Math.toIntExact(varint());
    }

    public void bytes(byte[] target, int start, int count) {
        System.arraycopy(bytes, position, target, start, count);
        position += count;
    }

    /** Reads {@code count} bytes as a number, highest first. */
    public long bigEndian(int count) {
        var value = 0L;
        for (var i = 0; i < count; i++) {
            value = (value << 8) | (bytes[position++] & 0xFF);
        }
        return value;
    }
}
