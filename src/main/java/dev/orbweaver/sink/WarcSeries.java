package dev.orbweaver.sink;

import dev.orbweaver.disk.ChecksummedFile;
import dev.orbweaver.disk.Disk;
import dev.orbweaver.model.FileMark;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The WARC files of a crawl, one after another; only the last is written to.
 *
 * <p>A file loses its {@code .open} when it can change no more: not when it is full, because the
 * batch that filled it may yet be taken back, but one commit later, when that batch is a fact. A
 * file found open by the next process is cut back to what was committed and finished then; it is
 * never written to again.
 *
 * <p>Names sort as the files were begun. A clock set back would break that, so a name has the time
 * of the file before it where that is later.
 */
final class WarcSeries {

    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss").withZone(ZoneOffset.UTC);

    private static final FileMark NO_FILE = FileMark.removed("");

    private final Disk disk;
    private final Path folder;
    private final WarcSettings settings;
    private final WarcRecords records;
    private final InstantSource clock;

    /** Begun since the last commit. */
    private final List<String> begun = new ArrayList<>();

    /** Full since the last commit. */
    private final List<String> full = new ArrayList<>();

    /** Full, and named in the last commit: to be finished when the next one comes. */
    private final List<String> settled = new ArrayList<>();

    private final ByteBuffer stage = StagedFile.stage();
    private @Nullable StagedFile current;
    private State now;
    private State committed;

    /** Which file is written to, and how long it was at the last commit. */
    private record State(FileMark mark, int serial, String stamp) {}

    /**
     * @param names the files that there are, finished
     */
    WarcSeries(
            Disk disk,
            Path folder,
            WarcSettings settings,
            WarcRecords records,
            InstantSource clock,
            Collection<String> names) {
        this.disk = disk;
        this.folder = folder;
        this.settings = settings;
        this.records = records;
        this.clock = clock;
        var serial = names.stream().mapToInt(name -> WarcFiles.serial(name).orElse(0)).max();
        var stamp = names.stream().map(WarcSeries::stamp).max(String::compareTo);
        this.now = new State(NO_FILE, Math.max(serial.orElse(0), names.size()), stamp.orElse(""));
        this.committed = now;
    }

    private static String stamp(String name) {
        var start = name.indexOf(WarcFiles.PREFIX) + WarcFiles.PREFIX.length();
        var digits = name.substring(start).replaceFirst("\\D.*", "");
        return digits.length() == 14 ? digits : "";
    }

    /** The file to write to, a new one when the last is full. */
    StagedFile file() throws IOException {
        var open = current;
        if (open != null && open.length() < settings.fileBytesMax()) {
            return open;
        }
        if (open != null) {
            open.sync();
            open.close();
            current = null;
            full.add(name());
        }
        var next = begin(clock.instant());
        current = next;
        return next;
    }

    private StagedFile begin(Instant time) throws IOException {
        var stamp = STAMP.format(time);
        now =
                new State(
                        NO_FILE,
                        now.serial + 1,
                        stamp.compareTo(now.stamp) < 0 ? now.stamp : stamp);
        var file =
                WarcFiles.PREFIX
                        + "%s-%05d%s"
                                .formatted(
                                        now.stamp, now.serial, settings.compression().extension());
        var name = WarcSink.FOLDER + "/" + file;
        now = new State(FileMark.removed(name), now.serial, now.stamp);
        begun.add(name);
        var opened = open(now.mark);
        try {
            opened.append(ByteBuffer.wrap(records.warcinfo(file, settings.info(), time)));
            syncFolder();
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private StagedFile open(FileMark mark) throws IOException {
        var file = disk.append(folder.resolve(mark.name() + WarcFiles.OPEN));
        return new StagedFile(new ChecksummedFile(file, mark.checksum()), stage);
    }

    /** The name that the file written to will have. */
    String name() {
        return now.mark.name();
    }

    /** Hands what was written to the operating system, and to the disk if that is wanted. */
    void flush() throws IOException {
        if (current != null) {
            current.flush();
            if (settings.synced()) {
                current.sync();
            }
        }
    }

    /**
     * What was written until now is being committed. The commit before this one is a fact, so the
     * files that it left full are finished.
     */
    void commit() throws IOException {
        finishSettled();
        settled.addAll(full);
        full.clear();
        begun.clear();
        var mark = current == null ? now.mark : current.mark(name());
        committed = new State(mark, now.serial, now.stamp);
    }

    private void finishSettled() throws IOException {
        for (var name : settled) {
            finish(disk, folder, name);
        }
        if (!settled.isEmpty()) {
            syncFolder();
        }
        settled.clear();
    }

    /** Gives a file its final name, if it has not got it already. */
    static void finish(Disk disk, Path folder, String name) throws IOException {
        var open = folder.resolve(name + WarcFiles.OPEN);
        if (disk.exists(open)) {
            disk.moveAtomically(open, folder.resolve(name));
        }
    }

    private void syncFolder() throws IOException {
        if (settings.synced()) {
            disk.syncFolder(folder.resolve(WarcSink.FOLDER));
        }
    }

    /** Takes back what was written since the last commit. */
    void rollBack() throws IOException {
        if (current != null) {
            current.close();
            current = null;
        }
        for (var name : begun) {
            disk.delete(folder.resolve(name + WarcFiles.OPEN));
        }
        begun.clear();
        full.clear();
        now = committed;
        if (!name().isEmpty()) {
            disk.truncate(folder.resolve(name() + WarcFiles.OPEN), now.mark.length());
            current = open(now.mark);
        }
    }

    /** Ends the last file. One with records that were never committed stays open. */
    void close() throws IOException {
        finishSettled();
        var last = current;
        if (last != null) {
            last.sync();
            last.close();
            if (last.mark(name()).equals(committed.mark)) {
                finish(disk, folder, name());
                syncFolder();
            }
        }
    }
}
