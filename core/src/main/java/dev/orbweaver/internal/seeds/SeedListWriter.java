package dev.orbweaver.internal.seeds;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.stream.Stream;

/** Writes a seed list, in the format of {@link SeedLine}. */
public final class SeedListWriter implements Closeable {

    private final Writer out;
    private long lines;

    SeedListWriter(Writer out) {
        this.out = out;
    }

    public long lines() {
        return lines;
    }

    /**
     * Writes a line with its fields. Line breaks in a URL would be ignored, so they are left out.
     */
    public void line(String url, String... fields) throws IOException {
        out.write(
                url.indexOf('\n') < 0 && url.indexOf('\r') < 0
                        ? url
                        : url.replaceAll("[\r\n]", ""));
        for (var field : fields) {
            out.write('\t');
            out.write(field);
        }
        out.write('\n');
        lines++;
    }

    /** Writes a comment; it does not count as a line. */
    public void comment(String text) throws IOException {
        out.write("# " + text + "\n");
    }

    /** Writes the lines of another list, without comments. */
    public void copy(Path list) throws IOException {
        // Comments may be no UTF-8 text, which the reader of Files rejects.
        try (var in =
                new BufferedReader(new InputStreamReader(Files.newInputStream(list), UTF_8))) {
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                if (!line.isBlank() && line.stripLeading().charAt(0) != '#') {
                    line(line);
                }
            }
        }
    }

    /**
     * Writes an entry of a source.
     *
     * @param points what its priority and date add to the priority of the URL
     */
    public void entry(SeedEntry entry, int points) throws IOException {
        var priority = points == 0 ? "" : "priority=%+d".formatted(points);
        var modified = entry.lastModified().map(Instant::toString).map(at -> "lastmod=" + at);
        line(
                entry.url().replace('\t', ' '),
                Stream.of(priority, modified.orElse(""))
                        .filter(field -> !field.isEmpty())
                        .toArray(String[]::new));
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
