package dev.orbweaver.sink;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.disk.RealDisk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * WARC files by their names. While a file is written to it carries {@code .open} behind its name,
 * so that whoever copies finished files can tell. The page log and the frontier's marks name it
 * from the beginning as it will be called in the end: only here is it known that there are two
 * spellings.
 */
public final class WarcFiles {

    /** Behind the name of a file that may still grow. */
    public static final String OPEN = ".open";

    static final String PREFIX = "orbweaver-";

    private static final Pattern SERIAL = Pattern.compile("-(\\d{5,9})(?:-\\d+)?\\.warc");

    private WarcFiles() {}

    /** Where a file of a crawl is now: finished, still open, or missing under its own name. */
    public static Path find(Path folder, String name) {
        var finished = folder.resolve(name);
        var open = folder.resolve(name + OPEN);
        return Files.exists(finished) || !Files.exists(open) ? finished : open;
    }

    /** Opens a file of a crawl for reading, which may be finished at this very moment. */
    public static FileChannel open(Path folder, String name) throws IOException {
        for (var tried = 0; tried < 2; tried++) {
            try {
                return FileChannel.open(find(folder, name));
            } catch (NoSuchFileException missing) {
                // It may have been renamed meanwhile; then the second try finds it.
            }
        }
        var moved = MovedFiles.why(new RealDisk(), folder, name);
        if (moved.isPresent()) {
            throw new IOException(moved.get());
        }
        throw new IOException(
                "the WARC file %s is missing, though the page log names it: restore it from a copy"
                        .formatted(folder.resolve(name)));
    }

    /** The same on a disk that may be simulated. */
    static Path place(Disk disk, Path folder, String name) {
        var finished = folder.resolve(name);
        var open = folder.resolve(name + OPEN);
        return disk.exists(finished) || !disk.exists(open) ? finished : open;
    }

    /** The name without what an open file carries. */
    static String finished(String name) {
        return name.endsWith(OPEN) ? name.substring(0, name.length() - OPEN.length()) : name;
    }

    static boolean isOurs(Path file) {
        var name = file.getFileName().toString();
        return name.startsWith(PREFIX) && name.contains(".warc");
    }

    /** The number in a file's name. */
    static OptionalInt serial(String name) {
        var matcher = SERIAL.matcher(name);
        return matcher.find()
                ? OptionalInt.of(Integer.parseInt(matcher.group(1)))
                : OptionalInt.empty();
    }
}
