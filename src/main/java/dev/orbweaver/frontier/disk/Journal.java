package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.AppendFile;
import dev.orbweaver.disk.Disk;
import dev.orbweaver.frontier.EventLog;
import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.frontier.Workbench;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The frontier's files: {@code snapshot-N} holds the whole state at one moment, {@code journal-N}
 * what happened since.
 *
 * <p>When the journal has outgrown the snapshot, the state is written to {@code snapshot-N+1} under
 * another name, made durable, renamed, and a new journal begun; then the old pair goes. A crash at
 * any step leaves one whole pair: the newest snapshot that carries its proper name and the journal
 * of the same number, which may not exist yet.
 */
final class Journal implements EventLog {

    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

    /** A journal shorter than this is read in a moment, however short its snapshot. */
    static final long ROTATE_FROM = 64L << 20;

    private static final int SNAPSHOT_FRAME = 1 << 16;

    private final Disk disk;
    private final Path folder;
    private final Workbench bench;
    private final EventWriter frame = new EventWriter().reserve(Frames.FRAME_HEAD);
    private AppendFile file;
    private long number;
    private final long rotateFrom;
    private long rotateAt;
    private boolean broken;

    private Journal(
            Disk disk,
            Path folder,
            Workbench bench,
            long rotateFrom,
            long number,
            AppendFile file) {
        this.disk = disk;
        this.folder = folder;
        this.bench = bench;
        this.number = number;
        this.file = file;
        this.rotateFrom = rotateFrom;
        this.rotateAt = rotateFrom;
    }

    /** Reads the newest pair into the workbench and goes on writing. */
    static Journal open(Disk disk, Path folder, Workbench bench, long rotateFrom)
            throws IOException {
        disk.createFolder(folder);
        var number = newest(disk, folder);
        refuseOrphan(disk, folder, number);
        var journal = journalFile(folder, number);
        var good = read(disk, folder, number, bench);
        if (disk.exists(journal) && good < disk.length(journal)) {
            LOG.warn(
                    "cut {} unfinished bytes from the end of {}",
                    disk.length(journal) - good,
                    journal);
            disk.truncate(journal, good);
        }
        deleteOthers(disk, folder, number);
        return new Journal(disk, folder, bench, rotateFrom, number, begin(disk, journal));
    }

    /** Reads a pair and changes nothing. Returns up to where the journal is good. */
    static long read(Disk disk, Path folder, long number, Workbench bench) throws IOException {
        if (number > 0) {
            readSnapshot(disk, snapshotFile(folder, number), bench);
        }
        var journal = journalFile(folder, number);
        return disk.exists(journal) ? Frames.read(journal, disk.read(journal), bench::apply) : 0;
    }

    /** The number of the newest pair; the first pair, number 0, has no snapshot. */
    static long newest(Disk disk, Path folder) throws IOException {
        return disk.list(folder).stream()
                .map(path -> path.getFileName().toString())
                .filter(name -> name.matches("snapshot-\\d+"))
                .mapToLong(name -> Long.parseLong(name.substring("snapshot-".length())))
                .max()
                .orElse(0);
    }

    /** A journal that goes on from a snapshot that is not there must not be taken for rubbish. */
    private static void refuseOrphan(Disk disk, Path folder, long number) throws IOException {
        for (var path : disk.list(folder)) {
            var name = path.getFileName().toString();
            if (name.matches("journal-\\d+")
                    && Long.parseLong(name.substring("journal-".length())) > number) {
                throw new IOException(
                        "%s goes on from a snapshot that is missing: restore it from a copy, or begin the crawl anew"
                                .formatted(path));
            }
        }
    }

    private static void readSnapshot(Disk disk, Path file, Workbench bench) throws IOException {
        var bytes = disk.read(file);
        var last = new AtomicReference<FrontierEvent>();
        var good =
                Frames.read(
                        file,
                        bytes,
                        event -> {
                            last.set(event);
                            bench.apply(event);
                        });
        if (good < bytes.length || !(last.get() instanceof FrontierEvent.Counters)) {
            throw new IOException(
                    "%s is damaged at byte %d of %d: restore it from a copy, or begin the crawl anew"
                            .formatted(file, good, bytes.length));
        }
    }

    private static AppendFile begin(Disk disk, Path journal) throws IOException {
        var file = disk.append(journal);
        if (file.length() == 0) {
            file.append(Frames.header());
        }
        return file;
    }

    private static void deleteOthers(Disk disk, Path folder, long number) throws IOException {
        for (var path : disk.list(folder)) {
            var name = path.getFileName().toString();
            if (name.matches("(snapshot|journal)-.*") && !name.matches("\\w+-" + number)) {
                disk.delete(path);
            }
        }
    }

    private static Path journalFile(Path folder, long number) {
        return folder.resolve("journal-" + number);
    }

    private static Path snapshotFile(Path folder, long number) {
        return folder.resolve("snapshot-" + number);
    }

    @Override
    public void append(FrontierEvent event) {
        frame.write(event);
    }

    @Override
    public void commit() {
        if (frame.length() == Frames.FRAME_HEAD) {
            return;
        }
        if (broken) {
            throw new UncheckedIOException(
                    new IOException("the frontier could not be written earlier"));
        }
        broken = true; // Until the write below has come back, nobody can say what the file holds.
        try {
            file.append(Frames.close(frame));
            resetFrame();
            if (file.length() > rotateAt) {
                rotate();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the frontier cannot be written: " + e.getMessage(), e);
        }
        broken = false;
    }

    private void resetFrame() {
        frame.clear();
        var _ = frame.reserve(Frames.FRAME_HEAD);
    }

    private void rotate() throws IOException {
        var next = number + 1;
        var length = writeSnapshot(snapshotFile(folder, next));
        var journal = begin(disk, journalFile(folder, next));
        file.close();
        file = journal;
        number = next;
        rotateAt = Math.max(rotateFrom, 2 * length);
        deleteOthers(disk, folder, number);
    }

    private long writeSnapshot(Path target) throws IOException {
        var unfinished = target.resolveSibling(target.getFileName() + ".unfinished");
        disk.delete(unfinished);
        long length;
        try (var out = disk.append(unfinished)) {
            out.append(Frames.header());
            bench.snapshot(event -> appendTo(out, event));
            appendFrame(out);
            out.sync();
            length = out.length();
        }
        disk.moveAtomically(unfinished, target);
        disk.syncFolder(folder);
        return length;
    }

    private void appendTo(AppendFile out, FrontierEvent event) {
        frame.write(event);
        if (frame.length() > SNAPSHOT_FRAME) {
            try {
                appendFrame(out);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void appendFrame(AppendFile out) throws IOException {
        if (frame.length() > Frames.FRAME_HEAD) {
            out.append(Frames.close(frame));
            resetFrame();
        }
    }

    /** Leaves a snapshot and an empty journal, so that the next opening is quick. */
    @Override
    public void close() {
        try (var _ = file) {
            // Events that no commit followed are of a call that failed midway: the state has them,
            // so neither is kept.
            if (!broken && frame.length() == Frames.FRAME_HEAD) {
                rotate();
                file.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the frontier cannot be closed: " + e.getMessage(), e);
        }
    }
}
