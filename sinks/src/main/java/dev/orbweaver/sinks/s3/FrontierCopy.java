package dev.orbweaver.sinks.s3;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The frontier's files held still while the frontier goes on: a second name (a hard link) for each
 * in a folder of its own, and the length that counts. Snapshots and segments never change; journal,
 * key logs and dead letters only grow, so a name and a length are a copy that costs nothing.
 *
 * <p><b>Why it is whole.</b> The length of the journal is read first. Whatever the journal up to
 * there speaks of was on disk before it was written, and stays until the next snapshot. The growing
 * files may be linked later: opening cuts them back to what the snapshot says and adds what the
 * journal does. If there is a newer snapshot after the last link was made, files may have been
 * deleted in between, and all is done again.
 *
 * <p>Tables of keys are left out: they change in place, and are made again from their logs.
 */
final class FrontierCopy {

    private static final int TRIES = 10;
    private static final Pattern SNAPSHOT = Pattern.compile("snapshot-(\\d+)");
    private static final Pattern COPIED_NAMES =
            Pattern.compile("segment-\\d+(\\.index)?|seen-\\d+\\.log|dead|fingerprint-key");

    record CopiedFile(String name, Path file, long length) {}

    private FrontierCopy() {}

    /** Links the frontier's files into a directory that is emptied before. */
    static List<CopiedFile> make(Path frontier, Path into) throws IOException {
        for (var left = TRIES; ; left--) {
            clear(into);
            try {
                var number = newestSnapshot(frontier);
                var copiedFile = link(frontier, into, number);
                if (newestSnapshot(frontier) == number) {
                    return copiedFile;
                }
            } catch (NoSuchFileException rotated) {
                if (left == 0) {
                    throw rotated;
                }
            }
            if (left == 0) {
                throw new IOException("the frontier changes too quickly to be copied");
            }
        }
    }

    private static List<CopiedFile> link(Path frontier, Path into, long number) throws IOException {
        var copiedFile = new ArrayList<CopiedFile>();
        linkFile(frontier, into, "journal-" + number, copiedFile);
        for (var name : names(frontier)) {
            var snapshot = SNAPSHOT.matcher(name);
            if (COPIED_NAMES.matcher(name).matches()
                    || (snapshot.matches() && number(snapshot) == number)) {
                linkFile(frontier, into, name, copiedFile);
            }
        }
        return copiedFile;
    }

    private static void linkFile(Path frontier, Path into, String name, List<CopiedFile> copiedFile)
            throws IOException {
        var file = frontier.resolve(name);
        var length = Files.size(file);
        var link = into.resolve(name);
        try {
            Files.createLink(link, file);
        } catch (UnsupportedOperationException | FileSystemException e) {
            // Where files cannot have two names, Java and Linux say so in these two ways; what
            // grew meanwhile is behind the length that is held.
            Files.copy(file, link, StandardCopyOption.REPLACE_EXISTING);
        }
        copiedFile.add(new CopiedFile(name, link, length));
    }

    /** The number of the newest snapshot, or of the first journal. */
    private static long newestSnapshot(Path frontier) throws IOException {
        return names(frontier).stream()
                .map(SNAPSHOT::matcher)
                .filter(Matcher::matches)
                .mapToLong(FrontierCopy::number)
                .max()
                .orElse(0);
    }

    private static long number(Matcher name) {
        return Long.parseLong(name.group(1));
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    static void clear(Path directory) throws IOException {
        Files.createDirectories(directory);
        for (var name : names(directory)) {
            Files.deleteIfExists(directory.resolve(name));
        }
    }
}
