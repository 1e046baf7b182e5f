package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.AppendFile;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.FingerprintSet;
import dev.orbweaver.internal.frontier.FrontierDamagedException;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.SeenSet;
import dev.orbweaver.internal.frontier.VarintWriter;
import dev.orbweaver.model.Fingerprint;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The keys that a job has seen: an authoritative log with ten bytes per key, and a {@link
 * SeenTable} over it, which only makes lookups fast. A small set needs neither: it is in memory,
 * and each snapshot contains all of it.
 *
 * <p>The journal also has every key since the last snapshot, so the log is written lazily and
 * truncated to the snapshot's length when it is opened. A key enters the table only when its group
 * is committed: a kill before that leaves no key of a URL that was never accepted.
 *
 * <p>The snapshot has the count and checksum of the log. A table that differs once the journal has
 * been replayed is rebuilt from the log; a log that differs is rebuilt from the table; if both
 * differ, keys are lost, and the frontier fails instead of crawling pages twice.
 */
final class DiskSeenSet implements SeenSet, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DiskSeenSet.class);
    private static final int KEY = Long.BYTES + Short.BYTES;
    private static final byte[] HEADER = "ORBKEYS2".getBytes(StandardCharsets.US_ASCII);
    private static final int BUFFER = 1 << 18;
    private static final int KEYS_PER_EVENT = 4096;
    private static final int PENDING_REUSE_MAX = 1 << 14;
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final Disk disk;
    private final Path logFile;
    private final Path tableFile;
    private final long minTableKeys;
    private final VarintWriter buffer = new VarintWriter(BUFFER + KEY);

    private @Nullable AtomicAppendFile log;

    private long count;
    private long checksum;
    private boolean logIntact = true;

    /** Number of keys at which a table that could not grow is retried. */
    private long growRetryAt;

    /** All keys while there is no table; later those for which the table has no space. */
    private FingerprintSet inMemory = new FingerprintSet();

    private @Nullable SeenTable table;

    private FingerprintSet pending = new FingerprintSet();
    private long[] pendingHigh = new long[256];
    private short[] pendingLow = new short[256];
    private int pendingCount;

    private DiskSeenSet(
            Disk disk, Path directory, int job, long tableFrom, @Nullable AtomicAppendFile log) {
        this.disk = disk;
        this.logFile = logFile(directory, job);
        this.tableFile = tableFile(directory, job);
        this.minTableKeys = tableFrom;
        this.log = log;
    }

    static Path logFile(Path directory, int job) {
        return directory.resolve("seen-" + job + ".log");
    }

    static Path tableFile(Path directory, int job) {
        return directory.resolve("seen-" + job + ".table");
    }

    static DiskSeenSet create(Disk disk, Path directory, int job, long tableFrom) {
        return new DiskSeenSet(disk, directory, job, tableFrom, null);
    }

    private AtomicAppendFile log() throws IOException {
        if (log == null || log.length() < HEADER.length) {
            closeLog();
            disk.delete(
                    logFile); // Left by a job whose creation a crash rolled back, or incomplete.
            log = new AtomicAppendFile(disk, logFile);
            log.append(ByteBuffer.wrap(HEADER));
        }
        return log;
    }

    /** Opens the keys of a snapshot. */
    static DiskSeenSet open(
            Disk disk, Path directory, int job, long tableFrom, FrontierEvent.FileState fileState)
            throws IOException {
        var file = logFile(directory, job);
        var length = disk.exists(file) ? disk.length(file) : 0;
        var table = existingTable(disk, tableFile(directory, job));
        var whole =
                length >= fileState.length()
                        && checksumOf(disk, file, fileState, table) == fileState.checksum();
        if (!whole && table == null) {
            throw damaged(file);
        }
        if (length > fileState.length()) {
            disk.truncate(file, fileState.length());
        }
        var seen =
                new DiskSeenSet(disk, directory, job, tableFrom, new AtomicAppendFile(disk, file));
        seen.count = fileState.count();
        seen.checksum = fileState.checksum();
        seen.table = table;
        seen.logIntact = whole;
        if (table == null) {
            seen.rebuildTable();
        }
        return seen;
    }

    private static @Nullable SeenTable existingTable(Disk disk, Path file) {
        if (!disk.exists(file)) {
            return null;
        }
        try {
            return SeenTable.open(disk, file);
        } catch (IOException e) {
            LOG.warn("{}; rebuilding it from its log", e.getMessage());
            return null;
        }
    }

    private static IOException damaged(Path file) {
        return new FrontierDamagedException(file, "and its table are damaged");
    }

    private static long checksumOf(
            Disk disk, Path file, FrontierEvent.FileState fileState, @Nullable SeenTable table)
            throws IOException {
        var sum = 0L;
        try (var mappedFile = disk.map(file)) {
            var bytes = mappedFile.bytes();
            if (!hasHeader(bytes)) {
                return ~fileState.checksum();
            }
            for (var at = (long) HEADER.length; at + KEY <= fileState.length(); at += KEY) {
                var high = bytes.get(LONG, at);
                var low = bytes.get(SHORT, at + Long.BYTES);
                sum += SeenTable.checksumOf(high, low);
                if (table != null && SeenTable.isZero(high, low)) {
                    var _ = table.add(high, low);
                }
            }
        }
        return sum;
    }

    /** Returns whether a log differs from its snapshot. */
    static boolean differs(Disk disk, Path file, FrontierEvent.FileState fileState)
            throws IOException {
        return !disk.exists(file)
                || disk.length(file) < fileState.length()
                || checksumOf(disk, file, fileState, null) != fileState.checksum();
    }

    private static boolean hasHeader(MemorySegment bytes) {
        return bytes.asSlice(0, HEADER.length).mismatch(MemorySegment.ofArray(HEADER)) < 0;
    }

    private void rebuildTable() throws IOException {
        if (table != null) {
            table.close();
            table = null;
        }
        inMemory = new FingerprintSet();
        table = SeenTable.create(disk, tableFile, count);
        forEachInLog(this::insert);
        growIfFull();
    }

    /** Creates the table, because there are too many keys for memory. */
    private void createTable() throws IOException {
        table = SeenTable.create(disk, tableFile, count);
        inMemory.forEach(key -> bufferKey(key.high(), key.low()));
        moveToTable();
    }

    private void forEachInLog(SeenTable.KeyAction action) throws IOException {
        if (log != null) {
            forEachInFile(action);
        }
        for (var at = 0; at < buffer.length(); at += KEY) {
            var key = ByteBuffer.wrap(buffer.array(), at, KEY);
            action.key(key.getLong(), key.getShort());
        }
    }

    private void forEachInFile(SeenTable.KeyAction action) throws IOException {
        try (var mappedFile = disk.map(logFile)) {
            var bytes = mappedFile.bytes();
            for (var at = (long) HEADER.length; at + KEY <= bytes.byteSize(); at += KEY) {
                action.key(bytes.get(LONG, at), bytes.get(SHORT, at + Long.BYTES));
            }
        }
    }

    /** Checks that the files match the journal, which has been replayed. */
    void check() throws IOException {
        commit();
        if (table != null && (table.count() != count || table.checksum() != checksum)) {
            if (!logIntact) {
                throw damaged(logFile);
            }
            LOG.warn("{} does not match its log; rebuilding it", tableFile);
            flush();
            rebuildTable();
        }
        if (!logIntact) {
            LOG.warn("{} is damaged; rebuilding it from its table", logFile);
            rewriteLog();
        }
    }

    private void rewriteLog() throws IOException {
        var unfinished = logFile.resolveSibling(logFile.getFileName() + ".unfinished");
        disk.delete(unfinished);
        buffer.truncate(0);
        try (var whole = disk.append(unfinished)) {
            whole.append(ByteBuffer.wrap(HEADER));
            if (table != null) {
                table.forEach((high, low) -> writeKey(whole, high, low));
            }
            inMemory.forEach(key -> writeKey(whole, key.high(), key.low()));
            writeBuffer(whole);
            whole.sync();
        } catch (UncheckedIOException e) {
            throw new IOException(e.getMessage(), e);
        }
        closeLog();
        disk.moveAtomically(unfinished, logFile);
        log = new AtomicAppendFile(disk, logFile);
        logIntact = true;
    }

    /** Writes one key at a time, because all keys of a large crawl do not fit into memory. */
    private void writeKey(AppendFile file, long high, short low) {
        bufferKey(high, low);
        if (buffer.length() >= BUFFER) {
            try {
                writeBuffer(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        }
    }

    private void writeBuffer(AppendFile file) throws IOException {
        file.append(bufferedKeys());
        buffer.truncate(0);
    }

    @Override
    public boolean contains(Fingerprint key) {
        return (pendingCount > 0 && pending.contains(key))
                || (table != null && table.contains(key.high(), key.low()))
                || inMemory.contains(key);
    }

    @Override
    public long peek(Fingerprint key) {
        return table == null ? 0 : table.peek(key.high(), key.low());
    }

    @Override
    public void add(Fingerprint key) {
        if (!pending.addIfNew(key)) {
            return;
        }
        if (pendingCount == pendingHigh.length) {
            pendingHigh = Arrays.copyOf(pendingHigh, pendingCount * 2);
            pendingLow = Arrays.copyOf(pendingLow, pendingCount * 2);
        }
        pendingHigh[pendingCount] = key.high();
        pendingLow[pendingCount++] = key.low();
    }

    @Override
    public void commit() {
        if (pendingCount == 0) {
            return;
        }
        for (var i = 0; i < pendingCount; i++) {
            insert(pendingHigh[i], pendingLow[i]);
            if (table != null) {
                bufferKey(pendingHigh[i], pendingLow[i]);
            }
            count++;
            checksum += SeenTable.checksumOf(pendingHigh[i], pendingLow[i]);
        }
        if (pendingCount > PENDING_REUSE_MAX) {
            pending = new FingerprintSet();
        } else {
            pending.clear();
        }
        pendingCount = 0;
        try {
            if (buffer.length() >= BUFFER) {
                flush();
            }
            if (count >= growRetryAt) {
                growIfFull();
            }
        } catch (IOException e) {
            // The keys are safe in memory and in the journal; growing is retried after some more
            // keys.
            growRetryAt = count + count / 16;
            LOG.warn("could not write the seen set, retrying later: {}", e.getMessage());
        }
    }

    private void insert(long high, short low) {
        if (table == null || !table.add(high, low)) {
            inMemory.add(new Fingerprint(high, low));
        }
    }

    private void growIfFull() throws IOException {
        if (table == null) {
            if (inMemory.size() >= minTableKeys) {
                createTable();
            }
        }
        // A table that has every key can replace its log. If its overflow area is full although
        // most slots are free, growing would help only a few rows: those keys stay in memory.
        while (table != null && (table.isFull() || (inMemory.size() > 0 && !table.isSparse()))) {
            table.grow();
            moveToTable();
        }
    }

    private void moveToTable() {
        var waiting = inMemory;
        inMemory = new FingerprintSet();
        waiting.forEach(key -> insert(key.high(), key.low()));
    }

    private void bufferKey(long high, short low) {
        buffer.bigEndian(high, Long.BYTES).bigEndian(low, Short.BYTES);
    }

    private void flush() throws IOException {
        if (buffer.length() == 0) {
            return;
        }
        log().append(bufferedKeys());
        buffer.truncate(0);
    }

    private ByteBuffer bufferedKeys() {
        return ByteBuffer.wrap(buffer.array(), 0, buffer.length());
    }

    /** Syncs the keys, or writes them all into the snapshot. */
    void writeSnapshot(int job, Consumer<FrontierEvent> out) throws IOException {
        if (table == null) {
            var keys = new ArrayList<Fingerprint>();
            inMemory.forEach(
                    key -> {
                        keys.add(key);
                        if (keys.size() == KEYS_PER_EVENT) {
                            out.accept(new FrontierEvent.Seen(job, List.copyOf(keys)));
                            keys.clear();
                        }
                    });
            out.accept(new FrontierEvent.Seen(job, keys));
        } else {
            flush();
            var file = log();
            file.sync();
            out.accept(
                    new FrontierEvent.FileState(
                            logFile.getFileName().toString(), file.length(), count, checksum));
        }
    }

    long size() {
        return count + pendingCount;
    }

    @Override
    public void forEach(Consumer<Fingerprint> action) {
        if (table == null) {
            inMemory.forEach(action);
            return;
        }
        try {
            forEachInLog((high, low) -> action.accept(new Fingerprint(high, low)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            closeLog();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            if (table != null) {
                table.close();
            }
        }
    }

    private void closeLog() throws IOException {
        if (log != null) {
            log.close();
        }
    }
}
