package dev.orbweaver.sink;

import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.disk.WholeFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Whose part of which fleet's job a folder is. It lies in the folder, so that whoever takes the
 * folder's pages over later says the same of them.
 *
 * @param number the worker's in its fleet, by which others name the lines of its page log
 * @param job the fleet's name and the job's number there, with a slash between
 * @param identity of the job: numbers of fleets whose Redis lost its data may be the same
 */
public record FleetPart(String worker, int number, String job, String identity) {

    private static final String FILE = "fleet";
    private static final int LINES = 4;

    /** Rejects what could not be read again. */
    public FleetPart {
        if (worker.isBlank() || job.isBlank() || (worker + job + identity).contains("\n")) {
            throw new IllegalArgumentException("no part of a fleet: " + worker + ", " + job);
        }
    }

    /** Notes it down in a crawl's folder. */
    public void keep(Path crawl) throws IOException {
        if (!of(crawl).equals(Optional.of(this))) {
            var disk = new RealDisk();
            disk.createFolder(StoreStatus.folder(crawl));
            WholeFile.write(
                    disk,
                    StoreStatus.folder(crawl).resolve(FILE),
                    worker + "\n" + number + "\n" + job + "\n" + identity + "\n");
        }
    }

    /** What was noted down in a crawl's folder; nothing for a crawl of one process. */
    public static Optional<FleetPart> of(Path crawl) throws IOException {
        var file = StoreStatus.folder(crawl).resolve(FILE);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        var lines = WholeFile.read(new RealDisk(), file).lines().toList();
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
