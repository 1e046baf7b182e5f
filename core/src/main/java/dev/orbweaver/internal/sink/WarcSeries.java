package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.ChecksummedFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.model.CommittedLength;

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
 * The series of WARC files of a crawl; only the last one is written to.
 *
 * <p>A file loses its suffix {@code .open} when it can no longer change. That is not when it is
 * full, because the batch that filled it may still be rolled back, but one commit later, when that
 * batch is committed. If the next process finds an open file, it truncates it to the committed
 * length and finishes it; it never writes to it again.
 *
 * <p>Names sort in the order of creation. A clock set back would break that, so a name has the time
 * of the previous file if that is later.
 */
final class WarcSeries {

    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss").withZone(ZoneOffset.UTC);

    private static final CommittedLength NO_FILE = CommittedLength.removed("");

    private final Disk disk;
    private final Path directory;
    private final WarcSettings settings;
    private final WarcRecords records;
    private final InstantSource clock;

    private final List<String> createdFiles = new ArrayList<>();

    private final List<String> fullFiles = new ArrayList<>();

    /** Full, and included in the last commit: finished at the next commit. */
    private final List<String> committedFullFiles = new ArrayList<>();

    private final BufferedAppendFile.WriteBuffer buffer;
    private @Nullable BufferedAppendFile current;
    private State state;
    private State committed;

    private record State(CommittedLength committedLength, int serial, String stamp) {}

    /**
     * @param names the existing files, finished
     */
    WarcSeries(
            Disk disk,
            Path directory,
            WarcSettings settings,
            WarcRecords records,
            InstantSource clock,
            Collection<String> names) {
        this.disk = disk;
        this.buffer = BufferedAppendFile.WriteBuffer.allocate();
        this.directory = directory;
        this.settings = settings;
        this.records = records;
        this.clock = clock;
        var serial = names.stream().mapToInt(name -> WarcFiles.serial(name).orElse(0)).max();
        var stamp = names.stream().map(WarcSeries::stamp).max(String::compareTo);
        this.state = new State(NO_FILE, Math.max(serial.orElse(0), names.size()), stamp.orElse(""));
        this.committed = state;
    }

    private static String stamp(String name) {
        var start = name.indexOf(WarcFiles.PREFIX) + WarcFiles.PREFIX.length();
        var digits = name.substring(start).replaceFirst("\\D.*", "");
        return digits.length() == 14 ? digits : "";
    }

    /** Returns the current file, or a new one if it is full. */
    BufferedAppendFile file() throws IOException {
        var open = current;
        if (open != null && open.length() < settings.fileBytesMax()) {
            return open;
        }
        if (open != null) {
            open.sync();
            open.close();
            current = null;
            fullFiles.add(name());
        }
        var next = startFile(clock.instant());
        current = next;
        return next;
    }

    private BufferedAppendFile startFile(Instant time) throws IOException {
        var stamp = STAMP.format(time);
        state =
                new State(
                        NO_FILE,
                        state.serial + 1,
                        stamp.compareTo(state.stamp) < 0 ? state.stamp : stamp);
        var file =
                WarcFiles.PREFIX
                        + "%s-%05d%s"
                                .formatted(
                                        state.stamp,
                                        state.serial,
                                        settings.compression().extension());
        var name = DirectoryLayout.WARC + "/" + file;
        state = new State(CommittedLength.removed(name), state.serial, state.stamp);
        createdFiles.add(name);
        var opened = open(state.committedLength);
        try {
            opened.append(ByteBuffer.wrap(records.warcinfo(file, settings.warcinfoFields(), time)));
            syncDirectory();
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private BufferedAppendFile open(CommittedLength mark) throws IOException {
        var file = disk.append(directory.resolve(mark.name() + WarcFiles.OPEN));
        return new BufferedAppendFile(
                new ChecksummedFile(file, mark.checksum()), buffer, disk.writer());
    }

    /** Returns the final name of the current file. */
    String name() {
        return state.committedLength.name();
    }

    void flush() throws IOException {
        if (current != null) {
            current.flush();
            if (settings.syncCommits()) {
                current.sync();
            }
        }
    }

    /** Finishes the files that were full at the previous commit, which is durable now. */
    void commit() throws IOException {
        finishCommittedFiles();
        committedFullFiles.addAll(fullFiles);
        fullFiles.clear();
        createdFiles.clear();
        var mark = current == null ? state.committedLength : current.committedLength(name());
        committed = new State(mark, state.serial, state.stamp);
    }

    private void finishCommittedFiles() throws IOException {
        for (var name : committedFullFiles) {
            finish(disk, directory, name);
        }
        if (!committedFullFiles.isEmpty()) {
            syncDirectory();
        }
        committedFullFiles.clear();
    }

    /** Gives a file its final name, unless it already has it. */
    static void finish(Disk disk, Path directory, String name) throws IOException {
        var open = directory.resolve(name + WarcFiles.OPEN);
        if (disk.exists(open)) {
            disk.moveAtomically(open, directory.resolve(name));
        }
    }

    private void syncDirectory() throws IOException {
        if (settings.syncCommits()) {
            disk.syncDirectory(directory.resolve(DirectoryLayout.WARC));
        }
    }

    void rollBack() throws IOException {
        if (current != null) {
            current.close();
            current = null;
        }
        for (var name : createdFiles) {
            disk.delete(directory.resolve(name + WarcFiles.OPEN));
        }
        createdFiles.clear();
        fullFiles.clear();
        state = committed;
        if (!name().isEmpty()) {
            disk.truncate(
                    directory.resolve(name() + WarcFiles.OPEN), state.committedLength.length());
            current = open(state.committedLength);
        }
    }

    /** Finishes the last file. A file with uncommitted records stays open. */
    void close() throws IOException {
        finishCommittedFiles();
        var last = current;
        if (last != null) {
            last.sync();
            last.close();
            if (last.committedLength(name()).equals(committed.committedLength)) {
                finish(disk, directory, name());
                syncDirectory();
            }
        }
    }
}
