package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Reads tables of the standards from resources: lines of words separated by spaces. */
final class ResourceTable {

    private ResourceTable() {}

    /** Returns the words of each line; lines that start with {@code #} are comments. */
    static List<String[]> read(String resource) {
        try (var stream = ResourceTable.class.getResourceAsStream(resource)) {
            if (stream == null) {
                throw new IllegalStateException("missing resource " + resource);
            }
            return new String(stream.readAllBytes(), US_ASCII)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" ", -1))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("could not read the resource " + resource, e);
        }
    }
}
