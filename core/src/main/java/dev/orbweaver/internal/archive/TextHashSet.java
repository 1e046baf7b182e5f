package dev.orbweaver.internal.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.url.FingerprintKey;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A set of text hashes in a temporary file instead of the heap.
 *
 * <p>It is an open-addressing table over a mapped file with two numbers per slot: 128 bits of a
 * SHA-256, so collisions are not a practical concern. It is sized for the maximum number of lines
 * that a log of a known length can have, and never grows. The file is sparse, so only used slots
 * occupy disk space.
 */
public final class TextHashSet implements AutoCloseable {

    /** A lower bound of the length of a page log line. */
    private static final long LINE_BYTES_MIN = 64;

    private static final long SLOT_BYTES = 2 * Long.BYTES;
    private static final long SLOTS_MIN = 1024;

    /** Prevents a site from choosing texts that collide in one part of the table. */
    private final byte[] salt = FingerprintKey.random().bytes();

    private final Path file;
    private final Arena arena;
    private final MemorySegment slots;
    private final long mask;

    private TextHashSet(Path file, long count) throws IOException {
        this.file = file;
        this.mask = count - 1;
        this.arena = Arena.ofConfined();
        try (var channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            slots = channel.map(FileChannel.MapMode.READ_WRITE, 0, count * SLOT_BYTES, arena);
        }
    }

    public static TextHashSet sizedForLog(long bytes) throws IOException {
        var lines = Math.max(SLOTS_MIN, 2 * (bytes / LINE_BYTES_MIN + 1));
        var file = Files.createTempFile("orbweaver-seen", ".table");
        try {
            return new TextHashSet(file, Long.highestOneBit(lines - 1) << 1);
        } catch (IOException | RuntimeException e) {
            Files.deleteIfExists(file);
            throw e;
        }
    }

    /** Adds the text and returns whether it was new. */
    public boolean add(String text) {
        return find(text, true);
    }

    public boolean contains(String text) {
        return !find(text, false);
    }

    /** Returns whether a text is new. */
    private boolean find(String text, boolean adds) {
        var digest = Hashes.sha256();
        digest.update(salt);
        var hash = digest.digest(text.getBytes(UTF_8));
        var high = Hashes.number(hash, 0);
        // A slot is empty if its second number is zero, so no hash may have a zero there.
        var low = Hashes.number(hash, Long.BYTES) | 1;
        for (var slot = high & mask; ; slot = (slot + 1) & mask) {
            var at = slot * SLOT_BYTES;
            var there = slots.get(ValueLayout.JAVA_LONG, at + Long.BYTES);
            if (there == 0 && !adds) {
                return true;
            }
            if (there == 0) {
                slots.set(ValueLayout.JAVA_LONG, at, high);
                slots.set(ValueLayout.JAVA_LONG, at + Long.BYTES, low);
                return true;
            }
            if (there == low && slots.get(ValueLayout.JAVA_LONG, at) == high) {
                return false;
            }
        }
    }

    @Override
    public void close() throws IOException {
        arena.close();
        Files.deleteIfExists(file);
    }
}
