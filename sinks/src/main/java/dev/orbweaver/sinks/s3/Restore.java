package dev.orbweaver.sinks.s3;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** Restores a crawl from a bucket. */
public final class Restore {

    private Restore() {}

    public record Report(int files, long bytes) {}

    /**
     * Writes the crawl's files into a directory that must be empty or missing. Every part is
     * verified against its SHA-256. An interrupted restore leaves no settings file, so the
     * directory is not mistaken for a crawl.
     */
    public static Report run(S3Location place, Path directory, String settingsFile)
            throws IOException {
        requireEmpty(directory);
        try (var bucket = Bucket.open(place, new AtomicLong())) {
            var text =
                    bucket.getText(Checkpoint.NAME)
                            .orElseThrow(() -> new IOException("there is no crawl in " + place));
            var checkpoint = Checkpoint.read(text);
            var bytes = 0L;
            for (var name : checkpoint.files().keySet()) {
                if (!name.equals(settingsFile)) {
                    bytes += fetch(bucket, checkpoint, name, directory);
                }
            }
            bytes += fetch(bucket, checkpoint, settingsFile, directory);
            return new Report(checkpoint.files().size(), bytes);
        }
    }

    private static void requireEmpty(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (var files = Files.list(directory)) {
                if (files.findAny().isPresent()) {
                    throw new IOException(directory + " is not empty; choose a new directory");
                }
            }
        }
    }

    private static long fetch(Bucket bucket, Checkpoint checkpoint, String name, Path directory)
            throws IOException {
        var root = directory.toAbsolutePath().normalize();
        var file = root.resolve(name).normalize();
        if (!file.startsWith(root) || file.equals(root)) {
            throw new IOException(
                    "the checkpoint contains a path outside of the directory: " + name);
        }
        Files.createDirectories(file.getParent());
        try (var out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (var piece : checkpoint.pieces(name)) {
                bucket.get(piece, out);
            }
        }
        return Files.size(file);
    }
}
