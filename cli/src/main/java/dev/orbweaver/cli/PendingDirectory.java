package dev.orbweaver.cli;

import dev.orbweaver.internal.disk.DirectoryLock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;

/**
 * A temporary directory beside a crawl's directory, on the same disk. It is locked while it is in
 * use, so that the next command for the crawl removes what a killed process has left.
 */
final class PendingDirectory implements AutoCloseable {

    private static final String LOCK = "in-use";

    private final Path path;
    private final DirectoryLock lock;

    private PendingDirectory(Path path, DirectoryLock lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * @param crawl the directory of the crawl, which need not exist; empty for a crawl that has
     *     none on this machine
     */
    static PendingDirectory create(Optional<Path> crawl) throws IOException {
        var place = crawl.isPresent() ? beside(crawl.get()) : temporary();
        var prefix = "." + crawl.map(Path::getFileName).map(Path::toString).orElse("") + ".seeds-";
        removeUnused(place, prefix);
        var path = Files.createTempDirectory(place, prefix);
        var lock = DirectoryLock.tryLock(path.resolve(LOCK));
        return new PendingDirectory(
                path, lock.orElseThrow(() -> new IOException(path + " is locked")));
    }

    private static Path temporary() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    /** Returns the nearest existing parent, or the directory itself if its parent is read-only. */
    private static Path beside(Path crawl) {
        var directory = crawl.toAbsolutePath().normalize();
        var parent = directory.getParent();
        while (parent != null && !Files.isDirectory(parent)) {
            parent = parent.getParent();
        }
        return parent == null || (!Files.isWritable(parent) && Files.isDirectory(directory))
                ? directory
                : parent;
    }

    private static void removeUnused(Path place, String prefix) throws IOException {
        try (var found = Files.newDirectoryStream(place, prefix + "*")) {
            for (var path : found) {
                if (!DirectoryLock.isHeld(path.resolve(LOCK))) {
                    delete(path);
                }
            }
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        try (lock) {
            delete(path);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
