package dev.orbweaver.store;

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
 * @param job the fleet's name and the job's number there, with a slash between
 */
public record FleetPart(String worker, String job) {

    private static final String FILE = "fleet";

    /** Rejects what could not be read again. */
    public FleetPart {
        if (worker.isBlank() || job.isBlank() || (worker + job).contains("\n")) {
            throw new IllegalArgumentException("no part of a fleet: " + worker + ", " + job);
        }
    }

    /** Notes it down in a crawl's folder. */
    public void keep(Path crawl) throws IOException {
        if (!of(crawl).equals(Optional.of(this))) {
            var disk = new RealDisk();
            disk.createFolder(Stores.folder(crawl));
            WholeFile.write(disk, Stores.folder(crawl).resolve(FILE), worker + "\n" + job + "\n");
        }
    }

    /** What was noted down in a crawl's folder; nothing for a crawl of one process. */
    public static Optional<FleetPart> of(Path crawl) throws IOException {
        var file = Stores.folder(crawl).resolve(FILE);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        var lines = Files.readAllLines(file);
        return lines.size() == 2
                ? Optional.of(new FleetPart(lines.getFirst(), lines.getLast()))
                : Optional.empty();
    }
}
