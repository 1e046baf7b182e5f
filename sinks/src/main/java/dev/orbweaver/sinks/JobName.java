package dev.orbweaver.sinks;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.sink.SinkStatus;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The name by which a crawl is known at places that hold several. It is drawn once and kept in the
 * crawl's folder: the folder may be moved, resumed or restored elsewhere and stays the same crawl.
 */
final class JobName {

    private static final String FILE = "job";

    private JobName() {}

    static String loadOrCreate(Path crawl) throws IOException {
        var disk = new RealDisk();
        var file = SinkStatus.directory(crawl).resolve(FILE);
        if (!Files.exists(file)) {
            disk.createDirectory(SinkStatus.directory(crawl));
            AtomicFile.write(disk, file, UUID.randomUUID() + "\n");
        }
        return AtomicFile.read(disk, file).strip();
    }
}
