package dev.orbweaver.internal.frontier;

/** Reads what {@link VarintWriter} wrote. */
public final class VarintReader {

    private byte[] bytes;
    private int position;
    private int end;

    /** Reads from {@code start} to before {@code end}. */
    public VarintReader(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.position = start;
        this.end = end;
    }

    /** Goes on with other bytes. */
    public void reset(byte[] newBytes, int start, int newEnd) {
        bytes = newBytes;
        position = start;
        end = newEnd;
    }

    /** Where the next byte is read. */
    public int position() {
        return position;
    }

    /** Whether there is more. */
    public boolean hasNext() {
        return position < end;
    }

    /** One byte, 0 to 255. */
    public int octet() {
        return bytes[position++] & 0xFF;
    }

    /** A number. */
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

    /** A number that fits an int. */
    public int intVarint() {
        return Math.toIntExact(varint());
    }

    /** Bytes as they are. */
    public void bytes(byte[] target, int start, int count) {
        System.arraycopy(bytes, position, target, start, count);
        position += count;
    }

    /** So many bytes as a number, the highest first. */
    public long bigEndian(int count) {
        var value = 0L;
        for (var i = 0; i < count; i++) {
            value = (value << 8) | (bytes[position++] & 0xFF);
        }
        return value;
    }
}
