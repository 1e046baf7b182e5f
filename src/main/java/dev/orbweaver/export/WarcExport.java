package dev.orbweaver.export;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A WARC file with the records of the captures that are wanted, byte for byte as they were written,
 * behind the {@code warcinfo} records of the files they come from.
 */
final class WarcExport implements AutoCloseable {

    private final CrawlPages pages;
    private final FileChannel out;
    private String source = "";
    private int crawl = -1;
    private long count;

    private WarcExport(CrawlPages pages, Path file) throws IOException {
        this.pages = pages;
        this.out =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE);
    }

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        var place = settings.target().place(Format.WARC);
        var extension = extension(pages);
        var file = Files.isDirectory(place) ? place.resolve("crawl" + extension) : place;
        if (!file.toString().endsWith(extension)) {
            throw new IOException(
                    "the records are kept as they are, so the copy's name must end in "
                            + extension);
        }
        TextFile.createParent(file);
        var unfinished = TextFile.unfinished(file);
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
            Spans.each(pages, copy::copy);
            return copy.count;
        }
    }

    /** How the files are compressed, which must be one way. */
    private static String extension(CrawlPages pages) throws IOException {
        var found = new String[] {""};
        pages.eachLine(
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
            throw new IOException("there is no capture to copy");
        }
        return found[0];
    }

    private void copy(StoredPage page, long begin, long end) throws IOException {
        var file = pages.folderOf(page).path().resolve(page.warc());
        try (var in = FileChannel.open(file)) {
            if (page.crawl() != crawl || !page.warc().equals(source)) {
                crawl = page.crawl();
                source = page.warc();
                transfer(in, 0, begin, out, page.warc());
            }
            transfer(in, page.offset(), end, out, page.warc());
        }
        count++;
    }

    static void transfer(FileChannel in, long from, long to, FileChannel out, String name)
            throws IOException {
        for (var at = from; at < to; ) {
            var moved = in.transferTo(at, to - at, out);
            if (moved <= 0) {
                throw new IOException(name + " ends before a record that the log names");
            }
            at += moved;
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
