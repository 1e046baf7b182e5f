package dev.orbweaver.internal.revisit;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.random.RandomGenerator;

/**
 * Approximate numbers of links to each URL, in a file of fixed size.
 *
 * <p>A count-min sketch (Cormode and Muthukrishnan, 2005) of two rows with conservative update: of
 * a URL's two counters only the smaller is increased, and the smaller is its count, so collisions
 * can only add. A counter is one byte with a logarithmic scale (Morris, 1978): it is increased with
 * a probability of 1.1⁻ᵛ, so the standard error is about a fifth. The counts order pages by
 * importance, for which that is enough.
 *
 * <p>Any content of the file is valid, so a kill does no harm. One thread at a time may count;
 * readers may run beside it.
 */
public final class InlinkSketch implements Closeable {

    private static final int ROW = 1 << 22;
    private static final double BASE = 1.1;
    private static final int VALUES = 256;

    private static final double[] ESTIMATES = new double[VALUES];

    /** Thresholds for 63 random bits, below which a counter is increased. */
    private static final long[] INCREASE_BELOW = new long[VALUES];

    static {
        for (var v = 0; v < VALUES; v++) {
            ESTIMATES[v] = (Math.pow(BASE, v) - 1) / (BASE - 1);
            INCREASE_BELOW[v] = (long) (Math.pow(BASE, -v) * Long.MAX_VALUE);
        }
        INCREASE_BELOW[VALUES - 1] = 0;
    }

    private final Arena arena;
    private final MemorySegment counters;
    private final RandomGenerator random;

    private InlinkSketch(Arena arena, MemorySegment counters, RandomGenerator random) {
        this.arena = arena;
        this.counters = counters;
        this.random = random;
    }

    /** Opens the counts in a file, or creates it. */
    public static InlinkSketch open(Path file, RandomGenerator random) throws IOException {
        var arena = Arena.ofShared();
        try (var channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            var mapped = channel.map(MapMode.READ_WRITE, 0, 2L * ROW, arena);
            return new InlinkSketch(arena, mapped, random);
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /**
     * Counts a link.
     *
     * @param url a hash of the target
     */
    public void add(long url) {
        var first = first(url);
        var second = second(url);
        var inFirst = value(first);
        var inSecond = value(second);
        var value = Math.min(inFirst, inSecond);
        if (random.nextLong() >>> 1 < INCREASE_BELOW[value]) {
            var increased = (byte) (value + 1);
            if (inFirst == value) {
                counters.set(ValueLayout.JAVA_BYTE, first, increased);
            }
            if (inSecond == value) {
                counters.set(ValueLayout.JAVA_BYTE, second, increased);
            }
        }
    }

    /** Returns about how many links a URL has. */
    public double count(long url) {
        return ESTIMATES[Math.min(value(first(url)), value(second(url)))];
    }

    private int value(long at) {
        return counters.get(ValueLayout.JAVA_BYTE, at) & 0xFF;
    }

    private static long first(long url) {
        return url & (ROW - 1);
    }

    private static long second(long url) {
        return ROW + ((url >>> 32) & (ROW - 1));
    }

    @Override
    public void close() {
        arena.close();
    }
}
