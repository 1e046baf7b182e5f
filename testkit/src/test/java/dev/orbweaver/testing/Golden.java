package dev.orbweaver.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Compares texts with golden files in {@code src/test/resources}. After an intended change, {@code
 * -Dorbweaver.golden=write} rewrites them, and the difference is reviewed like code.
 */
public final class Golden {

    private static final Path DIRECTORY = Path.of("src", "test", "resources");

    private Golden() {}

    /** Fails if a text differs from its file. */
    public static void check(String name, String actual) throws IOException {
        var file = DIRECTORY.resolve(name);
        if (System.getProperty("orbweaver.golden", "").equals("write")) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, actual);
        }
        assertThat(actual).as("differs from %s", file).isEqualTo(Files.readString(file));
    }
}
