package dev.orbweaver.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/**
 * Writes the sitemap files of one host: one file, or several within the size limits and an index.
 * All files are renamed to their final names when the set is complete.
 */
final class SitemapSet implements AutoCloseable {

    private static final String HEAD = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    private static final String NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";
    private static final String URLSET = HEAD + "<urlset xmlns=\"" + NAMESPACE + "\">\n";
    private static final String URLSET_END = "</urlset>\n";

    private final Path file;
    private final String base;
    private final ExportSettings.Sitemap settings;

    /** The newest date in each file. */
    private final List<Optional<Instant>> parts = new ArrayList<>();

    private @Nullable OutputStream out;
    private int urls;
    private long bytes;
    private boolean finished;

    /**
     * @param file the single file, or the index
     * @param base the prefix of the files' URLs in the index
     */
    SitemapSet(Path file, String base, ExportSettings.Sitemap settings) {
        this.file = file;
        this.base = base;
        this.settings = settings;
    }

    void add(String url, Optional<Instant> lastModified) throws IOException {
        var date = lastModified.map(at -> "<lastmod>" + date(at) + "</lastmod>").orElse("");
        var line = "<url><loc>" + escape(url) + "</loc>" + date + "</url>\n";
        var length = line.getBytes(UTF_8).length;
        var full =
                urls >= settings.urlsMax()
                        || bytes + length + URLSET_END.length() > settings.bytesMax();
        if (parts.isEmpty() || full) {
            endPart();
            beginPart();
        }
        write(line);
        urls++;
        bytes += length;
        var last = parts.size() - 1;
        parts.set(last, later(parts.get(last), lastModified));
    }

    private static Optional<Instant> later(Optional<Instant> a, Optional<Instant> b) {
        return a.isPresent() && (b.isEmpty() || a.get().isAfter(b.get())) ? a : b;
    }

    private void beginPart() throws IOException {
        parts.add(Optional.empty());
        urls = 0;
        bytes = URLSET.length();
        AtomicTextFile.createParent(file);
        Files.deleteIfExists(unfinished(parts.size()));
        write(URLSET);
    }

    private void endPart() throws IOException {
        if (!parts.isEmpty()) {
            write(URLSET_END);
            suspend();
        }
    }

    private void write(String text) throws IOException {
        var stream = out;
        if (stream == null) {
            var raw =
                    new BufferedOutputStream(
                            Files.newOutputStream(
                                    unfinished(parts.size()),
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.APPEND));
            stream = isGzip() ? new GZIPOutputStream(raw) : raw;
            out = stream;
        }
        stream.write(text.getBytes(UTF_8));
    }

    /** Closes the file temporarily; a gzip file continues with another member. */
    void suspend() throws IOException {
        if (out != null) {
            out.close();
            out = null;
        }
    }

    private boolean isGzip() {
        return file.toString().endsWith(".gz");
    }

    /** Renames every file, and writes the index if there are several. */
    void finish() throws IOException {
        endPart();
        if (parts.size() == 1) {
            move(1, file);
        } else {
            for (var part = 1; part <= parts.size(); part++) {
                move(part, part(part));
            }
            writeIndex();
        }
        finished = true;
    }

    private void move(int part, Path to) throws IOException {
        Files.move(unfinished(part), to, StandardCopyOption.REPLACE_EXISTING);
    }

    private void writeIndex() throws IOException {
        var index = new StringBuilder(HEAD);
        index.append("<sitemapindex xmlns=\"").append(NAMESPACE).append("\">\n");
        for (var part = 1; part <= parts.size(); part++) {
            index.append("<sitemap><loc>").append(escape(base + part(part).getFileName()));
            index.append("</loc>");
            parts.get(part - 1)
                    .ifPresent(
                            at -> index.append("<lastmod>").append(date(at)).append("</lastmod>"));
            index.append("</sitemap>\n");
        }
        var text = index.append("</sitemapindex>\n").toString().getBytes(UTF_8);
        var raw = new BufferedOutputStream(Files.newOutputStream(file));
        try (var stream = isGzip() ? new GZIPOutputStream(raw) : raw) {
            stream.write(text);
        }
    }

    /** Returns the name of a part, such as {@code sitemap-2.xml} for {@code sitemap.xml}. */
    private Path part(int number) {
        var name = file.getFileName().toString();
        var end = isGzip() ? name.length() - ".gz".length() : name.length();
        var dot = name.lastIndexOf('.', end - 1);
        return file.resolveSibling(name.substring(0, dot) + "-" + number + name.substring(dot));
    }

    private Path unfinished(int part) {
        return AtomicTextFile.unfinishedPath(part(part));
    }

    private static String date(Instant at) {
        return at.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    static String escape(String url) {
        return url.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&apos;");
    }

    @Override
    public void close() throws IOException {
        suspend();
        if (!finished) {
            for (var part = 1; part <= parts.size(); part++) {
                Files.deleteIfExists(unfinished(part));
            }
        }
    }
}
