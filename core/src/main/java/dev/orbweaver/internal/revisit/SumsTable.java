package dev.orbweaver.internal.revisit;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.MappedFile;
import dev.orbweaver.internal.revisit.ChangeEstimate.Sums;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * What was observed on the pages of each host and URL pattern, in a mapped file of hash buckets.
 *
 * <p>Hosts and patterns are known by 20 bits of a hash. The table uses the lowest of these bits as
 * its index and has a bucket for every 16 to 32 pages; when it doubles, both halves begin with half
 * of the sums. Patterns that share a bucket share a prior, which their pages' own sums correct.
 */
final class SumsTable implements AutoCloseable {

    static final int ID_MAX = (1 << 20) - 1;
    static final int ENTRY = 6 * Float.BYTES;

    private static final int BUCKETS_MIN = 1 << 10;
    private static final int PAGES_PER_BUCKET = 32;
    private static final int HEADER = 4096;
    private static final byte[] MAGIC = "ORBRVSM1".getBytes(StandardCharsets.US_ASCII);
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Disk disk;
    private final Path file;
    private MappedFile mappedFile;
    private MemorySegment bytes;
    private int buckets;

    private SumsTable(Disk disk, Path file, MappedFile mappedFile, int buckets) {
        this.disk = disk;
        this.file = file;
        this.mappedFile = mappedFile;
        this.bytes = mappedFile.bytes();
        this.buckets = buckets;
    }

    /** Creates an empty table, instead of any earlier one. */
    static SumsTable create(Disk disk, Path file) throws IOException {
        var mappedFile = allocate(disk, file, BUCKETS_MIN);
        disk.moveAtomically(unfinished(file), file);
        return new SumsTable(disk, file, mappedFile, BUCKETS_MIN);
    }

    /**
     * Opens a table.
     *
     * @throws IOException also if the file is not a table
     */
    static SumsTable open(Disk disk, Path file) throws IOException {
        disk.delete(unfinished(file));
        return read(disk, file);
    }

    /** Maps a table that another process may be changing. */
    static SumsTable read(Disk disk, Path file) throws IOException {
        var mappedFile = disk.reopen(file);
        var bytes = mappedFile.bytes();
        var buckets = (bytes.byteSize() - HEADER) / ENTRY;
        if (buckets < BUCKETS_MIN
                || buckets > ID_MAX + 1
                || bytes.byteSize() != length((int) buckets)
                || Long.bitCount(buckets) != 1
                || !RevisitStore.hasMagic(bytes, MAGIC)) {
            mappedFile.close();
            throw new IOException(file + " is not a table of change rates of this version");
        }
        return new SumsTable(disk, file, mappedFile, (int) buckets);
    }

    private static Path unfinished(Path file) {
        return file.resolveSibling(file.getFileName() + ".unfinished");
    }

    private static MappedFile allocate(Disk disk, Path file, int buckets) throws IOException {
        var mappedFile = disk.allocate(unfinished(file), length(buckets));
        MemorySegment.copy(MAGIC, 0, mappedFile.bytes(), ValueLayout.JAVA_BYTE, 0, MAGIC.length);
        return mappedFile;
    }

    private static long length(int buckets) {
        return HEADER + (long) buckets * ENTRY;
    }

    /** Returns whether all sums are possible ones. */
    boolean isValid() {
        for (var at = (long) HEADER; at < bytes.byteSize(); at += Float.BYTES) {
            var sum = bytes.get(FLOAT, at);
            if (!(sum >= 0 && sum < Float.POSITIVE_INFINITY)) {
                return false;
            }
        }
        return true;
    }

    int buckets() {
        return buckets;
    }

    boolean isFull(long pages) {
        return pages > (long) buckets * PAGES_PER_BUCKET && buckets <= ID_MAX;
    }

    Sums get(int id) {
        return read(bytes, at(id));
    }

    long at(int id) {
        return HEADER + (long) (id & (buckets - 1)) * ENTRY;
    }

    static Sums read(MemorySegment bytes, long at) {
        return new Sums(
                bytes.get(FLOAT, at),
                bytes.get(FLOAT, at + 4),
                bytes.get(FLOAT, at + 8),
                bytes.get(FLOAT, at + 12),
                bytes.get(FLOAT, at + 16),
                bytes.get(FLOAT, at + 20));
    }

    static void write(MemorySegment bytes, long at, Sums sums) {
        bytes.set(FLOAT, at, (float) sums.days());
        bytes.set(FLOAT, at + 4, (float) sums.changes());
        bytes.set(FLOAT, at + 8, (float) sums.signalDays());
        bytes.set(FLOAT, at + 12, (float) sums.trueSignals());
        bytes.set(FLOAT, at + 16, (float) sums.falseSignals());
        bytes.set(FLOAT, at + 20, (float) sums.silentChanges());
    }

    MemorySegment bytes() {
        return bytes;
    }

    /** Doubles the table. */
    void grow() throws IOException {
        var next = allocate(disk, file, 2 * buckets);
        for (var i = 0; i < buckets; i++) {
            var half = read(bytes, at(i)).half();
            write(next.bytes(), HEADER + (long) i * ENTRY, half);
            write(next.bytes(), HEADER + (long) (i + buckets) * ENTRY, half);
        }
        try {
            disk.moveAtomically(unfinished(file), file);
        } catch (IOException | RuntimeException e) {
            next.close();
            throw e;
        }
        mappedFile.close();
        mappedFile = next;
        bytes = next.bytes();
        buckets *= 2;
    }

    void force() {
        RevisitStore.force(bytes);
    }

    @Override
    public void close() {
        mappedFile.close();
    }
}
