package dev.orbweaver.export;

import org.duckdb.DuckDBAppender;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds pairs of similar texts by their sketches, in time proportional to the number of texts and
 * in bounded memory.
 *
 * <p>Every sketch has 32 keys of three bins each, and one of all bins. Two texts with a Jaccard
 * similarity J share a certain key with probability J³, and at least one of 32 almost certainly (J
 * = 0.57: 99.9 %, 0.3: 58 %; banding, Indyk and Motwani 1998). DuckDB sorts the keys, on disk if
 * necessary. Among the texts with the same key each is compared with the first 32 only: a key that
 * more texts share is made of words that the pages of a site repeat, and similar texts have other
 * keys in common.
 *
 * <p>Scratch files take about 400 bytes per text, more while DuckDB sorts.
 */
final class SimilarTexts implements AutoCloseable {

    private static final int BANDS = 32;
    private static final int[] BAND_BINS = {0, 1, 3};
    private static final int COMPARED_MAX = 32;

    private static final ValueLayout.OfLong NUMBER =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt FEATURES =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int HEAD_BYTES = Long.BYTES + Integer.BYTES;

    private final int bins;
    private final double overlapMin;
    private final Path file;
    private final DataOutputStream sketches;
    private final DuckDb duckDb;
    private final DuckDBAppender keys;
    private int size;

    /**
     * Creates an empty set of texts.
     *
     * @param bins the bins of each sketch
     * @param overlapMin the minimum overlap of similar texts
     * @param directory a new directory for scratch files
     */
    SimilarTexts(int bins, double overlapMin, Path directory) throws IOException {
        this.bins = bins;
        this.overlapMin = overlapMin;
        this.file = Files.createDirectories(directory).resolve("sketches");
        this.sketches =
                new DataOutputStream(
                        new BufferedOutputStream(Files.newOutputStream(file), 1 << 16));
        this.duckDb = DuckDb.create(directory);
        duckDb.execute("CREATE TABLE keys (band TINYINT, bits INTEGER, slot INTEGER)");
        this.keys = duckDb.appender("keys");
    }

    /** Receives a pair of similar texts by their numbers. */
    interface PairVisitor {
        void visit(long earlier, long later) throws IOException;
    }

    private record Text(long number, TextSketch sketch) {}

    /** Adds a text; {@code number} is greater than those of all earlier ones. */
    void add(long number, TextSketch sketch) throws IOException {
        sketches.writeLong(number);
        sketches.writeInt(sketch.features());
        sketches.write(sketch.bins());
        var keysOfText = keys(sketch.bins());
        for (var band = 0; band < keysOfText.length; band++) {
            addKey(band, keysOfText[band]);
        }
        size++;
    }

    /** Returns the keys of a sketch; texts with an equal key at the same position are compared. */
    static int[] keys(byte[] sketch) {
        var filled = fillEmptyBins(sketch);
        var keys = new int[BANDS + 1];
        for (var band = 0; band < BANDS; band++) {
            for (var bin : BAND_BINS) {
                var at = (band * (sketch.length / BANDS) + bin) % sketch.length;
                keys[band] = (keys[band] << Byte.SIZE) | (filled[at] & 0xFF);
            }
        }
        keys[BANDS] = Arrays.hashCode(sketch);
        return keys;
    }

    private void addKey(int band, int key) throws IOException {
        var _ =
                DuckDb.wrapSqlErrors(
                        () ->
                                keys.beginRow()
                                        .append((byte) band)
                                        .append(key)
                                        .append(size)
                                        .endRow());
    }

    /**
     * Gives each empty bin the value of another, the same one in all sketches that have it (optimal
     * densification, Shrivastava 2017), so that short texts have keys too.
     */
    private static byte[] fillEmptyBins(byte[] sketch) {
        var filled = sketch.clone();
        for (var bin = 0; bin < sketch.length; bin++) {
            var random = bin;
            for (var tries = 0; filled[bin] == 0 && tries < 64 * sketch.length; tries++) {
                random = random * 0x5DEECE6D + 0xB;
                filled[bin] = sketch[(random >>> 16) & (sketch.length - 1)];
            }
        }
        return filled;
    }

    /**
     * Visits pairs of similar texts. For each key that a text has in common with others it is
     * paired with the most similar one. A pair may be visited several times.
     */
    void forEachPair(PairVisitor visitor) throws IOException {
        sketches.flush();
        var _ =
                DuckDb.wrapSqlErrors(
                        () -> {
                            keys.flush();
                            return true;
                        });
        try (var arena = Arena.ofConfined();
                var channel = FileChannel.open(file)) {
            var mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            var group = new ArrayList<Text>();
            var last = new int[] {-1, 0};
            duckDb.query(
                    "SELECT band, bits, slot FROM keys ORDER BY band, bits, slot",
                    row -> {
                        if (row.getInt(1) != last[0] || row.getInt(2) != last[1]) {
                            last[0] = row.getInt(1);
                            last[1] = row.getInt(2);
                            group.clear();
                        }
                        compare(text(mapped, row.getInt(3)), group, visitor);
                    });
        }
    }

    private void compare(Text text, List<Text> group, PairVisitor visitor) throws IOException {
        var best = -1L;
        var most = 0.0;
        for (var other : group) {
            var overlap = text.sketch.overlap(other.sketch);
            if (overlap > most) {
                most = overlap;
                best = other.number;
            }
        }
        if (most >= overlapMin) {
            visitor.visit(best, text.number);
        }
        if (group.size() < COMPARED_MAX) {
            group.add(text);
        }
    }

    private Text text(MemorySegment mapped, int slot) {
        var at = (long) slot * (HEAD_BYTES + bins);
        var sketch = mapped.asSlice(at + HEAD_BYTES, bins).toArray(ValueLayout.JAVA_BYTE);
        return new Text(
                mapped.get(NUMBER, at),
                new TextSketch(sketch, mapped.get(FEATURES, at + Long.BYTES)));
    }

    @Override
    public void close() throws IOException {
        var _ =
                DuckDb.wrapSqlErrors(
                        () -> {
                            keys.close();
                            return true;
                        });
        duckDb.close();
        sketches.close();
    }
}
