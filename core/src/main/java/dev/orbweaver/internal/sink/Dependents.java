package dev.orbweaver.internal.sink;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.DirectoryLock;
import dev.orbweaver.internal.disk.Disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The crawls whose revisit records refer to records of a crawl. Each has a file in {@link
 * DirectoryLayout#DEPENDENTS} with its directory.
 *
 * <p>A crawl registers before its first revisit record, while it holds the lock of its own
 * directory. A compaction holds the lock of the dependents and rejects dependents that are running.
 * So no reference can be added to a record while a compaction decides what to remove.
 */
public final class Dependents {

    private Dependents() {}

    /**
     * Registers a crawl whose directory is locked.
     *
     * @param crawl the crawl that it may refer to
     */
    public static void register(Disk disk, Path crawl, Path dependent) throws IOException {
        var directory = crawl.resolve(DirectoryLayout.DEPENDENTS);
        var text = text(dependent, crawl.toString());
        try (var _ = lock(crawl)) {
            add(disk, crawl, fileName(text), text);
        } catch (IOException e) {
            throw new IOException(
                    "could not register in %s, which must know the crawls that refer to it: %s; make the directory writable, or leave it out of dedupe-with"
                            .formatted(directory, e.getMessage()),
                    e);
        }
    }

    /** Adds the file of a dependent, as {@link #text} made it. */
    public static void add(Disk disk, Path crawl, String name, String text) throws IOException {
        var directory = crawl.resolve(DirectoryLayout.DEPENDENTS);
        if (!disk.exists(directory.resolve(name))) {
            disk.createDirectory(directory);
            AtomicFile.write(disk, directory.resolve(name), text);
            disk.syncDirectory(directory);
            disk.syncDirectory(crawl);
        }
    }

    /**
     * Returns the text of the file that registers a dependent.
     *
     * @param place the place of the other crawl, as the dependent's page log names it
     */
    public static String text(Path dependent, String place) {
        return dependent.toAbsolutePath().normalize() + "\n" + place + "\n";
    }

    /** Returns the name of the file with a text. */
    public static String fileName(String text) {
        var digest = Sha1.newDigest().digest(text.getBytes(UTF_8));
        return "%016x.txt".formatted(RevisitLookup.digestKey(digest));
    }

    /** Keeps crawls from registering. */
    static Closeable lock(Path crawl) throws IOException {
        return DirectoryLock.tryLock(crawl.resolve(DirectoryLayout.DEPENDENTS_LOCK))
                .orElseThrow(
                        () ->
                                new IOException(
                                        crawl
                                                + " is being compacted, or another crawl is"
                                                + " registering in it; run the command again"
                                                + " later"));
    }

    /**
     * A dependent crawl.
     *
     * @param place the name that it has for this crawl
     * @param file the file that registers it
     */
    private record Dependent(Path crawl, String place, Path file) {}

    private static List<Dependent> of(Disk disk, Path crawl) throws IOException {
        var directory = crawl.resolve(DirectoryLayout.DEPENDENTS);
        var dependents = new ArrayList<Dependent>();
        if (disk.exists(directory)) {
            for (var file : disk.list(directory)) {
                if (file.toString().endsWith(".txt")) {
                    var lines = AtomicFile.read(disk, file).lines().toList();
                    if (lines.size() != 2) {
                        throw new IOException(
                                file + " is damaged; expected two lines: a directory and a place");
                    }
                    dependents.add(new Dependent(Path.of(lines.get(0)), lines.get(1), file));
                }
            }
        }
        return dependents;
    }

    /** Returns whether there are crawls that refer to records of a crawl. */
    public static boolean exist(Disk disk, Path crawl) throws IOException {
        return of(disk, crawl).stream().anyMatch(dependent -> disk.exists(dependent.crawl));
    }

    /**
     * Returns the lines of a crawl's page log whose payloads other crawls need. The caller holds
     * {@link #lock}.
     */
    static LineSet neededLines(Disk disk, Path crawl) throws IOException {
        var needed = new LineSet();
        for (var dependent : of(disk, crawl)) {
            requireReadable(dependent, crawl);
            PageLog.readAll(
                    Compaction.currentLog(dependent.crawl),
                    Long.MAX_VALUE,
                    entry -> {
                        if (entry.original().crawl().equals(dependent.place)) {
                            needed.add(entry.original().line());
                        }
                    });
        }
        return needed;
    }

    private static void requireReadable(Dependent dependent, Path crawl) throws IOException {
        if (!Files.exists(Compaction.currentLog(dependent.crawl))) {
            throw new IOException(
                    "the crawl in %s refers to records of %s, but it is not there: put it back, or delete %s if it no longer exists"
                            .formatted(dependent.crawl, crawl, dependent.file));
        }
        if (DirectoryLock.isHeld(dependent.crawl.resolve(DirectoryLayout.LOCK))) {
            throw new IOException(
                    "the crawl in %s is running and refers to records of %s: wait for it or stop it"
                            .formatted(dependent.crawl, crawl));
        }
    }
}
