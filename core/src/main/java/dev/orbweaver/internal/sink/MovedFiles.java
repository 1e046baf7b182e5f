package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Records which WARC files of a crawl were moved elsewhere. The entry is written before the file is
 * deleted, and is valid only if the file is missing: a crash between the two leaves both.
 */
public final class MovedFiles {

    private MovedFiles() {}

    record Moved(long length, String location) {}

    /** Records that a file of this name and length is stored elsewhere and will be deleted here. */
    public static void add(Disk disk, Path directory, String name, long length, String place)
            throws IOException {
        var moved = new LinkedHashMap<>(read(disk, directory));
        moved.put(name, new Moved(length, place));
        var text = new StringBuilder();
        moved.forEach(
                (file, each) ->
                        text.append(file)
                                .append('\t')
                                .append(each.length)
                                .append('\t')
                                .append(each.location)
                                .append('\n'));
        AtomicFile.write(disk, directory.resolve(DirectoryLayout.MOVED_FILES), text.toString());
    }

    static Map<String, Moved> read(Disk disk, Path directory) throws IOException {
        var file = directory.resolve(DirectoryLayout.MOVED_FILES);
        var moved = new LinkedHashMap<String, Moved>();
        if (disk.exists(file)) {
            for (var line : AtomicFile.read(disk, file).lines().toList()) {
                var parts = line.split("\t", -1);
                if (parts.length != 3 || !parts[1].matches("\\d{1,18}")) {
                    throw new IOException(file + " has an invalid line: " + line);
                }
                moved.put(parts[0], new Moved(Long.parseLong(parts[1]), parts[2]));
            }
        }
        return moved;
    }

    /** Returns why a file is missing, as a sentence, if it was moved. */
    static Optional<String> missingReason(Disk disk, Path directory, String name)
            throws IOException {
        return Optional.ofNullable(read(disk, directory).get(name))
                .map(
                        moved ->
                                "%s is only in %s: the command 'orbweaver restore %s' restores the whole crawl into a new directory"
                                        .formatted(
                                                directory.resolve(name),
                                                moved.location,
                                                moved.location));
    }
}
