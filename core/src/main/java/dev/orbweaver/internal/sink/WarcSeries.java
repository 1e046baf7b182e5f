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

    private static final CommittedLength NO_FILE = CommittedLength.removed("");

    private final Disk disk;
    private final Path directory;
    private final WarcSettings settings;
    private final WarcRecords records;
    private final InstantSource clock;

    private final List<String> createdFiles = new ArrayList<>();

    private final List<String> fullFiles = new ArrayList<>();

    /** Full, and named in the last commit: to be finished when the next one comes. */
    private final List<String> committedFullFiles = new ArrayList<>();

    private final ByteBuffer buffer = BufferedAppendFile.newBuffer();
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

    /** A new one when the last is full. */
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
        return new BufferedAppendFile(new ChecksummedFile(file, mark.checksum()), buffer);
    }

    /** The final name of the file written to. */
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

    /** The commit before this one is durable, so the files that it left full are finished. */
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

    /** Gives a file its final name, if it has not got it already. */
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

    /** Ends the last file. One with uncommitted records stays open. */
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
