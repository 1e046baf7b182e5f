package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RealDisk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * Finds WARC files by name. A file being written has the suffix {@code .open}; page log and
 * committed lengths use the final name from the start.
 */
public final class WarcFiles {

    public static final String OPEN = ".open";

    static final String PREFIX = "orbweaver-";

    private static final Pattern SERIAL = Pattern.compile("-(\\d{5,9})(?:-\\d+)?\\.warc");

    private WarcFiles() {}

    /**
     * Returns the current path of a file of a crawl: finished, still open, or its final path if it
     * is missing.
     */
    public static Path find(Path directory, String name) {
        var finished = directory.resolve(name);
        var open = directory.resolve(name + OPEN);
        return Files.exists(finished) || !Files.exists(open) ? finished : open;
    }

    /** Opens a file of a crawl for reading, even if it is being renamed at the same time. */
    public static FileChannel open(Path directory, String name) throws IOException {
        for (var tried = 0; tried < 2; tried++) {
            try {
                return FileChannel.open(find(directory, name));
            } catch (NoSuchFileException missing) {
                // It may have been renamed in the meantime; then the second attempt finds it.
            }
        }
        var moved = MovedFiles.missingReason(new RealDisk(), directory, name);
        if (moved.isPresent()) {
            throw new IOException(moved.get());
        }
        throw new IOException(
                "the WARC file %s of the page log is missing: restore it from a backup"
                        .formatted(directory.resolve(name)));
    }

    /** Returns whether a file is only elsewhere, because a sink has moved it there. */
    public static boolean isMoved(Disk disk, Path directory, String name) throws IOException {
        return MovedFiles.missingReason(disk, directory, name).isPresent();
    }

    /** Finds a file on a disk that may be simulated. */
    static Path locate(Disk disk, Path directory, String name) {
        var finished = directory.resolve(name);
        var open = directory.resolve(name + OPEN);
        return disk.exists(finished) || !disk.exists(open) ? finished : open;
    }

    /** Returns a name without the suffix {@link #OPEN}. */
    static String finishedName(String name) {
        return name.endsWith(OPEN) ? name.substring(0, name.length() - OPEN.length()) : name;
    }

    static boolean isCrawlWarc(Path file) {
        var name = file.getFileName().toString();
        return name.startsWith(PREFIX) && name.contains(".warc");
    }

    static OptionalInt serial(String name) {
        var matcher = SERIAL.matcher(name);
        return matcher.find()
                ? OptionalInt.of(Integer.parseInt(matcher.group(1)))
                : OptionalInt.empty();
    }
}
