package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Which worker's part of which fleet's job a directory is, stored in it.
 *
 * @param number the worker's in its fleet, by which others refer to lines of its page log
 * @param job the fleet's name and the job's number there, with a slash between
 * @param identity of the job: numbers of fleets whose Redis lost its data may be the same
 */
public record FleetPart(String worker, int number, String job, String identity) {

    private static final int LINES = 4;

    public FleetPart {
        if (worker.isBlank() || job.isBlank() || (worker + job + identity).contains("\n")) {
            throw new IllegalArgumentException("no part of a fleet: " + worker + ", " + job);
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

    /** Empty for a crawl of one process. */
    public static Optional<FleetPart> read(Path crawl) throws IOException {
        var file = SinkStatus.directory(crawl).resolve(DirectoryLayout.SINKS_FLEET_PART);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        var lines = AtomicFile.read(new RealDisk(), file).lines().toList();
        if (lines.size() != LINES) {
            throw new IOException(file + " does not say whose part of a fleet's job this is");
        }
        return Optional.of(
                new FleetPart(
                        lines.getFirst(),
                        Integer.parseInt(lines.get(1)),
                        lines.get(2),
                        lines.getLast()));
    }
}
