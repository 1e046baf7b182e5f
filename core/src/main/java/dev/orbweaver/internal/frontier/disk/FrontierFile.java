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
 * @param description what it is for
 */
public record FrontierFile(String name, long bytes, int version, String description) {

    private static final String MAGIC = "ORB";
    private static final int VERSION_AT = 7;

    /** By name; a file that is deleted meanwhile is left out. */
    static List<FrontierFile> list(Disk disk, Path directory) throws IOException {
        var files = new ArrayList<FrontierFile>();
        for (var path : disk.list(directory)) {
            var name = path.getFileName().toString();
            try {
                files.add(
                        new FrontierFile(
                                name, disk.length(path), version(disk, path), describe(name)));
            } catch (NoSuchFileException gone) {
                // A running process has replaced it; its successor is or will be here.
            }
        }
        return files;
    }

    /** The eighth byte of every kind of file, in some of them as a digit. */
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
            case "snapshot-N" -> "the whole state at one moment";
            case "journal-N" -> "what happened since";
            case "dead" -> "dead letters";
            case FingerprintKeyFile.NAME -> "the secret under which keys of URLs are made";
            case "seen-N.log" -> "keys of the URLs seen";
            case "seen-N.table" -> "the same, to look up; can be made again";
            case "segment-N" -> "queued URLs";
            case "segment-N.index" -> "where each host's are";
            default -> "not of the frontier";
        };
    }
}
