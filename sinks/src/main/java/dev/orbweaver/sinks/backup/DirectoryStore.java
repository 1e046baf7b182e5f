package dev.orbweaver.sinks.backup;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.DirectoryLock;
import dev.orbweaver.internal.disk.Disk;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongConsumer;

/**
 * A directory of checkpoints and pieces.
 *
 * <p>A file is written under a temporary name, synced and renamed, so a file with its final name is
 * complete. Before a text is written, the directories of all pieces are synced.
 */
public final class DirectoryStore implements PieceStore {

    private static final String UNFINISHED = ".unfinished";

    private final Disk disk;
    private final Path root;
    private final LongConsumer transferred;
    private final Set<Path> unsynced = new TreeSet<>();

    /**
     * @param transferred receives the length of everything that is copied
     */
    public DirectoryStore(Disk disk, Path root, LongConsumer transferred) {
        this.disk = disk;
        this.root = root;
        this.transferred = transferred;
    }

    @Override
    public Optional<String> getText(String name) throws IOException {
        var file = root.resolve(name);
        return Files.isRegularFile(file)
                ? Optional.of(new String(disk.read(file), UTF_8))
                : Optional.empty();
    }

    @Override
    public void putText(String name, String text) throws IOException {
        for (var directory : unsynced) {
            disk.syncDirectory(directory);
        }
        unsynced.clear();
        var file = root.resolve(name);
        createParents(file);
        AtomicFile.replace(disk, file, text);
        for (var directory : directories(file)) {
            disk.syncDirectory(directory);
        }
    }

    private void createParents(Path file) throws IOException {
        for (var directory : directories(file)) {
            unsynced.add(directory);
        }
        disk.createDirectory(directories(file).getFirst());
    }

    /** Returns the directory of a file and those above it, up to the root. */
    private List<Path> directories(Path file) {
        var directories = new ArrayList<Path>();
        var parts = root.relativize(file);
        for (var depth = parts.getNameCount() - 1; depth > 0; depth--) {
            directories.add(root.resolve(parts.subpath(0, depth)));
        }
        directories.add(root);
        return directories;
    }

    @Override
    public void put(Checkpoint.Piece piece, Path file, long offset) throws IOException {
        var target = root.resolve(piece.key());
        var unfinished = target.resolveSibling(target.getFileName() + UNFINISHED);
        createParents(target);
        disk.delete(unfinished);
        try {
            try (var out = disk.append(unfinished)) {
                disk.makePrivate(unfinished); // As the frontier's key is.
                var sha =
                        Sha256.of(
                                file,
                                offset,
                                piece.length(),
                                bytes -> {
                                    transferred.accept(bytes.remaining());
                                    out.append(bytes);
                                });
                if (!sha.equals(piece.sha256())) {
                    throw Sha256.changed(file);
                }
                out.sync();
            }
        } catch (IOException e) {
            disk.delete(unfinished); // It would only occupy space, perhaps the last.
            throw e;
        }
        disk.moveAtomically(unfinished, target);
    }

    @Override
    public void get(Checkpoint.Piece piece, OutputStream out) throws IOException {
        var file = root.resolve(piece.key()).normalize();
        if (!file.startsWith(root.normalize())) {
            throw new IOException(
                    "the backup names a file outside of %s: %s".formatted(root, file));
        }
        if (!Files.isRegularFile(file) || Files.size(file) != piece.length()) {
            throw new IOException(
                    "%s is missing or truncated; restore another backup with --at".formatted(file));
        }
        var channel = Channels.newChannel(out);
        var sha =
                Sha256.of(
                        file,
                        0,
                        piece.length(),
                        bytes -> {
                            transferred.accept(bytes.remaining());
                            var _ = channel.write(bytes);
                        });
        if (!sha.equals(piece.sha256())) {
            throw new IOException(
                    "%s is damaged: it does not match its checksum; restore another backup with --at"
                            .formatted(file));
        }
    }

    @Override
    public List<String> list(String prefix) throws IOException {
        if (!Files.isDirectory(root)) {
            return List.of();
        }
        var from = prefix.isEmpty() ? root : root.resolve(prefix);
        if (!Files.isDirectory(from)) {
            return List.of();
        }
        try (var files = Files.walk(from)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> root.relativize(file).toString())
                    .filter(name -> !name.endsWith(UNFINISHED))
                    .sorted()
                    .toList();
        }
    }

    @Override
    public void delete(String name) throws IOException {
        var file = root.resolve(name);
        disk.delete(file);
        removeEmptyParents(file);
    }

    private void removeEmptyParents(Path file) throws IOException {
        for (var directory : directories(file)) {
            if (directory.equals(root)) {
                return;
            }
            try (var entries = Files.list(directory)) {
                if (entries.findAny().isPresent()) {
                    return;
                }
            }
            Files.delete(directory);
            unsynced.remove(directory);
        }
    }

    @Override
    public void removeUnfinished(String prefix) throws IOException {
        var from = root.resolve(prefix);
        if (!Files.isDirectory(from)) {
            return;
        }
        List<Path> left;
        try (var files = Files.walk(from)) {
            left = files.filter(file -> file.toString().endsWith(UNFINISHED)).toList();
        }
        for (var file : left) {
            disk.delete(file);
            removeEmptyParents(file);
        }
    }

    @Override
    public Closeable lock() throws IOException {
        disk.createDirectory(root);
        return DirectoryLock.tryLock(root.resolve(DirectoryLayout.LOCK))
                .orElseThrow(
                        () -> new IOException("another process is making a backup in " + root));
    }

    @Override
    public void close() {}

    @Override
    public String toString() {
        return root.toString();
    }
}
