package dev.orbweaver.sinks.backup;

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
 * A consistent copy of the frontier's files while the frontier continues to write.
 *
 * <p>The copy is a hard link for each file in a separate directory, and the valid length. Snapshots
 * and segments never change; journal, key logs and dead letters only grow, so a link and a length
 * are a copy without cost.
 *
 * <p><b>Why it is consistent.</b> The length of the journal is read first. Every file that the
 * journal refers to up to there was on disk before the journal was written, and is kept until the
 * next snapshot. The growing files may be linked later: opening truncates them to the snapshot's
 * lengths and adds the content of the journal. If there is a newer snapshot after the last link was
 * made, files may have been deleted in between, and the copy is repeated.
 *
 * <p>Tables of keys are omitted: they change in place, and are rebuilt from their logs.
 */
public final class FrontierCopy {

    private static final int TRIES = 10;
    private static final Pattern SNAPSHOT = Pattern.compile("snapshot-(\\d+)");
    private static final Pattern COPIED_NAMES =
            Pattern.compile("segment-\\d+(\\.index)?|seen-\\d+\\.log|dead|fingerprint-key");

    public record CopiedFile(String name, Path file, long length) {}

    private FrontierCopy() {}

    /** Links the frontier's files into a directory, which is emptied first. */
    public static List<CopiedFile> make(Path frontier, Path into) throws IOException {
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
                throw new IOException("could not copy the frontier: it changes too fast");
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
        copiedFile.add(link(frontier.resolve(name), into.resolve(name), name));
    }

    /** Links a file, so that its bytes stay readable when it is deleted or replaced. */
    static CopiedFile link(Path file, Path link, String name) throws IOException {
        var length = Files.size(file);
        try {
            Files.createLink(link, file);
        } catch (UnsupportedOperationException | FileSystemException e) {
            // Java and Linux report in these two ways that a file system does not support hard
            // links. Bytes appended in the meantime are beyond the recorded length.
            Files.copy(file, link, StandardCopyOption.REPLACE_EXISTING);
        }
        return new CopiedFile(name, link, length);
    }

    /** Returns the number of the newest snapshot, or of the first journal. */
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

    public static void clear(Path directory) throws IOException {
        Files.createDirectories(directory);
        for (var name : names(directory)) {
            Files.deleteIfExists(directory.resolve(name));
        }
    }
}
