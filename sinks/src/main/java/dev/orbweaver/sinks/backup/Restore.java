package dev.orbweaver.sinks.backup;

import dev.orbweaver.internal.config.InvalidArgumentException;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.disk.FingerprintKeyFile;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Restores a crawl from a checkpoint. */
public final class Restore {

    private static final String KEY = DirectoryLayout.FRONTIER + "/" + FingerprintKeyFile.NAME;

    /** Selects the checkpoint of the S3 sink instead of a backup. */
    public static final String SINK = "checkpoint";

    private Restore() {}

    public record Report(int files, long bytes) {}

    /** Rejects a directory that has files. */
    private static void requireEmpty(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (var files = Files.list(directory)) {
                if (files.findAny().isPresent()) {
                    throw new InvalidArgumentException(
                            directory + " is not empty; choose a new directory");
                }
            }
        }
    }

    /**
     * Writes the crawl's files into a directory that must be empty or missing. Every piece is
     * verified against its SHA-256. An interrupted restore leaves neither the frontier's key nor
     * the settings, so the directory is not mistaken for a crawl or a service.
     *
     * @param at the id of a backup, or {@link #SINK} for the checkpoint of the S3 sink; empty for
     *     the newest backup or, where there is none, that checkpoint
     */
    public static Report run(PieceStore store, String at, Path directory) throws IOException {
        requireEmpty(directory);
        var checkpoint = find(store, at);
        var names = new ArrayList<>(checkpoint.files().keySet());
        for (var last : List.of(KEY, DirectoryLayout.SETTINGS)) {
            if (names.remove(last)) {
                names.add(last);
            }
        }
        var bytes = 0L;
        for (var name : names) {
            bytes += fetch(store, checkpoint, name, directory);
        }
        return new Report(names.size(), bytes);
    }

    private static Checkpoint find(PieceStore store, String at) throws IOException {
        var catalog = BackupCatalog.read(store);
        var ofSink = store.getText(Checkpoint.NAME);
        var newest = catalog.newest();
        if (at.isEmpty() && ofSink.isPresent() && newest.isPresent()) {
            throw new IOException(
                    "%s has backups and the checkpoint of a crawl's --s3; choose one with --at %s or --at %s"
                            .formatted(store, newest.get(), SINK));
        }
        if (ofSink.isPresent() && (at.isEmpty() || at.equals(SINK))) {
            return Checkpoint.read(ofSink.get());
        }
        var id = at.isEmpty() ? newest : Optional.of(at);
        return id.flatMap(catalog::find)
                .orElseThrow(
                        () ->
                                new IOException(
                                        newest.isEmpty()
                                                ? "there is no finished backup in " + store
                                                : "there is no backup %s in %s; there are %s"
                                                        .formatted(
                                                                at,
                                                                store,
                                                                String.join(", ", catalog.ids()))));
    }

    private static long fetch(PieceStore store, Checkpoint checkpoint, String name, Path directory)
            throws IOException {
        var root = directory.toAbsolutePath().normalize();
        var file = root.resolve(name).normalize();
        if (!file.startsWith(root) || file.equals(root)) {
            throw new IOException(
                    "the checkpoint contains a path outside of the directory: " + name);
        }
        Files.createDirectories(file.getParent());
        try (var out = new BufferedOutputStream(Files.newOutputStream(file))) {
            if (name.equals(KEY)) {
                new RealDisk().makePrivate(file);
            }
            for (var piece : checkpoint.pieces(name)) {
                store.get(piece, out);
            }
        }
        return Files.size(file);
    }
}
