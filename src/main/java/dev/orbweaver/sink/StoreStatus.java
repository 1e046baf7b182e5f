package dev.orbweaver.sink;

import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.disk.WholeFile;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How a store stands, as it is noted in the crawl's folder for whoever asks from outside. Nothing
 * depends on the note: the store itself knows its position.
 *
 * @param done what it has, in the store's own unit
 * @param total what was committed when this was noted
 * @param trouble what went wrong last; empty when all is well
 */
public record StoreStatus(String name, long done, long total, String unit, String trouble) {

    private static final String SUFFIX = ".status";

    /** The directory in a crawl's directory for what its sinks need. */
    public static final String FOLDER = "sinks";

    /** The directory of a crawl for what its sinks need. */
    public static Path folder(Path crawl) {
        return crawl.resolve(FOLDER);
    }

    /** Whether it has everything. */
    public boolean isComplete() {
        return done >= total && trouble.isEmpty();
    }

    /** The notes in a crawl's folder, by name. */
    public static List<StoreStatus> read(Path crawl) throws IOException {
        var folder = folder(crawl);
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        var found = new ArrayList<StoreStatus>();
        try (var files = Files.list(folder)) {
            for (var file : files.filter(StoreStatus::isNote).sorted().toList()) {
                found.add(read(file, WholeFile.read(new RealDisk(), file)));
            }
        }
        return found;
    }

    private static boolean isNote(Path file) {
        return file.getFileName().toString().endsWith(SUFFIX);
    }

    private static StoreStatus read(Path file, String text) throws IOException {
        try {
            return JsonMapper.shared().readValue(text, StoreStatus.class);
        } catch (JacksonException e) {
            throw new IOException(file + " is no note of a sink: " + e.getOriginalMessage(), e);
        }
    }

    public void write(Path crawl) throws IOException {
        var disk = new RealDisk();
        disk.createFolder(folder(crawl));
        WholeFile.write(
                disk,
                folder(crawl).resolve(name + SUFFIX),
                JsonMapper.shared().writeValueAsString(this) + "\n");
    }
}
