package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The state of a sink, stored in the crawl's directory for other processes; the sink itself does
 * not depend on it.
 *
 * @param done how much it has stored, in the sink's own unit
 * @param total how much was committed at the time of this status
 * @param problem the last error; empty if there is none
 */
public record SinkStatus(String name, long done, long total, String unit, String problem) {

    private static final String SUFFIX = ".status";

    public static Path directory(Path crawl) {
        return crawl.resolve(DirectoryLayout.SINKS);
    }

    public boolean isComplete() {
        return done >= total && problem.isEmpty();
    }

    public static List<SinkStatus> read(Path crawl) throws IOException {
        var directory = directory(crawl);
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        var found = new ArrayList<SinkStatus>();
        try (var files = Files.list(directory)) {
            for (var file : files.filter(SinkStatus::isStatusFile).sorted().toList()) {
                found.add(read(file, AtomicFile.read(new RealDisk(), file)));
            }
        }
        return found;
    }

    private static boolean isStatusFile(Path file) {
        return file.getFileName().toString().endsWith(SUFFIX);
    }

    private static SinkStatus read(Path file, String text) throws IOException {
        try {
            return JsonMapper.shared().readValue(text, SinkStatus.class);
        } catch (JacksonException e) {
            throw new IOException(
                    file + " is not a valid sink status: " + e.getOriginalMessage(), e);
        }
    }

    public void write(Path crawl) throws IOException {
        var disk = new RealDisk();
        disk.createDirectory(directory(crawl));
        AtomicFile.write(
                disk,
                directory(crawl).resolve(name + SUFFIX),
                JsonMapper.shared().writeValueAsString(this) + "\n");
    }
}
