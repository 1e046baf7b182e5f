package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.AppendFile;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.UrlRecordBuffer;
import dev.orbweaver.internal.frontier.VarintWriter;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** Writes a {@link Segment}. URLs must be added in the order of queue and rank. */
final class SegmentWriter implements AutoCloseable {

    private static final int BUFFER = 1 << 20;

    private final AppendFile blocks;
    private final AppendFile index;
    private final UrlBlockWriter block = new UrlBlockWriter();
    private final VarintWriter blockBytes = new VarintWriter(BUFFER + (1 << 17));
    private final VarintWriter indexBytes = new VarintWriter(BUFFER + Segment.ENTRY);
    private final CRC32C crc = new CRC32C();
    private int key = -1;
    private int count;
    private long entryStart;
    private long entries;
    private long urls;

    SegmentWriter(Disk disk, Path file) throws IOException {
        disk.delete(file);
        disk.delete(Segment.indexOf(file));
        blocks = disk.append(file);
        try {
            index = disk.append(Segment.indexOf(file));
        } catch (IOException | RuntimeException e) {
            blocks.close();
            throw e;
        }
        header(blockBytes);
        header(indexBytes);
    }

    private static void header(VarintWriter out) {
        out.bytes(Segment.MAGIC, 0, Segment.MAGIC.length).octet(Segment.VERSION);
    }

    void add(int queue, int rank, UrlRecordBuffer urlRecord) throws IOException {
        startEntry(Segment.key(queue, rank));
        block.add(urlRecord);
        count++;
        urls++;
        if (block.isFull()) {
            finishBlock();
        }
    }

    /** Copies a whole run unchanged; returns false if it is too short to be worth copying. */
    boolean copy(int nextKey, MemorySegment file, long offset) throws IOException {
        var many = UrlBlockReader.count(file, offset);
        if (many < UrlBlockWriter.URLS_MAX / 2) {
            return false;
        }
        startEntry(nextKey);
        if (!block.isEmpty()) {
            finishBlock();
        }
        var length = UrlBlockReader.length(file, offset);
        blockBytes.reserve(length);
        MemorySegment.copy(
                file,
                ValueLayout.JAVA_BYTE,
                offset,
                blockBytes.array(),
                blockBytes.length() - length,
                length);
        count += many;
        urls += many;
        flushIfFull();
        return true;
    }

    private void startEntry(int next) throws IOException {
        if (next != key) {
            endEntry();
            if (next < key) {
                throw new IllegalStateException("out of order: " + next + " after " + key);
            }
            key = next;
            entryStart = position();
        }
    }

    private long position() {
        return blocks.length() + blockBytes.length();
    }

    private void finishBlock() throws IOException {
        block.finish(blockBytes);
        flushIfFull();
    }

    private void flushIfFull() throws IOException {
        if (blockBytes.length() >= BUFFER) {
            flush(blocks, blockBytes);
        }
    }

    private void endEntry() throws IOException {
        if (!block.isEmpty()) {
            finishBlock();
        }
        if (count > 0) {
            var start = indexBytes.length();
            indexBytes.bigEndian(key, 4).bigEndian(count, 4).bigEndian(entryStart, 8);
            crc.update(indexBytes.array(), start, Segment.ENTRY);
            entries++;
            count = 0;
            if (indexBytes.length() >= BUFFER) {
                flush(index, indexBytes);
            }
        }
    }

    private static void flush(AppendFile file, VarintWriter bytes) throws IOException {
        file.append(ByteBuffer.wrap(bytes.array(), 0, bytes.length()));
        bytes.truncate(0);
    }

    long urls() {
        return urls;
    }

    void finish() throws IOException {
        endEntry();
        flush(blocks, blockBytes);
        var start = indexBytes.length();
        indexBytes.bigEndian(entries, 8).bigEndian(urls, 8).bigEndian(blocks.length(), 8);
        crc.update(indexBytes.array(), start, indexBytes.length() - start);
        indexBytes.bigEndian(crc.getValue(), 4);
        flush(index, indexBytes);
        blocks.sync();
        index.sync();
    }

    @Override
    public void close() throws IOException {
        try (blocks;
                index;
                block) {
            blockBytes.truncate(0);
        }
    }
}
