package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.AppendFile;
import dev.orbweaver.disk.Disk;
import dev.orbweaver.frontier.PackedOut;
import dev.orbweaver.frontier.UrlSlip;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** Writes a {@link Segment}: URLs must come in the order of queue and band. */
final class SegmentWriter implements AutoCloseable {

    private static final int BUFFER = 1 << 20;

    private final AppendFile runs;
    private final AppendFile index;
    private final RunWriter run = new RunWriter();
    private final PackedOut runBytes = new PackedOut(BUFFER + (1 << 17));
    private final PackedOut indexBytes = new PackedOut(BUFFER + Segment.ENTRY);
    private final CRC32C crc = new CRC32C();
    private int key = -1;
    private int count;
    private long begun;
    private long entries;
    private long urls;

    SegmentWriter(Disk disk, Path file) throws IOException {
        disk.delete(file);
        disk.delete(Segment.indexOf(file));
        runs = disk.append(file);
        try {
            index = disk.append(Segment.indexOf(file));
        } catch (IOException | RuntimeException e) {
            runs.close();
            throw e;
        }
        header(runBytes);
        header(indexBytes);
    }

    private static void header(PackedOut out) {
        out.bytes(Segment.MAGIC, 0, Segment.MAGIC.length).octet(Segment.VERSION);
    }

    void add(int queue, int band, UrlSlip slip) throws IOException {
        turnTo(Segment.key(queue, band));
        run.add(slip);
        count++;
        urls++;
        if (run.isFull()) {
            finishRun();
        }
    }

    /** Takes over a whole run as it is; one that is much too short is not worth it. */
    boolean copy(int nextKey, MemorySegment file, long offset) throws IOException {
        var many = RunReader.count(file, offset);
        if (many < RunWriter.URLS_MAX / 2) {
            return false;
        }
        turnTo(nextKey);
        if (!run.isEmpty()) {
            finishRun();
        }
        var length = RunReader.length(file, offset);
        runBytes.reserve(length);
        MemorySegment.copy(
                file,
                ValueLayout.JAVA_BYTE,
                offset,
                runBytes.array(),
                runBytes.length() - length,
                length);
        count += many;
        urls += many;
        flushIfFull();
        return true;
    }

    private void turnTo(int next) throws IOException {
        if (next != key) {
            endEntry();
            if (next < key) {
                throw new IllegalStateException("out of order: " + next + " after " + key);
            }
            key = next;
            begun = position();
        }
    }

    private long position() {
        return runs.length() + runBytes.length();
    }

    private void finishRun() throws IOException {
        run.finish(runBytes);
        flushIfFull();
    }

    private void flushIfFull() throws IOException {
        if (runBytes.length() >= BUFFER) {
            flush(runs, runBytes);
        }
    }

    private void endEntry() throws IOException {
        if (!run.isEmpty()) {
            finishRun();
        }
        if (count > 0) {
            var start = indexBytes.length();
            indexBytes.bigEndian(key, 4).bigEndian(count, 4).bigEndian(begun, 8);
            crc.update(indexBytes.array(), start, Segment.ENTRY);
            entries++;
            count = 0;
            if (indexBytes.length() >= BUFFER) {
                flush(index, indexBytes);
            }
        }
    }

    private static void flush(AppendFile file, PackedOut bytes) throws IOException {
        file.append(ByteBuffer.wrap(bytes.array(), 0, bytes.length()));
        bytes.cut(0);
    }

    /** How many URLs were written. */
    long urls() {
        return urls;
    }

    /** Makes the segment whole and durable. */
    void finish() throws IOException {
        endEntry();
        flush(runs, runBytes);
        var start = indexBytes.length();
        indexBytes.bigEndian(entries, 8).bigEndian(urls, 8).bigEndian(runs.length(), 8);
        crc.update(indexBytes.array(), start, indexBytes.length() - start);
        indexBytes.bigEndian(crc.getValue(), 4);
        flush(index, indexBytes);
        runs.sync();
        index.sync();
    }

    @Override
    public void close() throws IOException {
        try (runs;
                index;
                run) {
            runBytes.cut(0);
        }
    }
}
