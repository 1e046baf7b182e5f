package dev.orbweaver.export;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** A temporary directory beside the target of an export. */
record ScratchDirectory(Path directory) implements AutoCloseable {

    private static final String PREFIX = ".orbweaver-export-";

    static ScratchDirectory createBeside(ExportTarget exportTarget) throws IOException {
        return switch (exportTarget) {
            case ExportTarget.PathTarget(var path) -> {
                var parent = path.toAbsolutePath().getParent();
                var place = parent == null ? path.toAbsolutePath() : parent;
                Files.createDirectories(place);
                yield new ScratchDirectory(Files.createTempDirectory(place, PREFIX));
            }
            case ExportTarget.StreamTarget _ -> createTemporary();
        };
    }

    static ScratchDirectory createTemporary() throws IOException {
        return new ScratchDirectory(Files.createTempDirectory(PREFIX));
    }

    @Override
    public void close() throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
