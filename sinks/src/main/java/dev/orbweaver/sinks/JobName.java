package dev.orbweaver.sinks;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.sink.SinkStatus;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The name of a crawl in stores that contain several. It is random and stored in the crawl's
 * directory, which may be moved, resumed or restored elsewhere.
 */
public final class JobName {

    private JobName() {}

    public static String loadOrCreate(Path crawl) throws IOException {
        var disk = new RealDisk();
        var file = SinkStatus.directory(crawl).resolve(DirectoryLayout.SINKS_JOB);
        if (!Files.exists(file)) {
            disk.createDirectory(SinkStatus.directory(crawl));
            AtomicFile.write(disk, file, UUID.randomUUID() + "\n");
        }
        return AtomicFile.read(disk, file).strip();
    }
}
