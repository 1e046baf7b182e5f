package dev.orbweaver.store;

import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.disk.WholeFile;
import dev.orbweaver.sink.StoreStatus;

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

    static String of(Path crawl) throws IOException {
        var disk = new RealDisk();
        var file = StoreStatus.folder(crawl).resolve(FILE);
        if (!Files.exists(file)) {
            disk.createFolder(StoreStatus.folder(crawl));
            WholeFile.write(disk, file, UUID.randomUUID() + "\n");
        }
        return WholeFile.read(disk, file).strip();
    }
}
