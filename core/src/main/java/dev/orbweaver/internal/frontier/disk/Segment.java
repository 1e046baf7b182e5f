package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.MappedFile;
import dev.orbweaver.internal.frontier.FrontierDamagedException;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * An immutable file of queued URLs, {@code segment-N}: runs, in the order of queue and rank. Beside
 * it is {@code segment-N.index}: for each queue and rank that has URLs here, in the same order,
 * where its runs begin and how many URLs they have.
 */
final class Segment implements AutoCloseable {

    static final byte VERSION = 2;
    static final int HEADER = 8;
    static final byte[] MAGIC = "ORBSEGM".getBytes(StandardCharsets.US_ASCII);

    /** Length of an index entry: queue and rank in four bytes, count in four, offset in eight. */
    static final int ENTRY = 16;

    /**
     * Length of the index's footer: entries, URLs, the segment's length, CRC-32C of everything
     * before it.
     */
    static final int FOOTER = 28;

    static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int RANK_BITS = 5;
    private static final int CRC_STEP = 1 << 16;

    final long number;
    final long urls;
    final int entries;
    private final Path file;
    private final MappedFile blocks;
    private final MappedFile index;

    /** URLs that have not been taken. */
    long remaining;

    private Segment(
            Path file, long number, MappedFile runs, MappedFile index, int entries, long urls) {
        this.file = file;
        this.number = number;
        this.blocks = runs;
        this.index = index;
        this.entries = entries;
        this.urls = urls;
        this.remaining = urls;
    }

    static Path file(Path directory, long number) {
        return directory.resolve("segment-" + number);
    }

    static Path indexOf(Path file) {
        return file.resolveSibling(file.getFileName() + ".index");
    }

    /** Encodes a queue and a rank as one number. */
    static int key(int queue, int rank) {
        if (queue > Integer.MAX_VALUE >> RANK_BITS) {
            throw new IllegalStateException("too many queues: " + queue);
        }
        return (queue << RANK_BITS) | rank;
    }

    static int queueOf(int key) {
        return key >> RANK_BITS;
    }

    static int rankOf(int key) {
        return key & ((1 << RANK_BITS) - 1);
    }

    static Segment open(Disk disk, Path directory, long number) throws IOException {
        var file = file(directory, number);
        if (!disk.exists(file) || !disk.exists(indexOf(file))) {
            throw damaged(indexOf(file), "is missing, or its segment is");
        }
        var runs = disk.map(file);
        try {
            return open(disk, file, number, runs);
        } catch (IOException | RuntimeException e) {
            runs.close();
            throw e;
        }
    }

    private static Segment open(Disk disk, Path file, long number, MappedFile runs)
            throws IOException {
        var index = disk.map(indexOf(file));
        try {
            return check(file, number, runs, index);
        } catch (IOException | RuntimeException e) {
            index.close();
            throw e;
        }
    }

    private static Segment check(Path file, long number, MappedFile runs, MappedFile index)
            throws IOException {
        var bytes = index.bytes();
        var entriesEnd = bytes.byteSize() - FOOTER;
        if (entriesEnd < HEADER || runs.bytes().byteSize() < HEADER) {
            throw damaged(indexOf(file), "or its segment is truncated");
        }
        checkHeader(file, runs.bytes());
        checkHeader(indexOf(file), bytes);
        var entries = bytes.get(LONG, entriesEnd);
        var urls = bytes.get(LONG, entriesEnd + 8);
        var length = bytes.get(LONG, entriesEnd + 16);
        if (entries * ENTRY != entriesEnd - HEADER
                || length != runs.bytes().byteSize()
                || crc(bytes.asSlice(HEADER, entriesEnd - HEADER + 24))
                        != bytes.get(INT, entriesEnd + 24)) {
            throw damaged(indexOf(file), "does not match its segment");
        }
        return new Segment(file, number, runs, index, Math.toIntExact(entries), urls);
    }

    private static void checkHeader(Path file, MemorySegment bytes) throws IOException {
        for (var i = 0; i < MAGIC.length; i++) {
            if (bytes.get(ValueLayout.JAVA_BYTE, i) != MAGIC[i]) {
                throw damaged(file, "is not an Orbweaver segment");
            }
        }
        var version = bytes.get(ValueLayout.JAVA_BYTE, MAGIC.length);
        if (version != VERSION) {
            throw damaged(
                    file,
                    "has version %d instead of %d, so another version of Orbweaver wrote it or it is damaged"
                            .formatted(version, VERSION));
        }
    }

    private static int crc(MemorySegment bytes) {
        var crc = new CRC32C();
        var buffer = new byte[CRC_STEP];
        for (var at = 0L; at < bytes.byteSize(); at += CRC_STEP) {
            var count = (int) Math.min(CRC_STEP, bytes.byteSize() - at);
            MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, at, buffer, 0, count);
            crc.update(buffer, 0, count);
        }
        return (int) crc.getValue();
    }

    static IOException damaged(Path file, String how) {
        return new FrontierDamagedException(file, how);
    }

    /** Returns the entry of a queue and rank, or -1. */
    int find(int key) {
        var bytes = index.bytes();
        var low = 0;
        var high = entries - 1;
        while (low <= high) {
            var middle = (low + high) >>> 1;
            var there = bytes.get(INT, HEADER + (long) middle * ENTRY);
            if (there == key) {
                return middle;
            }
            if (there < key) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    int key(int entry) {
        return index.bytes().get(INT, HEADER + (long) entry * ENTRY);
    }

    int count(int entry) {
        return index.bytes().get(INT, HEADER + (long) entry * ENTRY + 4);
    }

    long offset(int entry) {
        return index.bytes().get(LONG, HEADER + (long) entry * ENTRY + 8);
    }

    MemorySegment bytes() {
        return blocks.bytes();
    }

    int urlsInBlock(long run) throws IOException {
        try {
            return UrlBlockReader.count(bytes(), run);
        } catch (IOException e) {
            throw damaged(e);
        }
    }

    long nextBlock(long run) throws IOException {
        try {
            return UrlBlockReader.next(bytes(), run);
        } catch (IOException e) {
            throw damaged(e);
        }
    }

    IOException damaged(IOException cause) {
        var named = damaged(file, "is damaged (" + cause.getMessage() + ")");
        named.initCause(cause);
        return named;
    }

    @Override
    public void close() {
        blocks.close();
        index.close();
    }
}
