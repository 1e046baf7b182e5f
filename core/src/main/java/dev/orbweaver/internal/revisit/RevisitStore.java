package dev.orbweaver.internal.revisit;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.MappedFile;
import dev.orbweaver.internal.revisit.ChangeEstimate.Sums;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * The files of a revisit schedule: a row per page in {@code pages}, sums of hosts and patterns in
 * {@code rates}.
 *
 * <p>{@code pages} is a header and blocks of 4,096 pages. A block has three columns: due times, URL
 * hashes, rows. So a search for due pages reads four bytes per page, in order. The file grows by
 * whole blocks, by a sixty-fourth, and no page ever moves; pages are in the order of their first
 * lines.
 *
 * <p><b>Crash.</b> A visit changes a row, its due time and two sums. These changes are first
 * written to the header as one record with a checksum, and then carried out; opening carries out
 * the record again. After a kill at any moment a visit is therefore applied completely or not at
 * all. Due times alone are changed by a store of four bytes. Marks of queued pages are due times
 * too, and the record must not undo them: it is invalidated first.
 *
 * <p>After a loss of power, parts of the files may be older than others. Older rows are older
 * estimates, which do no harm.
 *
 * <p><b>Damage.</b> Closing stores a checksum of both files. An opening after a close compares it,
 * and one after a kill checks that every field, row and sum is a possible one, so that no other
 * method can fail because of them. Files that do not pass are discarded, and their content is built
 * from the page log again.
 */
final class RevisitStore implements AutoCloseable {

    static final String PAGES = "pages";
    static final String RATES = "rates";

    /** A field of the header: eight bytes. */
    enum Field {
        COUNT(8),
        POSITION(16),
        BATCH(24),
        LAMBDA(32),
        TOKENS(40),
        TOKENS_AT(48),
        DAY(56),
        USED(64),
        CLEAN(72),
        CHECKSUM(80),
        /** The last line of the page log that was applied. */
        LINE(88),
        /** Pages that are sources; a kill may make it wrong by one. */
        SOURCES(96),
        /** λ of the last pass over all due times, when it began, and the next page of it. */
        SWEPT_LAMBDA(104),
        SWEEP_BEGUN(112),
        SWEEP_PAGE(120);

        private final int at;

        Field(int at) {
            this.at = at;
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(RevisitStore.class);

    private static final int HEADER = 4096;
    private static final byte[] MAGIC = "ORBRVPG2".getBytes(StandardCharsets.US_ASCII);

    private static final int BLOCK_PAGES = 1 << 12;
    private static final int BLOCK_BYTES = BLOCK_PAGES * (2 * Integer.BYTES + PageRow.BYTES);
    private static final int GROWTH = 64;
    private static final long CHECKSUM_PIECE = 1 << 20;

    private static final int RECORD_AT = 1024;
    private static final int RECORD_SUMS = 48;
    private static final int RECORD_BYTES = RECORD_SUMS + 2 * (Integer.BYTES + SumsTable.ENTRY);
    private static final int NO_SUMS = -1;

    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Disk disk;
    private final Path file;
    private final SumsTable sums;
    private final byte[] record = new byte[RECORD_BYTES];
    private final MemorySegment recordBytes = MemorySegment.ofArray(record);
    private MappedFile mappedFile;
    private MemorySegment bytes;
    private int count;
    private boolean reading;

    private RevisitStore(Disk disk, Path file, MappedFile mappedFile, SumsTable sums) {
        this.disk = disk;
        this.file = file;
        this.sums = sums;
        this.mappedFile = mappedFile;
        this.bytes = mappedFile.bytes();
        this.count = (int) get(Field.COUNT);
    }

    /** Opens the files of a directory; creates them if there are none or they are damaged. */
    static RevisitStore open(Disk disk, Path directory) throws IOException {
        disk.createDirectory(directory);
        var file = directory.resolve(PAGES);
        if (disk.exists(file)) {
            try {
                return openExisting(disk, directory);
            } catch (DamagedScheduleException e) {
                LOG.warn(
                        "{}; the state of revisits is built from the page log again",
                        e.getMessage());
            }
        }
        disk.delete(file);
        var sums = SumsTable.create(disk, directory.resolve(RATES));
        try {
            var unfinished = directory.resolve(PAGES + ".unfinished");
            var mappedFile = disk.allocate(unfinished, HEADER + BLOCK_BYTES);
            MemorySegment.copy(
                    MAGIC, 0, mappedFile.bytes(), ValueLayout.JAVA_BYTE, 0, MAGIC.length);
            disk.moveAtomically(unfinished, file);
            return new RevisitStore(disk, file, mappedFile, sums);
        } catch (IOException | RuntimeException e) {
            sums.close();
            throw e;
        }
    }

    /** Maps the files of a schedule that another process may be changing; changes nothing. */
    static RevisitStore read(Disk disk, Path directory) throws IOException {
        try {
            return readOnce(disk, directory);
        } catch (DamagedScheduleException _) {
            return readOnce(disk, directory); // The file may have grown since it was mapped.
        }
    }

    private static RevisitStore readOnce(Disk disk, Path directory) throws IOException {
        var sums = readSums(disk, directory.resolve(RATES));
        try {
            var file = directory.resolve(PAGES);
            var mappedFile = disk.reopen(file);
            if (mappedFile.bytes().byteSize() >= HEADER + BLOCK_BYTES) {
                var store = new RevisitStore(disk, file, mappedFile, sums);
                if (store.hasValidHeader() && sums.isValid()) {
                    store.reading = true;
                    return store;
                }
            }
            mappedFile.close();
            throw new DamagedScheduleException(file + " is damaged");
        } catch (IOException | RuntimeException e) {
            sums.close();
            throw e;
        }
    }

    private static SumsTable readSums(Disk disk, Path file) throws IOException {
        try {
            return SumsTable.read(disk, file);
        } catch (IOException e) {
            throw damaged(file, e);
        }
    }

    private static DamagedScheduleException damaged(Path file, IOException cause) {
        return new DamagedScheduleException(
                "%s cannot be read (%s)".formatted(file, cause.getMessage()));
    }

    private static RevisitStore openExisting(Disk disk, Path directory) throws IOException {
        var file = directory.resolve(PAGES);
        var length = disk.length(file);
        if (length < HEADER + BLOCK_BYTES) {
            throw new DamagedScheduleException(file + " has no page table");
        }
        var torn = (length - HEADER) % BLOCK_BYTES;
        if (torn != 0) {
            disk.truncate(file, length - torn); // The process died while the file grew.
        }
        var rates = directory.resolve(RATES);
        if (!disk.exists(rates)) {
            throw new DamagedScheduleException(rates + " is missing");
        }
        var sums = openSums(disk, rates);
        MappedFile mappedFile;
        try {
            mappedFile = disk.reopen(file);
        } catch (IOException | RuntimeException e) {
            sums.close();
            throw e;
        }
        var store = new RevisitStore(disk, file, mappedFile, sums);
        if (!store.isConsistent()) {
            store.unmap();
            throw new DamagedScheduleException(file + " is damaged");
        }
        store.put(Field.CLEAN, 0);
        return store;
    }

    private static SumsTable openSums(Disk disk, Path file) throws IOException {
        try {
            return SumsTable.open(disk, file);
        } catch (IOException e) {
            throw damaged(file, e);
        }
    }

    /** Completes the last change, and returns whether the files can be used. */
    private boolean isConsistent() {
        if (!hasValidHeader()) {
            return false;
        }
        if (get(Field.CLEAN) == 1) {
            return get(Field.CHECKSUM) == contentChecksum();
        }
        carryOutRecord();
        var before = -1L;
        for (var page = 0; page < count; page++) {
            var first = first(page);
            if (first <= before || !isValid(page) || last(page) > get(Field.LINE)) {
                return false;
            }
            before = first;
        }
        return sums.isValid() && (count == capacity() || PageRow.isEmpty(bytes, rowAt(count)));
    }

    private boolean hasValidHeader() {
        return hasMagic(bytes, MAGIC)
                && get(Field.COUNT) >= 0
                && get(Field.COUNT) <= capacity()
                && get(Field.POSITION) >= 0
                && get(Field.BATCH) >= 0
                && isNumber(fraction(Field.LAMBDA))
                && isNumber(fraction(Field.TOKENS))
                && get(Field.TOKENS_AT) >= 0
                && get(Field.TOKENS_AT) <= ScheduleTime.NEVER
                && get(Field.USED) >= 0
                && get(Field.LINE) >= 0
                && get(Field.SOURCES) >= 0
                && isNumber(fraction(Field.SWEPT_LAMBDA))
                && get(Field.SWEEP_BEGUN) >= 0
                && get(Field.SWEEP_BEGUN) <= ScheduleTime.NEVER
                && get(Field.SWEEP_PAGE) >= 0
                && get(Field.SWEEP_PAGE) <= Integer.MAX_VALUE;
    }

    private static boolean isNumber(double value) {
        return value >= 0 && value < Double.POSITIVE_INFINITY;
    }

    /** Returns whether a row can be one. */
    boolean isValid(int page) {
        return PageRow.isValid(bytes, rowAt(page));
    }

    /** Returns a checksum of both files, without the fields that are written with it. */
    private long contentChecksum() {
        var crc = new CRC32C();
        update(crc, bytes, 0, Field.CLEAN.at);
        update(crc, bytes, Field.CHECKSUM.at + Long.BYTES, bytes.byteSize());
        update(crc, sums.bytes(), 0, sums.bytes().byteSize());
        return crc.getValue();
    }

    private static void update(CRC32C crc, MemorySegment content, long from, long to) {
        for (var at = from; at < to; at += CHECKSUM_PIECE) {
            var length = Math.min(CHECKSUM_PIECE, to - at);
            crc.update(content.asSlice(at, length).asByteBuffer());
        }
    }

    static boolean hasMagic(MemorySegment bytes, byte[] magic) {
        return bytes.asSlice(0, magic.length).mismatch(MemorySegment.ofArray(magic)) == -1;
    }

    private long capacity() {
        return (bytes.byteSize() - HEADER) / BLOCK_BYTES * BLOCK_PAGES;
    }

    int count() {
        return count;
    }

    long get(Field field) {
        return bytes.get(LONG, field.at);
    }

    void put(Field field, long value) {
        bytes.set(LONG, field.at, value);
    }

    double fraction(Field field) {
        return Double.longBitsToDouble(get(field));
    }

    void put(Field field, double value) {
        put(field, Double.doubleToRawLongBits(value));
    }

    private static long block(int page) {
        return HEADER + (long) (page / BLOCK_PAGES) * BLOCK_BYTES;
    }

    private static long dueAt(int page) {
        return block(page) + (long) (page % BLOCK_PAGES) * Integer.BYTES;
    }

    private static long hashAt(int page) {
        return dueAt(page) + (long) BLOCK_PAGES * Integer.BYTES;
    }

    private static long rowAt(int page) {
        return block(page)
                + 2L * BLOCK_PAGES * Integer.BYTES
                + (long) (page % BLOCK_PAGES) * PageRow.BYTES;
    }

    int due(int page) {
        return bytes.get(INT, dueAt(page));
    }

    void setDue(int page, int due) {
        bytes.set(INT, dueAt(page), due);
    }

    int urlHash(int page) {
        return bytes.get(INT, hashAt(page));
    }

    PageRow row(int page) {
        return PageRow.read(bytes, rowAt(page));
    }

    private long first(int page) {
        return PageRow.first(bytes, rowAt(page));
    }

    private long last(int page) {
        return PageRow.last(bytes, rowAt(page));
    }

    Sums sums(int id) {
        return sums.get(id);
    }

    /**
     * Returns the page of a first line, or -1. Pages are in the order of their lines, so the place
     * of a line is guessed by its distance to the ends; every other step halves the rest, in case
     * the lines are not as far apart everywhere.
     */
    int find(long first) {
        var low = 0;
        var high = count - 1;
        if (high < 0 || first < first(low) || first > first(high)) {
            return -1;
        }
        var atLow = first(low);
        var atHigh = first(high);
        for (var step = 0; low <= high; step++) {
            var share = atHigh == atLow ? 0 : (double) (first - atLow) / (atHigh - atLow);
            var guess = (step & 1) == 0 ? low + (int) (share * (high - low)) : (low + high) >>> 1;
            var found = first(guess);
            if (found == first) {
                return guess;
            }
            if (found < first) {
                low = guess + 1;
                atLow = found;
            } else {
                high = guess - 1;
                atHigh = found;
            }
        }
        return -1;
    }

    long lastFirst() {
        return count == 0 ? -1 : first(count - 1);
    }

    /** Makes room for one more page; nothing changes if the disk is full. */
    void reserve() throws IOException {
        if (sums.isFull(count)) {
            forgetRecord(); // It names buckets of the smaller table.
            sums.grow();
        }
        if (count < capacity()) {
            return;
        }
        var before = bytes.byteSize();
        var blocks = Math.max(1, capacity() / BLOCK_PAGES / GROWTH);
        try (var out = disk.append(file)) {
            var zeroes = ByteBuffer.allocate(HEADER);
            for (var left = blocks * BLOCK_BYTES; left > 0; left -= HEADER) {
                out.append(zeroes.clear());
            }
        } catch (IOException e) {
            disk.truncate(file, before);
            throw e;
        }
        var next = disk.reopen(file);
        mappedFile.close();
        mappedFile = next;
        bytes = next.bytes();
    }

    /** Replaces or adds a row, and replaces the sums of its pattern and host. */
    void update(int page, int due, int urlHash, PageRow row, Sums pattern, Sums host) {
        fill(page, due, urlHash, row);
        recordBytes.set(INT, RECORD_SUMS, row.pattern());
        SumsTable.write(recordBytes, RECORD_SUMS + Integer.BYTES, pattern);
        var second = RECORD_SUMS + Integer.BYTES + SumsTable.ENTRY;
        recordBytes.set(INT, second, row.host());
        SumsTable.write(recordBytes, second + Integer.BYTES, host);
        writeRecord();
    }

    /** Replaces or adds a row. */
    void update(int page, int due, int urlHash, PageRow row) {
        fill(page, due, urlHash, row);
        recordBytes.set(INT, RECORD_SUMS, NO_SUMS);
        writeRecord();
    }

    private void fill(int page, int due, int urlHash, PageRow row) {
        recordBytes.set(INT, 4, page);
        recordBytes.set(INT, 8, due);
        recordBytes.set(INT, 12, urlHash);
        row.write(recordBytes, 16);
    }

    private void writeRecord() {
        recordBytes.set(INT, 0, checksum());
        MemorySegment.copy(recordBytes, 0, bytes, RECORD_AT, RECORD_BYTES);
        VarHandle.releaseFence(); // The record is complete before anything that it describes.
        apply();
        VarHandle.releaseFence();
    }

    private int checksum() {
        var crc = new CRC32C();
        crc.update(record, Integer.BYTES, RECORD_BYTES - Integer.BYTES);
        return (int) crc.getValue();
    }

    private void apply() {
        var page = recordBytes.get(INT, 4);
        MemorySegment.copy(recordBytes, 16, bytes, rowAt(page), PageRow.BYTES);
        if (urlHash(page) != recordBytes.get(INT, 12)) { // It is in a memory page of its own.
            bytes.set(INT, hashAt(page), recordBytes.get(INT, 12));
        }
        setDue(page, recordBytes.get(INT, 8));
        if (recordBytes.get(INT, RECORD_SUMS) != NO_SUMS) {
            var at = RECORD_SUMS;
            for (var i = 0; i < 2; i++) {
                var target = sums.at(recordBytes.get(INT, at));
                MemorySegment.copy(
                        recordBytes, at + Integer.BYTES, sums.bytes(), target, SumsTable.ENTRY);
                at += Integer.BYTES + SumsTable.ENTRY;
            }
        }
        if (last(page) > get(Field.LINE)) {
            put(Field.LINE, last(page));
        }
        if (page >= count) {
            count = page + 1;
            put(Field.COUNT, count);
        }
    }

    /** To be called before due times are changed that must survive a kill. */
    void forgetRecord() {
        bytes.set(INT, RECORD_AT, ~bytes.get(INT, RECORD_AT));
        VarHandle.releaseFence();
    }

    private void carryOutRecord() {
        MemorySegment.copy(bytes, RECORD_AT, recordBytes, 0, RECORD_BYTES);
        var page = recordBytes.get(INT, 4);
        if (recordBytes.get(INT, 0) == checksum()
                && page >= 0
                && page <= count
                && page < capacity()) {
            apply();
        }
    }

    /** Returns the bytes of both files. */
    long size() {
        return bytes.byteSize() + sums.bytes().byteSize();
    }

    /** Syncs both files to the disk. */
    void force() {
        force(bytes);
        sums.force();
    }

    static void force(MemorySegment bytes) {
        if (bytes.isMapped()) {
            bytes.force();
        }
    }

    @Override
    public void close() {
        if (!reading) {
            put(Field.CHECKSUM, contentChecksum());
            force();
            put(Field.CLEAN, 1);
        }
        unmap();
    }

    private void unmap() {
        mappedFile.close();
        sums.close();
    }
}
