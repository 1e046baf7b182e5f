package dev.orbweaver.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Files;
import java.nio.file.Path;

/** External test vectors; tests are skipped if they are not available. */
public final class Vectors {

    private Vectors() {}

    /**
     * Returns a file or directory of the vectors; skips the calling test with a message if it does
     * not exist.
     */
    public static Path path(String name) {
        var root = System.getProperty("orbweaver.vectors", "");
        var path = Path.of(root, name);
        assumeTrue(
                !root.isEmpty() && !root.startsWith("${") && Files.exists(path),
                () -> "skipped: no vectors/" + name + " (set ORBWEAVER_VECTORS)");
        return path;
    }

    /** Parses a JSON file of the vectors. */
    public static JsonNode json(String name) {
        return JsonMapper.shared().readTree(path(name));
    }
}
