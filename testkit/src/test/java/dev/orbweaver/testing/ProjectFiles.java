package dev.orbweaver.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Locates files of the project outside a module's directory: documents, launcher, sources. */
public final class ProjectFiles {

    /** The root of the clone; tests run in the directory of their module. */
    public static final Path ROOT = root();

    private ProjectFiles() {}

    private static Path root() {
        for (var at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at.resolve("orbweaver"))
                    && Files.exists(at.resolve("ARCHITECTURE.md"))) {
                return at;
            }
        }
        throw new IllegalStateException(
                "not in a clone of the project: " + Path.of("").toAbsolutePath());
    }

    /** Returns a file by its path from the root. */
    public static Path of(String first, String... more) {
        return ROOT.resolve(Path.of(first, more));
    }

    /** Returns the source files of all modules of the product. */
    public static List<Path> sources() throws IOException {
        var sources = new ArrayList<Path>();
        try (var modules = Files.list(ROOT)) {
            for (var module : modules.sorted().toList()) {
                var main = module.resolve("src/main/java");
                if (Files.isDirectory(main)
                        && !module.endsWith("bench")
                        && !module.endsWith("examples")) {
                    try (var files = Files.walk(main)) {
                        files.filter(file -> file.toString().endsWith(".java"))
                                .forEach(sources::add);
                    }
                }
            }
        }
        return sources;
    }
}
