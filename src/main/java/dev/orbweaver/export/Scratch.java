package dev.orbweaver.export;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/**
 * A folder for the time of an export, beside what it makes: where there is room for the one, there
 * is for the other.
 */
record Scratch(Path folder) implements AutoCloseable {

    private static final String PREFIX = ".orbweaver-export-";

    static Scratch beside(Target target) throws IOException {
        return switch (target) {
            case Target.Place(var path) -> {
                var parent = path.toAbsolutePath().getParent();
                var place = parent == null ? path.toAbsolutePath() : parent;
                Files.createDirectories(place);
                yield new Scratch(Files.createTempDirectory(place, PREFIX));
            }
            case Target.Stream _ -> anywhere();
        };
    }

    static Scratch anywhere() throws IOException {
        return new Scratch(Files.createTempDirectory(PREFIX));
    }

    @Override
    public void close() throws IOException {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
