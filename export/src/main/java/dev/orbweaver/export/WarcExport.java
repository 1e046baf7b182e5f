package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.config.InvalidArgumentException;
import dev.orbweaver.internal.sink.RecordCopier;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Copies the selected captures byte for byte into a WARC file, after the {@code warcinfo} records
 * of their files. With a filter, revisit records are replaced by the responses that they refer to.
 */
final class WarcExport implements AutoCloseable {

    private final CrawlPages pages;
    private final FileChannel out;
    private RecordCopier copier;
    private String source = "";
    private int crawl = -1;
    private long count;

    private WarcExport(CrawlPages pages, Path file) throws IOException {
        this.pages = pages;
        this.copier = new RecordCopier(pages.directories().getFirst().path());
        this.out =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE);
    }

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        var place = settings.exportTarget().requirePath(ExportFormat.WARC);
        var extension = extension(pages);
        var file = Files.isDirectory(place) ? place.resolve("crawl" + extension) : place;
        if (!file.toString().endsWith(extension)) {
            throw new InvalidArgumentException(
                    "records are copied without recompression, so the file name must end in "
                            + extension);
        }
        AtomicTextFile.createParent(file);
        var unfinished = AtomicTextFile.unfinishedPath(file);
        try {
            var count = copy(pages, unfinished);
            Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
            return ExportReport.of(count, "captures");
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    private static long copy(CrawlPages pages, Path file) throws IOException {
        try (var copy = new WarcExport(pages, file)) {
            CaptureSpans.forEach(pages, copy::copy);
            return copy.count;
        }
    }

    /** Checks that all files have the same compression. */
    private static String extension(CrawlPages pages) throws IOException {
        var found = new String[] {""};
        pages.forEachLine(
                page -> {
                    if (page.isStored()) {
                        var name = page.warc();
                        var extension = name.substring(name.lastIndexOf(".warc"));
                        if (!found[0].isEmpty() && !found[0].equals(extension)) {
                            throw new IOException(
                                    "some WARC files end in "
                                            + found[0]
                                            + " and others in "
                                            + extension
                                            + "; export them one crawl at a time");
                        }
                        found[0] = extension;
                    }
                });
        if (found[0].isEmpty()) {
            throw new IOException("no captures to copy");
        }
        return found[0];
    }

    private void copy(StoredPage page, long begin, long end) throws IOException {
        if (page.crawl() != crawl || !page.warc().equals(source)) {
            if (page.crawl() != crawl) {
                copier.close();
                copier = new RecordCopier(pages.directoryOf(page).path());
            }
            crawl = page.crawl();
            source = page.warc();
            copier.copy(source, 0, begin, out);
        }
        if (pages.mustExpand(page)) {
            var _ = copier.expandRevisit(page.warcLocation(), page.original(), out);
            copier.copy(source, page.offset() + page.length(), end, out);
        } else {
            copier.copy(source, page.offset(), end, out);
        }
        count++;
    }

    @Override
    public void close() throws IOException {
        copier.close();
        out.close();
    }
}
