package dev.orbweaver.internal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * CRC-32C (RFC 3720, B.4) of a growing file, continued from a stored value.
 *
 * <p>The JDK's CRC32C cannot start from a value. So the new bytes get a separate checksum, and the
 * two are combined as in zlib's {@code crc32_combine}: the first is multiplied by x^(8·length)
 * modulo the polynomial. That takes about a microsecond for any length.
 */
public final class RunningChecksum {

    private static final int POLYNOMIAL = 0x82F63B78;
    private static final int ONE = 1 << 31;
    private static final int BUFFER = 256 << 10;

    /** x^(2^n) modulo the polynomial, lowest power in the highest bit. */
    private static final int[] POWERS = powers();

    private final CRC32C recent = new CRC32C();
    private long recentLength;
    private int previous;

    /**
     * @param before the checksum of the existing content, 0 for an empty file
     */
    public RunningChecksum(int before) {
        this.previous = before;
    }

    public void update(ByteBuffer bytes) {
        recentLength += bytes.remaining();
        recent.update(bytes);
    }

    public void update(FileChannel file, long start, long length) throws IOException {
        var buffer = ByteBuffer.allocate(Math.clamp(length, 1, BUFFER));
        for (var at = start; at < start + length; ) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), start + length - at));
            var count = file.read(buffer, at);
            if (count < 0) {
                throw new IOException("the file ends after %d of %d bytes".formatted(at, length));
            }
            at += count;
            update(buffer.flip());
        }
    }

    public int value() {
        previous = combine(previous, (int) recent.getValue(), recentLength);
        recent.reset();
        recentLength = 0;
        return previous;
    }

    public static int of(Path file, long length) throws IOException {
        try (var channel = FileChannel.open(file)) {
            var checksum = new RunningChecksum(0);
            checksum.update(channel, 0, length);
            return checksum.value();
        }
    }

    public static int of(byte[] bytes) {
        var crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private static int combine(int first, int second, long secondLength) {
        var power = ONE;
        var n = 3; // A byte is eight bits.
        for (var left = secondLength; left != 0; left >>>= 1) {
            if ((left & 1) != 0) {
                power = times(POWERS[n], power);
            }
            n++;
        }
        return times(power, first) ^ second;
    }

    private static int times(int a, int b) {
        var product = 0;
        var factor = b;
        for (var bit = ONE; bit != 0; bit >>>= 1) {
            if ((a & bit) != 0) {
                product ^= factor;
            }
            factor = (factor & 1) == 0 ? factor >>> 1 : (factor >>> 1) ^ POLYNOMIAL;
        }
        return product;
    }

    private static int[] powers() {
        var powers = new int[Long.SIZE + 3];
        powers[0] = ONE >>> 1;
        for (var n = 1; n < powers.length; n++) {
            powers[n] = times(powers[n - 1], powers[n - 1]);
        }
        return powers;
    }
}
