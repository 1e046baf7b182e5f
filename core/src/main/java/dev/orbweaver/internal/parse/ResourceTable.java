package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Tables of the standards as resources: lines of words between spaces. */
final class ResourceTable {

    private ResourceTable() {}

    /** The words of each line; those that begin with {@code #} are remarks. */
    static List<String[]> read(String resource) {
        try (var stream = ResourceTable.class.getResourceAsStream(resource)) {
            if (stream == null) {
                throw new IllegalStateException("the program lacks its resource " + resource);
            }
            return new String(stream.readAllBytes(), US_ASCII)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" ", -1))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the resource " + resource, e);
        }
    }
}
