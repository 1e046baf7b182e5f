package dev.orbweaver.export;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;

import org.netpreserve.jwarc.URIs;
import org.netpreserve.jwarc.WarcCompression;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.WarcWriter;

import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
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
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss").withZone(ZoneOffset.UTC);

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
                export.writeIndex(index);
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
        tables.execute("CREATE TABLE cdx (key VARCHAR, stamp VARCHAR, entry VARCHAR)");
        var _ =
                Tables.with(
                        () -> {
                            try (var rows = tables.appender("cdx")) {
                                Spans.each(
                                        pages,
                                        (page, _, end) -> {
                                            var place = copy(page, end);
                                            add(rows, page, place);
                                            addPage(page);
                                            count++;
                                        });
                                return true;
                            }
                        });
    }

    /** Where a response lies in the new file. */
    private record Place(long offset, long length) {}

    private Place copy(StoredPage page, long end) throws IOException {
        var name = page.warc();
        try (var in = FileChannel.open(pages.folderOf(page).path().resolve(name))) {
            if (name.endsWith(".gz")) {
                var offset = warc.position();
                WarcExport.transfer(in, page.offset(), end, warc, name);
                return new Place(offset, page.length());
            }
            in.position(page.offset());
            var bytes = new BufferedInputStream(Channels.newInputStream(in));
            try (var stream =
                    name.endsWith(".zst") ? new ZstdInputStreamNoFinalizer(bytes) : bytes) {
                return recompress(stream, page);
            }
        }
    }

    /** The response, and the records that follow it and belong to it. */
    private Place recompress(InputStream stream, StoredPage page) throws IOException {
        try (var reader = new WarcReader(stream)) {
            var first =
                    reader.next()
                            .orElseThrow(
                                    () ->
                                            new IOException(
                                                    "there is no record at "
                                                            + page.offset()
                                                            + " of "
                                                            + page.warc()));
            var offset = warc.position();
            recompressed.write(first);
            var place = new Place(offset, warc.position() - offset);
            var next = reader.next();
            if (next.isPresent() && !(next.get() instanceof WarcResponse)) {
                recompressed.write(next.get());
            }
            return place;
        }
    }

    private void add(org.duckdb.DuckDBAppender rows, StoredPage page, Place place)
            throws IOException {
        var entry = JsonMapper.shared().createObjectNode();
        entry.put("url", page.url());
        entry.put("mime", page.mediaType().isEmpty() ? "unk" : page.mediaType());
        entry.put("status", Integer.toString(page.status()));
        entry.put("digest", page.digest());
        entry.put("length", Long.toString(place.length()));
        entry.put("offset", Long.toString(place.offset()));
        entry.put("filename", WARC);
        var _ =
                Tables.with(
                        () ->
                                rows.beginRow()
                                        .append(URIs.toNormalizedSurt(page.url()))
                                        .append(STAMP.format(page.time()))
                                        .append(entry.toString())
                                        .endRow());
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

    private void writeIndex(Path file) throws IOException {
        try (var out = TextFile.create(file)) {
            // By bytes, as a reader that searches by halves needs it.
            tables.query(
                    "SELECT key, stamp, entry FROM cdx ORDER BY key::BLOB, stamp, entry",
                    row ->
                            out.write(
                                    row.getString(1)
                                            + " "
                                            + row.getString(2)
                                            + " "
                                            + row.getString(3)
                                            + "\n"));
            out.finish();
        }
    }

    private WaczFile.Description description(String title) {
        return new WaczFile.Description(
                title.isEmpty() ? mainTitle : title,
                mainUrl,
                mainDate.truncatedTo(ChronoUnit.SECONDS),
                last.truncatedTo(ChronoUnit.SECONDS));
    }
}
