package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RunningChecksum;
import dev.orbweaver.model.CommittedLength;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Reads a crawl's outputs without a frontier. Unreadable lines of the page log are counted. */
public final class OutputScan {

    private final Path directory;
    private final Map<String, Long> captureEnds = new LinkedHashMap<>();
    private long logLength;
    private long lines;
    private long unreadable;

    private OutputScan(Path directory) {
        this.directory = directory;
    }

    /** Passes every complete line of the page log, including retries. */
    public static OutputScan read(Path directory, Consumer<PageLogEntry> out) throws IOException {
        var scan = new OutputScan(directory);
        var log = directory.resolve(DirectoryLayout.PAGE_LOG);
        if (Files.exists(log)) {
            scan.readLog(log, out);
        }
        return scan;
    }

    private void readLog(Path log, Consumer<PageLogEntry> out) throws IOException {
        try (var in = new BufferedInputStream(Files.newInputStream(log), 1 << 16)) {
            var line = new ByteArrayOutputStream();
            var at = 0L;
            for (var next = in.read(); next >= 0; next = in.read()) {
                at++;
                if (next == '\n') {
                    logLength = at;
                    addLine(line.toString(StandardCharsets.UTF_8), out);
                    line.reset();
                } else {
                    line.write(next);
                }
            }
        }
    }

    private void addLine(String line, Consumer<PageLogEntry> out) {
        PageLogEntry entry;
        try {
            entry = PageLog.parseLine(line);
        } catch (IOException e) {
            unreadable++;
            return;
        }
        lines++;
        if (entry.isStored()) {
            captureEnds.merge(entry.warc(), entry.offset() + entry.length(), Math::max);
        }
        out.accept(entry);
    }

    public long lines() {
        return lines;
    }

    public long unreadable() {
        return unreadable;
    }

    /**
     * Returns the length of each output file. An open WARC file may end in an unfinished record; if
     * no commit is known, it ends after the last response in the page log.
     *
     * @param known the lengths known from commits, by name
     */
    public List<CommittedLength> committedLengths(Disk disk, Map<String, CommittedLength> known)
            throws IOException {
        var marks = new ArrayList<CommittedLength>();
        var names = new ArrayList<>(known.keySet());
        captureEnds.keySet().stream().filter(name -> !known.containsKey(name)).forEach(names::add);
        names.remove(DirectoryLayout.PAGE_LOG);
        for (var name : names) {
            marks.add(
                    committedLength(
                            disk,
                            name,
                            known.getOrDefault(name, new CommittedLength(name, -1, 0))));
        }
        if (logLength > 0) {
            var log = new CommittedLength(DirectoryLayout.PAGE_LOG, logLength, 0);
            marks.add(
                    committedLength(
                            directory.resolve(DirectoryLayout.PAGE_LOG),
                            known.getOrDefault(DirectoryLayout.PAGE_LOG, log),
                            logLength));
        }
        return marks;
    }

    /**
     * Returns the output files that are shorter than their committed length, as sentences without
     * advice.
     */
    public static List<String> truncatedFiles(
            Disk disk, Path directory, List<CommittedLength> marks) throws IOException {
        var moved = MovedFiles.read(disk, directory);
        var problems = new ArrayList<String>();
        for (var mark : marks) {
            var file = WarcFiles.locate(disk, directory, mark.name());
            var isMoved = !disk.exists(file) && moved.containsKey(mark.name());
            var actual = disk.exists(file) ? disk.length(file) : 0;
            if (actual < mark.length() && !isMoved) {
                problems.add(
                        "%s has %d bytes, but %d were committed"
                                .formatted(file, actual, mark.length()));
            }
        }
        return problems;
    }

    private CommittedLength committedLength(Disk disk, String name, CommittedLength known)
            throws IOException {
        var file = WarcFiles.locate(disk, directory, name);
        var moved = MovedFiles.read(disk, directory).get(name);
        if (!disk.exists(file)) {
            return moved == null
                    ? new CommittedLength(name, 0, 0)
                    : new CommittedLength(name, moved.length(), known.checksum());
        }
        var actual = disk.length(file);
        var named = captureEnds.getOrDefault(name, 0L);
        var finished = !file.toString().endsWith(WarcFiles.OPEN);
        var wanted = known.length() < 0 && finished ? actual : Math.max(named, known.length());
        return committedLength(file, known, Math.min(wanted, actual));
    }

    /**
     * Returns a length with its checksum. The checksum of a commit is kept, so that damage to the
     * file is still detected.
     */
    private static CommittedLength committedLength(Path file, CommittedLength known, long length)
            throws IOException {
        return known.length() == length && known.checksum() != 0
                ? known
                : new CommittedLength(known.name(), length, RunningChecksum.of(file, length));
    }
}
