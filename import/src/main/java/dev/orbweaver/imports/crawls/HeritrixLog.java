package dev.orbweaver.imports.crawls;

import dev.orbweaver.imports.BoundedLines;
import dev.orbweaver.imports.InputFile;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/**
 * A {@code crawl.log} of Heritrix: time, status, size, URI, path from the seed, and more fields
 * that are not read, separated by spaces.
 *
 * <p>A positive status is an HTTP response: visited. From -1 to -8 the URL was tried and never
 * answered: queued again. Other lines are no URLs of a crawl (dns:) or URLs that Heritrix's own
 * rules rejected; they are left out.
 */
record HeritrixLog(String name, Path file, boolean isVisited) implements CrawlImporter.Part {

    private static final int LINE_BYTES_MAX = 1 << 20;
    private static final int LAST_RETRIABLE = -8;
    private static final int STATUS = 1;
    private static final int URI = 3;
    private static final int PATH = 4;

    @Override
    public void read(String after, CrawlImporter.RowOutput out)
            throws IOException, InterruptedException {
        var from = after.isEmpty() ? 0 : Long.parseLong(after);
        try (var lines =
                new BoundedLines(
                        new InputFile(file.toString(), InputStream.nullInputStream()).open(),
                        LINE_BYTES_MAX)) {
            while (lines.next()) {
                if (lines.number() > from && !lines.text().isBlank()) {
                    row(lines.text(), out);
                    if (out.isCheckpointDue()) {
                        out.checkpoint(Long.toString(lines.number()));
                        if (Thread.interrupted()) {
                            throw new InterruptedException();
                        }
                    }
                }
            }
        }
    }

    private void row(String line, CrawlImporter.RowOutput out) throws IOException {
        var fields = line.strip().split(" +", PATH + 2);
        if (fields.length <= URI || !fields[STATUS].matches("-?\\d{1,9}")) {
            if (isVisited) { // Reported once, though the file is read for queued URLs, too.
                out.visited("(not a line of crawl.log) " + line);
            }
            return;
        }
        var status = Integer.parseInt(fields[STATUS]);
        var uri = fields[URI];
        if (!uri.startsWith("http:") && !uri.startsWith("https:")) {
            return;
        }
        if (isVisited && status > 0) {
            out.visited(uri);
        } else if (!isVisited && status < 0 && status >= LAST_RETRIABLE) {
            out.queued(uri, fields.length > PATH ? depth(fields[PATH]) : 0, 0);
        }
    }

    /** Counts links and embeds; redirects, prerequisites and the like keep the depth. */
    private static int depth(String path) {
        return path.equals("-") ? 0 : (int) path.chars().filter(c -> "RPI".indexOf(c) < 0).count();
    }

    @Override
    public long countRows() throws IOException, InterruptedException {
        return RowCounter.count(this);
    }
}
