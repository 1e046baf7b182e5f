package dev.orbweaver.sink;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.disk.WholeFile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * WARC files of a crawl that lie elsewhere only. The note is made before the file is deleted, and
 * counts only where the file is not there: a death between the two leaves a file and a note of it,
 * which says nothing.
 */
public final class MovedFiles {

    /** Its name in a crawl's folder. */
    public static final String FILE = "moved.tsv";

    private MovedFiles() {}

    /** A file that was moved. */
    record Moved(long length, String place) {}

    /**
     * Notes that a file of this name and length lies in a place, because it will be deleted here.
     */
    public static void add(Disk disk, Path folder, String name, long length, String place)
            throws IOException {
        var moved = new LinkedHashMap<>(read(disk, folder));
        moved.put(name, new Moved(length, place));
        var text = new StringBuilder();
        moved.forEach(
                (file, each) ->
                        text.append(file)
                                .append('\t')
                                .append(each.length)
                                .append('\t')
                                .append(each.place)
                                .append('\n'));
        WholeFile.write(disk, folder.resolve(FILE), text.toString());
    }

    /** What was moved, by name. */
    static Map<String, Moved> read(Disk disk, Path folder) throws IOException {
        var file = folder.resolve(FILE);
        var moved = new LinkedHashMap<String, Moved>();
        if (disk.exists(file)) {
            for (var line : WholeFile.read(disk, file).lines().toList()) {
                var parts = line.split("\t", -1);
                if (parts.length != 3 || !parts[1].matches("\\d{1,18}")) {
                    throw new IOException(file + " has a line that tells of no file: " + line);
                }
                moved.put(parts[0], new Moved(Long.parseLong(parts[1]), parts[2]));
            }
        }
        return moved;
    }

    /** Why a file is not there, in a sentence, if it was moved. */
    static Optional<String> why(Disk disk, Path folder, String name) throws IOException {
        return Optional.ofNullable(read(disk, folder).get(name))
                .map(
                        moved ->
                                "%s lies in %s only: 'orbweaver restore %s' brings the whole crawl back into a new folder"
                                        .formatted(folder.resolve(name), moved.place, moved.place));
    }
}
