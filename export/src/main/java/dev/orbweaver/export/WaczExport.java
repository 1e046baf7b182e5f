package dev.orbweaver.export;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.Hashes;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.sink.RecordCopier;
import dev.orbweaver.internal.sink.WarcFiles;

import org.netpreserve.jwarc.WarcCompression;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcWriter;

import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Exports a web archive in one file (WACZ 1.1.1): a ZIP with the WARC records, their sorted index,
 * the list of pages, and a description with the hash of every part.
 *
 * <p>Gzip records are copied byte for byte. Others are read with jwarc and compressed again,
 * because replay tools require one gzip member per record. DuckDB sorts the index, so it may have
 * any size.
 */
final class WaczExport {

    private static final String WARC = "data.warc.gz";

    private final CrawlPages pages;
    private final DuckDb duckDb;
    private final FileChannel warc;
    private final WarcWriter recompressingWriter;
    private final AtomicTextFile pageList;
    private long count;
    private Optional<StoredPage> mainPage = Optional.empty();
    private Instant last = Instant.EPOCH;

    private WaczExport(CrawlPages pages, DuckDb duckDb, FileChannel warc, AtomicTextFile list)
            throws IOException {
        this.pages = pages;
        this.duckDb = duckDb;
        this.warc = warc;
        this.recompressingWriter = new WarcWriter(warc, WarcCompression.GZIP);
        this.pageList = list;
    }

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        var place = settings.exportTarget().requirePath(ExportFormat.WACZ);
        var file = Files.isDirectory(place) ? place.resolve("crawl.wacz") : place;
        AtomicTextFile.createParent(file);
        try (var scratchDirectory = ScratchDirectory.createBeside(settings.exportTarget())) {
            var archive = scratchDirectory.directory().resolve(WARC);
            var listed = scratchDirectory.directory().resolve("pages.jsonl");
            var index = scratchDirectory.directory().resolve("index.cdxj");
            WaczExport export;
            try (var duckDb = DuckDb.create(scratchDirectory.directory());
                    var warc =
                            FileChannel.open(
                                    archive, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    var list = AtomicTextFile.create(listed)) {
                export = new WaczExport(pages, duckDb, warc, list);
                export.fill();
                list.finish();
                try (var out = AtomicTextFile.create(index)) {
                    Cdxj.write(duckDb, out);
                    out.finish();
                }
            }
            try (var wacz = new WaczFile(file)) {
                wacz.store("archive/" + WARC, archive);
                wacz.deflate("indexes/index.cdxj", index);
                wacz.deflate("pages/pages.jsonl", listed);
                wacz.finish(export.description(settings.text().title()));
            }
            return ExportReport.of(export.count, "captures");
        }
    }

    private void fill() throws IOException {
        pageList.write(
                "{\"format\":\"json-pages-1.0\",\"id\":\"pages\",\"title\":\"All Pages\"}\n");
        Cdxj.create(duckDb);
        var _ =
                DuckDb.wrapSqlErrors(
                        () -> {
                            try (var rows = duckDb.appender(Cdxj.TABLE)) {
                                CaptureSpans.forEach(
                                        pages,
                                        (page, _, end) -> {
                                            var recordLocation = copy(page, end);
                                            Cdxj.add(
                                                    rows,
                                                    page,
                                                    WARC,
                                                    recordLocation.offset(),
                                                    recordLocation.length(),
                                                    recordLocation.revisit());
                                            addPage(page);
                                            count++;
                                        });
                                return true;
                            }
                        });
    }

    /** The position of a response in the new file. */
    private record RecordLocation(long offset, long length, boolean revisit) {}

    private RecordLocation copy(StoredPage page, long end) throws IOException {
        var name = page.warc();
        var offset = warc.position();
        try (var copier = new RecordCopier(pages.directoryOf(page).path())) {
            var unfolds = pages.mustExpand(page);
            if (name.endsWith(".gz")) {
                var length = page.length();
                if (unfolds) {
                    length = copier.expandRevisit(page.warcLocation(), page.original(), warc);
                }
                var rest = unfolds ? page.offset() + page.length() : page.offset();
                copier.copy(name, rest, end, warc);
                return new RecordLocation(offset, length, page.isRevisit() && !unfolds);
            }
            if (unfolds) {
                var response = copier.expandedRevisit(page.warcLocation(), page.original());
                recompress(new ByteArrayInputStream(response));
            } else {
                recompress(page, page.offset(), page.offset() + page.length());
            }
            var length = warc.position() - offset;
            recompress(page, page.offset() + page.length(), end);
            return new RecordLocation(offset, length, page.isRevisit() && !unfolds);
        }
    }

    private void recompress(StoredPage page, long from, long to) throws IOException {
        var name = page.warc();
        try (var in = WarcFiles.open(pages.directoryOf(page).path(), name)) {
            var bytes = new BufferedInputStream(new FileRangeStream(in.position(from), to - from));
            try (var stream =
                    name.endsWith(".zst")
                            ? new ZstdInputStreamNoFinalizer(bytes).setContinuous(true)
                            : bytes) {
                recompress(stream);
            }
        }
    }

    private void recompress(InputStream stream) throws IOException {
        try (var reader = new WarcReader(stream)) {
            for (var next = reader.next(); next.isPresent(); next = reader.next()) {
                recompressingWriter.write(next.get());
            }
        }
    }

    /** Reads the next bytes of a file. */
    private static final class FileRangeStream extends InputStream {

        private final InputStream in;
        private long left;

        FileRangeStream(FileChannel channel, long length) {
            in = Channels.newInputStream(channel);
            left = length;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int start, int length) throws IOException {
            var count = left <= 0 ? -1 : in.read(bytes, start, (int) Math.min(length, left));
            left -= Math.max(0, count);
            return count;
        }
    }

    private void addPage(StoredPage page) throws IOException {
        last = page.time().isAfter(last) ? page.time() : last;
        if (!page.isHtml()) {
            return;
        }
        mainPage = mainPage.or(() -> Optional.of(page));
        var line = new PageLine(Hashes.hex(page.url(), 22), page.url(), page.time(), page.title());
        pageList.write(JsonMapper.shared().writeValueAsString(line) + "\n");
    }

    private record PageLine(String id, String url, Instant ts, String title) {}

    private WaczFile.Description description(String title) {
        return new WaczFile.Description(
                title.isEmpty() ? mainPage.map(StoredPage::title).orElse("") : title,
                "Orbweaver",
                last.truncatedTo(ChronoUnit.SECONDS),
                mainPage.map(StoredPage::url),
                mainPage.map(page -> page.time().truncatedTo(ChronoUnit.SECONDS)));
    }
}
