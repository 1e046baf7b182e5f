package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.Findings;
import dev.orbweaver.internal.disk.MappedFile;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Finds the location of archived payloads by digest: a hash table in a memory-mapped file.
 *
 * <p>The page log is authoritative. This table only speeds up lookups, so a wrong entry does no
 * harm: the caller reads the record at the location and compares its digest. The table must not
 * grow without limit, so from {@link #SLOTS_MAX} on a new entry replaces the oldest of the few
 * slots that it could use; a payload removed that way is stored again.
 *
 * <p>The file: {@code ORBDIGS1}, the number of slots (8 bytes), then slots of 32 bytes: the first 8
 * bytes of the digest, never 0; the capture's number; the offset; the number in the WARC file's
 * name (4 bytes) and the record's length (4 bytes), all big-endian. A file with another format is
 * rebuilt from the page log. Slots of captures that a crash rolled back are cleared on opening.
 */
final class DigestIndex implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DigestIndex.class);

    static final int SLOTS_MAX = 1 << 20;

    private static final int SLOTS_INITIAL = 1 << 10;
    private static final int PROBES_MAX = 16;
    private static final long MAGIC = 0x4f52424449475331L;
    private static final int HEAD = 16;
    private static final int SLOT = 32;

    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final Disk disk;
    private final Path file;
    private MappedFile mappedFile;
    private int slots;
    private int used;

    record IndexedRecord(long capture, int serial, long offset, int length) {}

    private DigestIndex(Disk disk, Path file, MappedFile mappedFile, int slots) {
        this.disk = disk;
        this.file = file;
        this.mappedFile = mappedFile;
        this.slots = slots;
    }

    /** Opens the table; empty if there is no usable one. */
    static Optional<DigestIndex> open(Disk disk, Path directory, long lastCapture)
            throws IOException {
        var file = directory.resolve(DirectoryLayout.DIGEST_INDEX);
        if (!disk.exists(file) || disk.length(file) < HEAD + (long) SLOT * SLOTS_INITIAL) {
            return Optional.empty();
        }
        var mappedFile = disk.reopen(file);
        if (!isValid(mappedFile.bytes())) {
            LOG.warn("{} is damaged; rebuilding it from the page log", file);
            mappedFile.close();
            return Optional.empty();
        }
        var slots = (int) mappedFile.bytes().get(LONG, 8);
        var index = new DigestIndex(disk, file, mappedFile, slots);
        index.clearAfter(lastCapture);
        return Optional.of(index);
    }

    /** Opens the table of another crawl, which may be writing it; empty if it is not usable. */
    static Optional<DigestIndex> openReadOnly(Disk disk, Path file) throws IOException {
        if (!disk.exists(file) || disk.length(file) == 0) {
            return Optional.empty();
        }
        var mappedFile = disk.map(file);
        if (!isValid(mappedFile.bytes())) {
            mappedFile.close();
            return Optional.empty();
        }
        var slots = (int) mappedFile.bytes().get(LONG, 8);
        return Optional.of(new DigestIndex(disk, file, mappedFile, slots));
    }

    private static boolean isValid(MemorySegment bytes) {
        if (bytes.byteSize() < HEAD) {
            return false;
        }
        var slots = bytes.get(LONG, 8);
        return bytes.get(LONG, 0) == MAGIC
                && slots >= SLOTS_INITIAL
                && slots <= SLOTS_MAX
                && Long.bitCount(slots) == 1
                && bytes.byteSize() == HEAD + slots * SLOT;
    }

    /** Creates an empty table; replaces any existing one. */
    static DigestIndex create(Disk disk, Path file) throws IOException {
        return new DigestIndex(disk, file, allocate(disk, file, SLOTS_INITIAL), SLOTS_INITIAL);
    }

    private static MappedFile allocate(Disk disk, Path file, int slots) throws IOException {
        var mappedFile = disk.allocate(file, HEAD + (long) SLOT * slots);
        mappedFile.bytes().set(LONG, 8, slots);
        mappedFile.bytes().set(LONG, 0, MAGIC);
        return mappedFile;
    }

    private void clearAfter(long lastCapture) {
        var bytes = mappedFile.bytes();
        for (var slot = 0; slot < slots; slot++) {
            var at = at(slot);
            if (bytes.get(LONG, at) != 0) {
                if (bytes.get(LONG, at + 8) > lastCapture) {
                    bytes.set(LONG, at, 0);
                } else {
                    used++;
                }
            }
        }
    }

    private static long at(int slot) {
        return HEAD + (long) SLOT * slot;
    }

    /** Returns the location of the first payload with this digest, if known. */
    synchronized Optional<IndexedRecord> find(long digest) {
        var bytes = mappedFile.bytes();
        for (var i = 0; i < PROBES_MAX; i++) {
            var at = at(slot(digest, i, slots));
            if (bytes.get(LONG, at) == digest) {
                return Optional.of(
                        new IndexedRecord(
                                bytes.get(LONG, at + 8),
                                bytes.get(INT, at + 24),
                                bytes.get(LONG, at + 16),
                                bytes.get(INT, at + 28)));
            }
        }
        return Optional.empty();
    }

    /** Adds a payload unless its digest is known. */
    synchronized void add(long digest, IndexedRecord indexedRecord) {
        if (used >= slots / 2 && slots < SLOTS_MAX) {
            grow();
        }
        if (put(mappedFile.bytes(), slots, digest, indexedRecord)) {
            used++;
        }
    }

    /** Stores an entry; returns whether it filled an empty slot. */
    private static boolean put(
            MemorySegment bytes, int slots, long digest, IndexedRecord indexedRecord) {
        var oldest = Long.MAX_VALUE;
        var at = 0L;
        for (var i = 0; i < PROBES_MAX; i++) {
            var candidate = at(slot(digest, i, slots));
            var there = bytes.get(LONG, candidate);
            if (there == digest) {
                return false;
            }
            if (there == 0) {
                write(bytes, candidate, digest, indexedRecord);
                return true;
            }
            if (bytes.get(LONG, candidate + 8) < oldest) {
                oldest = bytes.get(LONG, candidate + 8);
                at = candidate;
            }
        }
        write(bytes, at, digest, indexedRecord);
        return false;
    }

    private static void write(
            MemorySegment bytes, long at, long digest, IndexedRecord indexedRecord) {
        bytes.set(LONG, at + 8, indexedRecord.capture);
        bytes.set(LONG, at + 16, indexedRecord.offset);
        bytes.set(INT, at + 24, indexedRecord.serial);
        bytes.set(INT, at + 28, indexedRecord.length);
        bytes.set(LONG, at, digest);
    }

    /** Returns a slot. A digest is uniformly distributed, so its own bits choose the slot. */
    private static int slot(long digest, int neighbour, int slots) {
        return (int) ((digest >>> 32) + neighbour) & (slots - 1);
    }

    /** Grows the table; without space for a larger one, continues with the old one. */
    private void grow() {
        var unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        @Nullable MappedFile larger = null;
        try {
            larger = allocate(disk, unfinished, slots * 2);
            used = copy(larger.bytes(), slots * 2);
            disk.moveAtomically(unfinished, file);
            mappedFile.close();
            mappedFile = larger;
            slots *= 2;
        } catch (IOException e) {
            LOG.warn(
                    "could not grow the digest index, continuing with the old one: {}",
                    e.getMessage());
            if (larger != null) {
                larger.close();
            }
            used = 0; // Retried after the same number of further entries.
        }
    }

    private int copy(MemorySegment to, int toSlots) {
        var bytes = mappedFile.bytes();
        var copied = 0;
        for (var slot = 0; slot < slots; slot++) {
            var at = at(slot);
            var digest = bytes.get(LONG, at);
            if (digest != 0) {
                var indexedRecord =
                        new IndexedRecord(
                                bytes.get(LONG, at + 8),
                                bytes.get(INT, at + 24),
                                bytes.get(LONG, at + 16),
                                bytes.get(INT, at + 28));
                copied += put(to, toSlots, digest, indexedRecord) ? 1 : 0;
            }
        }
        return copied;
    }

    @Override
    public synchronized void close() {
        mappedFile.close();
    }

    /** Checks that every slot matches an entry of the page log; entries are passed in order. */
    static final class Check implements AutoCloseable {

        /** An upper bound of the captures in one batch. */
        private static final long BATCH_MAX = 1024;

        private static final String REBUILD_HINT = "; delete it, it is rebuilt from the page log";

        private final Path file;
        private final Findings findings;
        private final @Nullable MappedFile mappedFile;
        private final boolean batchOpen;
        private long matched;

        private Check(
                Path file, Findings findings, @Nullable MappedFile mappedFile, boolean batchOpen) {
            this.batchOpen = batchOpen;
            this.file = file;
            this.findings = findings;
            this.mappedFile = mappedFile;
        }

        static Check of(Disk disk, Path directory, Findings findings) throws IOException {
            var file = directory.resolve(DirectoryLayout.DIGEST_INDEX);
            if (!disk.exists(file)) {
                return new Check(file, findings, null, false);
            }
            var mappedFile = disk.map(file);
            if (isValid(mappedFile.bytes())) {
                return new Check(
                        file,
                        findings,
                        mappedFile,
                        disk.exists(directory.resolve(DirectoryLayout.BATCH_START)));
            }
            mappedFile.close();
            findings.damage(file, "the index has an unknown format" + REBUILD_HINT);
            return new Check(file, findings, null, false);
        }

        void addEntry(PageLogEntry entry) {
            if (mappedFile == null || !WarcRecords.isOriginal(entry)) {
                return;
            }
            var bytes = mappedFile.bytes();
            var key = RevisitLookup.digestKey(entry.digest());
            if (key.isEmpty()) {
                return; // Reported when the line is compared with its record.
            }
            var digest = key.getAsLong();
            for (var i = 0; i < PROBES_MAX; i++) {
                var at = at(slot(digest, i, (int) bytes.get(LONG, 8)));
                if (bytes.get(LONG, at) == digest
                        && bytes.get(LONG, at + 8) == entry.seq()
                        && bytes.get(LONG, at + 16) == entry.offset()
                        && bytes.get(INT, at + 24) == WarcFiles.serial(entry.warc()).orElse(0)
                        && bytes.get(INT, at + 28) == entry.length()) {
                    matched++;
                }
            }
        }

        /** Counts the slots; those of an uncommitted batch do not count. */
        void finish(long lastCapture) {
            if (mappedFile == null) {
                return;
            }
            var bytes = mappedFile.bytes();
            var used = 0L;
            for (var at = (long) HEAD; at < bytes.byteSize(); at += SLOT) {
                var capture = bytes.get(LONG, at + 8);
                var uncommitted =
                        batchOpen && capture > lastCapture && capture <= lastCapture + BATCH_MAX;
                if (bytes.get(LONG, at) != 0 && !uncommitted) {
                    used++;
                }
            }
            if (used != matched) {
                findings.damage(
                        file, (used - matched) + " slots do not match the page log" + REBUILD_HINT);
            }
        }

        @Override
        public void close() {
            if (mappedFile != null) {
                mappedFile.close();
            }
        }
    }
}
