package dev.orbweaver.sink;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.disk.GrowingChecksum;
import dev.orbweaver.model.FileMark;

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

/**
 * Reads a crawl's outputs without a frontier that says how long they are. Lines of the page log
 * that cannot be read are counted and left out.
 */
public final class OutputScan {

    private final Path directory;
    private final Map<String, Long> captureEnds = new LinkedHashMap<>();
    private long logLength;
    private long lines;
    private long unreadable;

    private OutputScan(Path directory) {
        this.directory = directory;
    }

    /** Hands on every line of the page log that is whole, those of retries too. */
    public static OutputScan read(Path directory, Consumer<PageEntry> out) throws IOException {
        var scan = new OutputScan(directory);
        var log = directory.resolve(PageLog.FILE);
        if (Files.exists(log)) {
            scan.readLog(log, out);
        }
        return scan;
    }

    private void readLog(Path log, Consumer<PageEntry> out) throws IOException {
        try (var in = new BufferedInputStream(Files.newInputStream(log), 1 << 16)) {
            var line = new ByteArrayOutputStream();
            var at = 0L;
            for (var next = in.read(); next >= 0; next = in.read()) {
                at++;
                if (next == '\n') {
                    logLength = at;
                    take(line.toString(StandardCharsets.UTF_8), out);
                    line.reset();
                } else {
                    line.write(next);
                }
            }
        }
    }

    private void take(String line, Consumer<PageEntry> out) {
        PageEntry entry;
        try {
            entry = PageLog.entry(line);
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

    /** How many lines were read. */
    public long lines() {
        return lines;
    }

    /** How many lines could not be read. */
    public long unreadable() {
        return unreadable;
    }

    /**
     * How long each output file is. A WARC file that is still open may end in a record that was
     * never finished; where no commit is known, it ends behind the last response that the page log
     * names.
     *
     * @param known what is known from commits, by name
     */
    public List<FileMark> marks(Disk disk, Map<String, FileMark> known) throws IOException {
        var marks = new ArrayList<FileMark>();
        var names = new ArrayList<>(known.keySet());
        captureEnds.keySet().stream().filter(name -> !known.containsKey(name)).forEach(names::add);
        names.remove(PageLog.FILE);
        for (var name : names) {
            marks.add(mark(disk, name, known.getOrDefault(name, new FileMark(name, -1, 0))));
        }
        if (logLength > 0) {
            var log = new FileMark(PageLog.FILE, logLength, 0);
            marks.add(
                    mark(
                            directory.resolve(PageLog.FILE),
                            known.getOrDefault(PageLog.FILE, log),
                            logLength));
        }
        return marks;
    }

    /** Output files that are shorter than a commit says, as sentences without advice. */
    public static List<String> shortFiles(Disk disk, Path directory, List<FileMark> marks)
            throws IOException {
        var moved = MovedFiles.read(disk, directory);
        var problems = new ArrayList<String>();
        for (var mark : marks) {
            var file = WarcFiles.place(disk, directory, mark.name());
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

    private FileMark mark(Disk disk, String name, FileMark known) throws IOException {
        var file = WarcFiles.place(disk, directory, name);
        var moved = MovedFiles.read(disk, directory).get(name);
        if (!disk.exists(file)) {
            return moved == null
                    ? new FileMark(name, 0, 0)
                    : new FileMark(name, moved.length(), known.checksum());
        }
        var actual = disk.length(file);
        var named = captureEnds.getOrDefault(name, 0L);
        var finished = !file.toString().endsWith(WarcFiles.OPEN);
        var wanted = known.length() < 0 && finished ? actual : Math.max(named, known.length());
        return mark(file, known, Math.min(wanted, actual));
    }

    /** A checksum that a commit gave stays, so that damage to the file is still found. */
    private static FileMark mark(Path file, FileMark known, long length) throws IOException {
        return known.length() == length && known.checksum() != 0
                ? known
                : new FileMark(known.name(), length, GrowingChecksum.of(file, length));
    }
}
