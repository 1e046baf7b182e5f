package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Identifies a directory as one worker's part of a fleet job; stored in the directory.
 *
 * @param number the worker's number in its fleet, by which others refer to lines of its page log
 * @param job the fleet's name and the job's number there, separated by a slash
 * @param identity of the job: numbers repeat if a fleet's Redis lost its data
 */
public record FleetPart(String worker, int number, String job, String identity) {

    private static final int LINES = 4;

    public FleetPart {
        if (worker.isBlank() || job.isBlank() || (worker + job + identity).contains("\n")) {
            throw new IllegalArgumentException(
                    "invalid part of a fleet job: " + worker + ", " + job);
        }
    }

    public void save(Path crawl) throws IOException {
        if (!read(crawl).equals(Optional.of(this))) {
            var disk = new RealDisk();
            disk.createDirectory(SinkStatus.directory(crawl));
            AtomicFile.write(
                    disk,
                    SinkStatus.directory(crawl).resolve(DirectoryLayout.SINKS_FLEET_PART),
                    worker + "\n" + number + "\n" + job + "\n" + identity + "\n");
        }
    }

    /** Reads the part of a directory; empty for a crawl of one process. */
    public static Optional<FleetPart> read(Path crawl) throws IOException {
        var file = SinkStatus.directory(crawl).resolve(DirectoryLayout.SINKS_FLEET_PART);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        var lines = AtomicFile.read(new RealDisk(), file).lines().toList();
        if (lines.size() != LINES) {
            throw new IOException(file + " does not name the worker and job of this directory");
        }
        return Optional.of(
                new FleetPart(
                        lines.getFirst(),
                        Integer.parseInt(lines.get(1)),
                        lines.get(2),
                        lines.getLast()));
    }
}
