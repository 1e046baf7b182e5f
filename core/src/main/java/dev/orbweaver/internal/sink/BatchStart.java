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
 * Records the committed length of the page log at which the current batch began, in a memory-mapped
 * file of 16 bytes.
 *
 * <p>Bytes after a committed length are the remains of an interrupted batch only if that batch
 * began at exactly this length. If it began later, the frontier has lost commits, and the bytes are
 * captures. Every batch with captures adds a line to the page log, so that log's committed length
 * alone identifies the batch.
 *
 * <p>A sink that is closed after the frontier confirmed its last batch deletes the file. The file
 * format: length (8 bytes), checksum (4), CRC-32C of these 12 bytes (4), big-endian. It is never
 * synced: after a loss of power it may be wrong, and then bytes are kept that could have been
 * truncated.
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

    /** Opens the file; creates it if it is missing or has another length. */
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

    /** Returns the committed length at which the last batch began; empty if unknown. */
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

    /** Returns whether there is a file with neither a valid entry nor its initial zeros. */
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
