package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.Disk;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A file of a frontier's directory.
 *
 * @param version of its format, 0 if it has none
 * @param description the purpose of the file
 */
public record FrontierFile(String name, long bytes, int version, String description) {

    private static final String MAGIC = "ORB";
    private static final int VERSION_AT = 7;

    /** Lists the files by name; omits a file that is deleted in the meantime. */
    static List<FrontierFile> list(Disk disk, Path directory) throws IOException {
        var files = new ArrayList<FrontierFile>();
        for (var path : disk.list(directory)) {
            var name = path.getFileName().toString();
            try {
                files.add(
                        new FrontierFile(
                                name, disk.length(path), version(disk, path), describe(name)));
            } catch (NoSuchFileException gone) {
                // A running process has replaced it; its successor is or will be listed.
            }
        }
        return files;
    }

    /**
     * Returns the eighth byte of the file, which is the version in every format; in some as a
     * digit.
     */
    private static int version(Disk disk, Path path) throws IOException {
        try (var mappedFile = disk.map(path)) {
            var bytes = mappedFile.bytes();
            if (bytes.byteSize() <= VERSION_AT) {
                return 0;
            }
            for (var i = 0; i < MAGIC.length(); i++) {
                if (bytes.get(ValueLayout.JAVA_BYTE, i) != MAGIC.charAt(i)) {
                    return 0;
                }
            }
            var version = bytes.get(ValueLayout.JAVA_BYTE, VERSION_AT);
            return version >= '0' ? version - '0' : version;
        }
    }

    private static String describe(String name) {
        if (name.endsWith(".unfinished")) {
            return "being written, or left by a crash";
        }
        var kind = name.replaceAll("\\d+", "N");
        return switch (kind) {
            case "snapshot-N" -> "complete state at the time of the snapshot";
            case "journal-N" -> "events since the snapshot";
            case "dead" -> "dead letters";
            case FingerprintKeyFile.NAME -> "secret key of the URL fingerprints";
            case "seen-N.log" -> "fingerprints of seen URLs";
            case "seen-N.table" -> "lookup table of the seen log; can be rebuilt";
            case "segment-N" -> "queued URLs";
            case "segment-N.index" -> "offsets of each host's URLs in the segment";
            default -> "not a frontier file";
        };
    }
}
