package dev.orbweaver.sink;

import dev.orbweaver.disk.Disk;
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
    public List<FileMark> marks(Disk disk, Map<String, Long> known) throws IOException {
        var marks = new ArrayList<FileMark>();
        var names = new ArrayList<>(known.keySet());
        captureEnds.keySet().stream().filter(name -> !known.containsKey(name)).forEach(names::add);
        names.remove(PageLog.FILE);
        for (var name : names) {
            marks.add(new FileMark(name, length(disk, name, known.getOrDefault(name, -1L))));
        }
        if (logLength > 0) {
            marks.add(new FileMark(PageLog.FILE, logLength));
        }
        return marks;
    }

    private long length(Disk disk, String name, long known) throws IOException {
        var file = WarcFiles.place(disk, directory, name);
        var moved = MovedFiles.read(disk, directory).get(name);
        if (!disk.exists(file)) {
            return moved == null ? Math.max(0, known) : moved.length();
        }
        var actual = disk.length(file);
        var named = captureEnds.getOrDefault(name, 0L);
        var finished = !file.toString().endsWith(WarcFiles.OPEN);
        var wanted = known < 0 && finished ? actual : Math.max(named, known);
        return Math.min(wanted, actual);
    }
}
