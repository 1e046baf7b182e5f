package dev.orbweaver.internal.seeds;

import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
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
