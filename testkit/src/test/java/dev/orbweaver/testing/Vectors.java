package dev.orbweaver.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Files;
import java.nio.file.Path;

/** The outside test cases: read where they are, skipped by name where they are not. */
public final class Vectors {

    private Vectors() {}

    /**
     * A file or folder among the vectors; the calling test is skipped, saying which, when it is not
     * there.
     */
    public static Path path(String name) {
        var root = System.getProperty("orbweaver.vectors", "");
        var path = Path.of(root, name);
        assumeTrue(
                !root.isEmpty() && !root.startsWith("${") && Files.exists(path),
                () -> "skipped: no vectors/" + name + " (set ORBWEAVER_VECTORS to have it)");
        return path;
    }

    /** The JSON in one file of vectors. */
    public static JsonNode json(String name) {
        return JsonMapper.shared().readTree(path(name));
    }
}
