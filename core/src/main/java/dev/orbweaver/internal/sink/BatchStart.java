package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.MappedFile;
import dev.orbweaver.internal.disk.RunningChecksum;
import dev.orbweaver.model.CommittedLength;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * The page log's mark on which the batch being written builds, in a file of 16 bytes seen as
 * memory.
 *
 * <p>Bytes behind a mark are what an interrupted batch left only if that batch began at this very
 * mark. If it began later, the frontier has lost commits, and the bytes are captures. Every batch
 * with captures adds a line to the page log, so that log's mark alone identifies the batch.
 *
 * <p>A sink that is closed after the frontier confirmed its last batch deletes the file. The file:
 * length (8 bytes), checksum (4), CRC-32C of these 12 bytes (4), big-endian. It is never synced:
 * after a loss of power it may be wrong, and then bytes are kept that could have been cut.
 */
final class BatchStart implements AutoCloseable {

    private static final int FIELDS = 12;
    private static final int SIZE = 16;

    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final MappedFile mappedFile;

    private BatchStart(MappedFile mappedFile) {
        this.mappedFile = mappedFile;
    }

    /** Makes the file when it is missing or has another length. */
    static BatchStart open(Disk disk, Path directory) throws IOException {
        var file = directory.resolve(DirectoryLayout.BATCH_START);
        var there = disk.exists(file) && disk.length(file) == SIZE;
        return new BatchStart(there ? disk.reopen(file) : disk.allocate(file, SIZE));
    }

    void set(CommittedLength log) {
        var bytes = mappedFile.bytes();
        bytes.set(LONG, 0, log.length());
        bytes.set(INT, 8, log.checksum());
        bytes.set(INT, FIELDS, checksum(bytes));
    }

    /** The mark at which the last batch began; empty when it is unknown. */
    static Optional<CommittedLength> read(Disk disk, Path directory) throws IOException {
        var file = directory.resolve(DirectoryLayout.BATCH_START);
        if (!disk.exists(file) || disk.length(file) != SIZE) {
            return Optional.empty();
        }
        var bytes = MemorySegment.ofArray(disk.read(file));
        return bytes.get(INT, FIELDS) == checksum(bytes)
                ? Optional.of(
                        new CommittedLength(
                                DirectoryLayout.PAGE_LOG, bytes.get(LONG, 0), bytes.get(INT, 8)))
                : Optional.empty();
    }

    /** Whether there is a file with neither a mark nor the zeroes that it begins with. */
    static boolean isDamaged(Disk disk, Path directory) throws IOException {
        var file = directory.resolve(DirectoryLayout.BATCH_START);
        return disk.exists(file)
                && read(disk, directory).isEmpty()
                && !Arrays.equals(disk.read(file), new byte[SIZE]);
    }

    private static int checksum(MemorySegment bytes) {
        var fields = ByteBuffer.allocate(FIELDS);
        fields.putLong(bytes.get(LONG, 0)).putInt(bytes.get(INT, 8));
        return RunningChecksum.of(fields.array());
    }

    @Override
    public void close() {
        mappedFile.close();
    }
}
