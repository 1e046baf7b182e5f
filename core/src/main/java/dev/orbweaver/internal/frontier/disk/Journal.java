package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.AppendFile;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.EventLog;
import dev.orbweaver.internal.frontier.FrontierDamagedException;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.FrontierStore;
import dev.orbweaver.internal.frontier.StorageProblem;
import dev.orbweaver.internal.frontier.Workbench;
import dev.orbweaver.model.Durability;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The frontier's write-ahead log: {@code snapshot-N} has the complete state at one moment, {@code
 * journal-N} the events since.
 *
 * <p>When the journal has outgrown the snapshot, an empty {@code journal-N+1} is created. The state
 * is written to {@code snapshot-N+1} under a temporary name, synced and renamed; then the old pair
 * is deleted. A crash at any step leaves one complete pair: the newest snapshot with its final name
 * and the journal of the same number.
 */
final class Journal implements EventLog {

    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

    private static final int SNAPSHOT_FRAME = 1 << 16;

    private final Disk disk;
    private final Path directory;
    private final DiskSettings settings;
    private final DiskStore store;
    private final Workbench bench;
    private final EventWriter frame = new EventWriter().reserve(Frames.FRAME_HEAD);
    private AtomicAppendFile file;
    private long number;

    private int frames;

    private long rotateAt;

    /** The length of the journal at which a failed flush or snapshot is retried. */
    private long maintenanceRetryAt;

    /** Whether a call failed half way, so that nothing may be written any more. */
    private boolean aborted;

    /** Whether the newest pair would be found by its name after a loss of power. */
    private boolean directorySynced = true;

    private Journal(
            Disk disk,
            Path directory,
            DiskSettings settings,
            DiskStore store,
            Workbench bench,
            long number,
            AtomicAppendFile file) {
        this.disk = disk;
        this.directory = directory;
        this.settings = settings;
        this.store = store;
        this.bench = bench;
        this.number = number;
        this.file = file;
        this.rotateAt = settings.minJournalBytes();
    }

    /** Reads the newest pair into the workbench, which uses the store, and continues writing. */
    static Journal open(
            Disk disk, Path directory, DiskSettings settings, DiskStore store, Workbench bench)
            throws IOException {
        disk.createDirectory(directory);
        FingerprintKeyFile.createOrVerify(
                disk,
                directory,
                settings.urls().key(),
                directory + " was created with another fingerprint key than it is opened with");
        var number = newestNumber(disk, directory);
        rejectOrphan(disk, directory, number);
        var journal = journalFile(directory, number);
        var extent = read(disk, directory, number, bench, store);
        if (disk.exists(journal) && extent.validLength() < disk.length(journal)) {
            LOG.warn(
                    "truncated {} bytes of an incomplete frame at the end of {}",
                    disk.length(journal) - extent.validLength(),
                    journal);
            disk.truncate(journal, extent.validLength());
        }
        store.check();
        if (!bench.balances()) {
            throw new FrontierDamagedException(journal, "and its snapshot are inconsistent");
        }
        deleteOldPairs(disk, directory, number);
        var file = createJournal(disk, journal);
        disk.syncDirectory(directory); // Synced data is lost if the file's name is not durable.
        var opened = new Journal(disk, directory, settings, store, bench, number, file);
        opened.frames = extent.frames();
        return opened;
    }

    /** Reads a pair and changes only the store. Returns the valid extent of the journal. */
    static Frames.Extent read(
            Disk disk, Path directory, long number, Workbench bench, FrontierStore frontierStore)
            throws IOException {
        if (number > 0) {
            readSnapshot(disk, snapshotFile(directory, number), bench);
        }
        frontierStore.snapshotRead();
        var journal = journalFile(directory, number);
        if (!disk.exists(journal)) {
            return Frames.Extent.NONE;
        }
        try (var mappedFile = disk.map(journal)) {
            var extent = Frames.read(journal, mappedFile.bytes(), new Replay(bench));
            Frames.rejectDamage(journal, mappedFile.bytes(), extent);
            return extent;
        } catch (IllegalStateException | IllegalArgumentException e) {
            // Every frame is valid and in order, but belongs to another snapshot.
            throw new FrontierDamagedException(
                    journal,
                    "does not continue the state of its snapshot (%s)".formatted(e.getMessage()));
        }
    }

    private record Replay(Workbench bench) implements Frames.Reader {
        @Override
        public void event(FrontierEvent event) {
            bench.apply(event);
        }

        @Override
        public void frameEnd() {
            bench.commitSeen();
        }
    }

    /** Returns the number of the newest pair; the first pair, number 0, has no snapshot. */
    static long newestNumber(Disk disk, Path directory) throws IOException {
        return disk.list(directory).stream()
                .map(path -> path.getFileName().toString())
                .filter(name -> name.matches("snapshot-\\d+"))
                .mapToLong(name -> Long.parseLong(name.substring("snapshot-".length())))
                .max()
                .orElse(0);
    }

    /**
     * Rejects a journal whose snapshot is missing: it must not be deleted. An empty one belongs to
     * a snapshot that was never finished.
     */
    private static void rejectOrphan(Disk disk, Path directory, long number) throws IOException {
        for (var path : disk.list(directory)) {
            var name = path.getFileName().toString();
            if (name.matches("journal-\\d+")
                    && Long.parseLong(name.substring("journal-".length())) > number
                    && (disk.length(path) > Frames.HEADER || !hasPair(disk, directory, number))) {
                throw new FrontierDamagedException(path, "continues a snapshot that is missing");
            }
        }
    }

    private static boolean hasPair(Disk disk, Path directory, long number) {
        return number > 0 || disk.exists(journalFile(directory, 0));
    }

    private static void readSnapshot(Disk disk, Path file, Workbench bench) throws IOException {
        var last = new AtomicReference<FrontierEvent>();
        try (var mappedFile = disk.map(file)) {
            var extent =
                    Frames.read(
                            file,
                            mappedFile.bytes(),
                            event -> {
                                last.set(event);
                                bench.apply(event);
                            });
            var length = mappedFile.bytes().byteSize();
            if (extent.validLength() < length
                    || !(last.get() instanceof FrontierEvent.SnapshotEnd)) {
                throw new FrontierDamagedException(
                        file,
                        "is damaged at byte %d of %d".formatted(extent.validLength(), length));
            }
        }
    }

    private static AtomicAppendFile createJournal(Disk disk, Path journal) throws IOException {
        var file = new AtomicAppendFile(disk, journal);
        try {
            if (file.length() == 0) {
                file.append(Frames.header());
            }
            return file;
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private static void deleteOldPairs(Disk disk, Path directory, long number) throws IOException {
        for (var path : disk.list(directory)) {
            var name = path.getFileName().toString();
            if (name.matches("(snapshot|journal)-.*") && !name.matches("\\w+-" + number)) {
                disk.delete(path);
            }
        }
    }

    private static Path journalFile(Path directory, long number) {
        return directory.resolve("journal-" + number);
    }

    private static Path snapshotFile(Path directory, long number) {
        return directory.resolve("snapshot-" + number);
    }

    @Override
    public void append(FrontierEvent event) {
        checkNotAborted();
        frame.write(event);
    }

    private void checkNotAborted() {
        if (aborted) {
            throw new IllegalStateException("the journal was aborted");
        }
    }

    @Override
    public void abort() {
        aborted = true;
        frame.truncate(Frames.FRAME_HEAD);
    }

    @Override
    public CommitStatus commit() {
        checkNotAborted();
        if (frame.length() == Frames.FRAME_HEAD) {
            return CommitStatus.durable();
        }
        try {
            write();
        } catch (IOException e) {
            return new CommitStatus.Pending(StorageProblem.ofDisk(e));
        }
        bench.commitSeen(); // A snapshot may follow at once; it must contain only committed keys.
        if (file.length() >= maintenanceRetryAt) {
            runMaintenance();
        }
        return CommitStatus.durable();
    }

    /**
     * Runs maintenance, which limits memory and the time of the next opening. It can wait while the
     * disk is full: everything in memory is in the journal too.
     */
    private void runMaintenance() {
        try {
            if (file.length() > rotateAt) {
                rotate();
            } else if (bench.bufferBytes() > settings.maxBufferBytes()) {
                flushBuffer();
            }
        } catch (IOException | UncheckedIOException e) {
            maintenanceRetryAt = file.length() + settings.minJournalBytes() / 4;
            LOG.warn("could not flush or take a snapshot, retrying later: {}", e.getMessage());
        }
    }

    /**
     * Flushes the buffer to a segment. The journal records it at once, in order with the other
     * events: a replay has the same buffer at that point, and finds it in the segment.
     */
    private void flushBuffer() throws IOException {
        if (bench.bufferBytes() == 0) {
            return;
        }
        var event = new FrontierEvent.BufferFlushed(store.writeBuffer(bench));
        try {
            bench.apply(event);
        } catch (UncheckedIOException e) {
            store.discard(event.segment());
            throw e;
        }
        frame.write(event);
        write();
    }

    private void write() throws IOException {
        if (settings.durability() == Durability.POWER) {
            syncDirectory();
            file.appendDurably(Frames.seal(frame, frames));
        } else {
            file.append(Frames.seal(frame, frames));
        }
        frames++;
        frame.truncate(Frames.FRAME_HEAD);
    }

    private void syncDirectory() throws IOException {
        if (!directorySynced) {
            disk.syncDirectory(directory);
            directorySynced = true;
        }
    }

    /**
     * Begins the next pair. The new journal is valid from the moment at which the snapshot gets its
     * name, so it must exist before that, empty.
     */
    private void rotate() throws IOException {
        flushBuffer(); // Recorded in the old journal, in case the snapshot fails.
        var next = number + 1;
        disk.delete(journalFile(directory, next));
        var journal = createJournal(disk, journalFile(directory, next));
        long length;
        try {
            length = writeSnapshot(snapshotFile(directory, next));
        } catch (IOException | RuntimeException e) {
            journal.close();
            throw e;
        }
        var old = file;
        file = journal;
        number = next;
        frames = 0;
        rotateAt = settings.maxJournalBytes(length);
        maintenanceRetryAt = 0;
        directorySynced = false;
        old.close();
        syncDirectory();
        deleteOldPairs(disk, directory, number);
        store.deleteUnreferenced();
    }

    private long writeSnapshot(Path target) throws IOException {
        var unfinished = target.resolveSibling(target.getFileName() + ".unfinished");
        disk.delete(unfinished);
        long length;
        try (var out = disk.append(unfinished)) {
            out.append(Frames.header());
            var writer = new SnapshotWriter(out);
            store.writeSnapshotFiles(bench, writer::write);
            bench.snapshot(writer::write);
            writer.appendFrame();
            out.sync();
            length = out.length();
        } catch (IOException | RuntimeException e) {
            // The unfinished file would only occupy the space that the journal needs.
            disk.delete(unfinished);
            throw e;
        }
        disk.moveAtomically(unfinished, target);
        return length;
    }

    /** Writes events in frames of limited size. */
    private static final class SnapshotWriter {

        private final EventWriter frame = new EventWriter().reserve(Frames.FRAME_HEAD);
        private final AppendFile out;
        private int frames;

        SnapshotWriter(AppendFile out) {
            this.out = out;
        }

        void write(FrontierEvent event) {
            frame.write(event);
            if (frame.length() > SNAPSHOT_FRAME) {
                try {
                    appendFrame();
                } catch (IOException e) {
                    throw new UncheckedIOException(e.getMessage(), e);
                }
            }
        }

        void appendFrame() throws IOException {
            if (frame.length() > Frames.FRAME_HEAD) {
                out.append(Frames.seal(frame, frames++));
                frame.truncate(Frames.FRAME_HEAD);
            }
        }
    }

    /** Writes a snapshot and leaves an empty journal, so that the next opening is fast. */
    @Override
    public void close() {
        try (store) {
            if (!aborted) {
                commit().requireStored();
                store.stopCompaction();
                rotate();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("could not close the frontier: " + e.getMessage(), e);
        } finally {
            closeQuietly();
        }
    }

    private void closeQuietly() {
        try {
            file.close();
        } catch (IOException e) {
            LOG.warn("could not close the journal: {}", e.getMessage());
        }
    }
}
