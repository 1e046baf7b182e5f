package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.MappedFile;
import dev.orbweaver.internal.frontier.FingerprintSet;
import dev.orbweaver.model.Fingerprint;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.BitSet;

/**
 * An exact set of fingerprints in a file, read through the page cache.
 *
 * <p>The first 16 of a fingerprint's 80 bits choose one of 65,536 parts; the other 64 are stored. A
 * part is a row of slots of eight bytes, at most four fifths of them full on average. The first
 * bits of the stored number choose where in the row probing begins, so that the numbers are nearly
 * sorted and growing is one pass from front to back. No row has an order that could be violated:
 * each store is a complete fingerprint or none, so the table is valid after a kill at any moment.
 * After a loss of power it may contain anything, which its count and checksum reveal; then it is
 * rebuilt from the log.
 *
 * <p>A fingerprint whose row is full is stored in an overflow area after the rows, which has space
 * for some thousand complete fingerprints and is mirrored in memory. So one crowded row does not
 * make all others longer; the table grows when it is full on average, or when the overflow area is
 * full.
 *
 * <p>The number 0 marks an empty slot. Parts that contain it (one of 2⁶⁴ fingerprints does) are
 * recorded separately, in memory, from the log.
 */
final class SeenTable implements AutoCloseable {

    interface KeyAction {
        void key(long high, short low);
    }

    private static final int PARTS = 1 << 16;
    private static final int SLOTS_MIN = 8;
    static final int OVERFLOW_MAX = 4096;
    private static final int OVERFLOW_ENTRY = 2 * Long.BYTES;

    /** Set in the second word of an overflow entry, which is stored last: the entry is complete. */
    private static final long WHOLE = 1L << 16;

    private static final int HEADER = 4096;
    private static final byte[] MAGIC = "ORBSEEN2".getBytes(StandardCharsets.US_ASCII);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.nativeOrder());

    private final Disk disk;
    private final Path file;
    private final BitSet zeroes = new BitSet();
    private FingerprintSet overflow = new FingerprintSet();
    private MappedFile mappedFile;
    private MemorySegment bytes;
    private int slots;
    private long count;
    private long checksum;

    private SeenTable(Disk disk, Path file, MappedFile mappedFile, int slots) {
        this.disk = disk;
        this.file = file;
        this.mappedFile = mappedFile;
        this.bytes = mappedFile.bytes();
        this.slots = slots;
    }

    /** Creates an empty table for {@code expected} fingerprints. */
    static SeenTable create(Disk disk, Path file, long expected) throws IOException {
        var slots = slotsFor(expected);
        return new SeenTable(disk, file, allocate(disk, unfinished(file), slots), slots)
                .rename(unfinished(file));
    }

    private SeenTable rename(Path from) throws IOException {
        disk.moveAtomically(from, file);
        return this;
    }

    /**
     * Opens and counts the table in a file.
     *
     * @throws IOException also if the file is not a table
     */
    static SeenTable open(Disk disk, Path file) throws IOException {
        disk.delete(unfinished(file));
        var mappedFile = disk.reopen(file);
        var bytes = mappedFile.bytes();
        var slots = bytes.byteSize() < HEADER ? 0 : bytes.get(LONG, MAGIC.length);
        if (slots < SLOTS_MIN
                || slots > Integer.MAX_VALUE
                || bytes.byteSize() != length((int) slots)
                || !hasMagic(bytes)) {
            mappedFile.close();
            throw new IOException(file + " is not a seen table of this version");
        }
        var table = new SeenTable(disk, file, mappedFile, (int) slots);
        table.readOverflow();
        table.recount();
        return table;
    }

    private static boolean hasMagic(MemorySegment bytes) {
        for (var i = 0; i < MAGIC.length; i++) {
            if (bytes.get(ValueLayout.JAVA_BYTE, i) != MAGIC[i]) {
                return false;
            }
        }
        return true;
    }

    private static Path unfinished(Path file) {
        return file.resolveSibling(file.getFileName() + ".unfinished");
    }

    private static MappedFile allocate(Disk disk, Path file, int slots) throws IOException {
        var mappedFile = disk.allocate(file, length(slots));
        MemorySegment.copy(MAGIC, 0, mappedFile.bytes(), ValueLayout.JAVA_BYTE, 0, MAGIC.length);
        mappedFile.bytes().set(LONG, MAGIC.length, slots);
        return mappedFile;
    }

    private static long length(int slots) {
        return overflowStart(slots) + (long) OVERFLOW_MAX * OVERFLOW_ENTRY;
    }

    private static long overflowStart(int slots) {
        return HEADER + (long) PARTS * slots * Long.BYTES;
    }

    /**
     * Returns slots for rows that are three fifths full, and some more for parts that get more than
     * their share.
     */
    private static int slotsFor(long expected) {
        return Math.toIntExact(Math.max(SLOTS_MIN, expected * 5 / 3 / PARTS + SLOTS_MIN));
    }

    long count() {
        return count;
    }

    /** Returns a checksum that does not depend on the order. */
    long checksum() {
        return checksum;
    }

    static long checksumOf(long high, short low) {
        var mixed = (high ^ (high >>> 29) ^ (low & 0xFFFFL)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 32)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    boolean contains(long high, short low) {
        var part = (int) (high >>> 48);
        var stored = stored(high, low);
        if (stored == 0) {
            return zeroes.get(part);
        }
        var at = slot(bytes, slots, part, stored);
        return at >= 0
                ? bytes.get(LONG, at) == stored
                : overflow.contains(new Fingerprint(high, low));
    }

    /** Returns the first slot that {@link #contains} reads. */
    long peek(long high, short low) {
        var begin = (int) (((stored(high, low) >>> 32) * slots) >>> 32);
        return bytes.get(LONG, HEADER + ((high >>> 48) * slots + begin) * Long.BYTES);
    }

    private static long stored(long high, short low) {
        return (high << 16) | (low & 0xFFFF);
    }

    /** Adds a fingerprint unless it is present. Returns false if there is no space for it. */
    boolean add(long high, short low) {
        var part = (int) (high >>> 48);
        var stored = stored(high, low);
        if (stored == 0) {
            if (!zeroes.get(part)) {
                zeroes.set(part);
                addToCount(high, low);
            }
            return true;
        }
        var at = slot(bytes, slots, part, stored);
        if (at < 0) {
            return addToOverflow(high, low);
        }
        if (bytes.get(LONG, at) == 0) {
            bytes.set(LONG, at, stored);
            addToCount(high, low);
        }
        return true;
    }

    private boolean addToOverflow(long high, short low) {
        var key = new Fingerprint(high, low);
        if (overflow.contains(key)) {
            return true;
        }
        if (overflow.size() == OVERFLOW_MAX) {
            return false;
        }
        putOverflow(key, bytes, slots, overflow);
        addToCount(high, low);
        return true;
    }

    private static void putOverflow(
            Fingerprint key, MemorySegment bytes, int slots, FingerprintSet overflow) {
        var at = overflowStart(slots) + overflow.size() * OVERFLOW_ENTRY;
        bytes.set(LONG, at, key.high());
        bytes.set(LONG, at + Long.BYTES, WHOLE | (key.low() & 0xFFFF));
        overflow.add(key);
    }

    private void addToCount(long high, short low) {
        count++;
        checksum += checksumOf(high, low);
    }

    /** Returns the slot of a number, or a free one for it; -1 if its row is full of others. */
    private static long slot(MemorySegment bytes, int slots, int part, long stored) {
        var row = HEADER + (long) part * slots * Long.BYTES;
        var begin = (int) (((stored >>> 32) * slots) >>> 32);
        for (var i = begin; i < slots; i++) {
            var at = row + (long) i * Long.BYTES;
            var there = bytes.get(LONG, at);
            if (there == 0 || there == stored) {
                return at;
            }
        }
        for (var i = 0; i < begin; i++) {
            var at = row + (long) i * Long.BYTES;
            var there = bytes.get(LONG, at);
            if (there == 0 || there == stored) {
                return at;
            }
        }
        return -1;
    }

    /** Returns whether the table should grow. */
    boolean isFull() {
        return count > (long) PARTS * slots * 4 / 5;
    }

    /**
     * Returns whether the rows have so much free space that growing would not help the crowded
     * ones.
     */
    boolean isSparse() {
        return count < (long) PARTS * slots / 4;
    }

    /** Grows the table by a third. */
    void grow() throws IOException {
        var wider = slots + Math.max(SLOTS_MIN, slots / 3);
        var next = allocate(disk, unfinished(file), wider);
        var target = next.bytes();
        for (var part = 0; part < PARTS; part++) {
            var row = HEADER + (long) part * slots * Long.BYTES;
            for (var i = 0; i < slots; i++) {
                var stored = bytes.get(LONG, row + (long) i * Long.BYTES);
                if (stored != 0) {
                    target.set(LONG, slot(target, wider, part, stored), stored);
                }
            }
        }
        var left = new FingerprintSet();
        overflow.forEach(key -> move(key, target, wider, left));
        try {
            disk.moveAtomically(unfinished(file), file);
        } catch (IOException | RuntimeException e) {
            next.close();
            throw e;
        }
        mappedFile.close();
        mappedFile = next;
        bytes = target;
        slots = wider;
        overflow = left;
    }

    /**
     * Moves a fingerprint of the overflow area into its row, or into the overflow area of the new
     * table.
     */
    private static void move(
            Fingerprint key, MemorySegment target, int slots, FingerprintSet overflow) {
        var stored = stored(key.high(), key.low());
        var at = slot(target, slots, (int) (key.high() >>> 48), stored);
        if (at >= 0) {
            target.set(LONG, at, stored);
        } else {
            putOverflow(key, target, slots, overflow);
        }
    }

    private void recount() {
        forEach(this::addToCount);
    }

    /** Reads the complete overflow entries; the area after them is empty. */
    private void readOverflow() {
        for (var at = overflowStart(slots); at < bytes.byteSize(); at += OVERFLOW_ENTRY) {
            var second = bytes.get(LONG, at + Long.BYTES);
            if (second == 0) {
                return;
            }
            overflow.add(new Fingerprint(bytes.get(LONG, at), (short) second));
        }
    }

    /** Passes every fingerprint in the rows and in the overflow area. */
    void forEach(KeyAction action) {
        overflow.forEach(key -> action.key(key.high(), key.low()));
        for (var part = 0; part < PARTS; part++) {
            var row = HEADER + (long) part * slots * Long.BYTES;
            for (var i = 0; i < slots; i++) {
                var stored = bytes.get(LONG, row + (long) i * Long.BYTES);
                if (stored != 0) {
                    action.key(((long) part << 48) | (stored >>> 16), (short) stored);
                }
            }
        }
    }

    /** Returns whether a fingerprint is one of those that are stored separately. */
    static boolean isZero(long high, short low) {
        return stored(high, low) == 0;
    }

    long bytes() {
        return bytes.byteSize();
    }

    @Override
    public void close() {
        mappedFile.close();
    }
}
