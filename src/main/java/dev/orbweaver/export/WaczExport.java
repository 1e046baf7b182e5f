package dev.orbweaver.export;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;

import dev.orbweaver.archive.CrawlPages;
import dev.orbweaver.archive.Digests;
import dev.orbweaver.archive.StoredPage;
import dev.orbweaver.sink.RecordCopier;
import dev.orbweaver.sink.WarcFiles;

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

/**
 * A web archive in one file (WACZ 1.1.1): a ZIP with the WARC records, a sorted index of them, the
 * list of pages and a description with the hash of every part.
 *
 * <p>Records that are compressed by gzip are taken byte for byte. Others are read by jwarc and
 * compressed anew, since replay tools want one gzip member a record. The index is sorted by DuckDB,
 * so it may be of any length.
 */
final class WaczExport {

    private static final String WARC = "data.warc.gz";

    private final CrawlPages pages;
    private final Tables tables;
    private final FileChannel warc;
    private final WarcWriter recompressed;
    private final TextFile list;
    private long count;
    private String mainUrl = "";
    private Instant mainDate = Instant.EPOCH;
    private String mainTitle = "";
    private Instant last = Instant.EPOCH;

    private WaczExport(CrawlPages pages, Tables tables, FileChannel warc, TextFile list)
            throws IOException {
        this.pages = pages;
        this.tables = tables;
        this.warc = warc;
        this.recompressed = new WarcWriter(warc, WarcCompression.GZIP);
        this.list = list;
    }

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        var place = settings.target().place(Format.WACZ);
        var file = Files.isDirectory(place) ? place.resolve("crawl.wacz") : place;
        TextFile.createParent(file);
        try (var scratch = Scratch.beside(settings.target())) {
            var archive = scratch.folder().resolve(WARC);
            var listed = scratch.folder().resolve("pages.jsonl");
            var index = scratch.folder().resolve("index.cdxj");
            WaczExport export;
            try (var tables = Tables.in(scratch.folder());
                    var warc =
                            FileChannel.open(
                                    archive, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    var list = TextFile.create(listed)) {
                export = new WaczExport(pages, tables, warc, list);
                export.fill();
                list.finish();
                try (var out = TextFile.create(index)) {
                    Cdxj.write(tables, out);
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
        list.write("{\"format\":\"json-pages-1.0\",\"id\":\"pages\",\"title\":\"All Pages\"}\n");
        Cdxj.create(tables);
        var _ =
                Tables.with(
                        () -> {
                            try (var rows = tables.appender(Cdxj.TABLE)) {
                                Spans.each(
                                        pages,
                                        (page, _, end) -> {
                                            var place = copy(page, end);
                                            Cdxj.add(
                                                    rows,
                                                    page,
                                                    WARC,
                                                    place.offset(),
                                                    place.length(),
                                                    place.revisit());
                                            addPage(page);
                                            count++;
                                        });
                                return true;
                            }
                        });
    }

    /** Where a response lies in the new file. */
    private record Place(long offset, long length, boolean revisit) {}

    private Place copy(StoredPage page, long end) throws IOException {
        var name = page.warc();
        var offset = warc.position();
        try (var copier = new RecordCopier(pages.folderOf(page).path())) {
            var unfolds = page.isRevisit() && !pages.whole();
            if (name.endsWith(".gz")) {
                var length = page.length();
                if (unfolds) {
                    length = copier.unfold(page.place(), page.original(), warc);
                }
                var rest = unfolds ? page.offset() + page.length() : page.offset();
                copier.copy(name, rest, end, warc);
                return new Place(offset, length, page.isRevisit() && !unfolds);
            }
            if (unfolds) {
                var response = copier.unfolded(page.place(), page.original());
                recompress(new ByteArrayInputStream(response));
            } else {
                recompress(page, page.offset(), page.offset() + page.length());
            }
            var length = warc.position() - offset;
            recompress(page, page.offset() + page.length(), end);
            return new Place(offset, length, page.isRevisit() && !unfolds);
        }
    }

    private void recompress(StoredPage page, long from, long to) throws IOException {
        var name = page.warc();
        try (var in = WarcFiles.open(pages.folderOf(page).path(), name)) {
            var bytes = new BufferedInputStream(new Part(in.position(from), to - from));
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
                recompressed.write(next.get());
            }
        }
    }

    /** The next bytes of a file. */
    private static final class Part extends InputStream {

        private final InputStream in;
        private long left;

        Part(FileChannel channel, long length) {
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
        if (mainUrl.isEmpty()) {
            mainUrl = page.url();
            mainDate = page.time();
            mainTitle = page.title();
        }
        var line = JsonMapper.shared().createObjectNode();
        line.put("id", Digests.hex(page.url(), 22));
        line.put("url", page.url());
        line.put("ts", page.time().toString());
        line.put("title", page.title());
        list.write(line + "\n");
    }

    private WaczFile.Description description(String title) {
        return new WaczFile.Description(
                title.isEmpty() ? mainTitle : title,
                mainUrl,
                mainDate.truncatedTo(ChronoUnit.SECONDS),
                last.truncatedTo(ChronoUnit.SECONDS));
    }
}
