package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.StoredPage;

import org.duckdb.DuckDBAppender;
import org.netpreserve.jwarc.URIs;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * Builds a CDXJ index of captures for the binary search of replay tools: one line per capture with
 * its URL as SURT, its time and the position of its record, sorted by bytes.
 *
 * <p>An export builds it, not the crawl: the page log has all data, and an index beside each WARC
 * file would have to be rebuilt after every take-down. DuckDB sorts it, so it may have any size.
 */
final class Cdxj {

    static final String TABLE = "cdx";

    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss").withZone(ZoneOffset.UTC);

    private Cdxj() {}

    /** Exports the index of the WARC files in the crawl directories. */
    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        try (var scratchDirectory = ScratchDirectory.createBeside(settings.exportTarget());
                var duckDb = DuckDb.create(scratchDirectory.directory());
                var out = settings.exportTarget().openText(ExportFormat.CDXJ)) {
            create(duckDb);
            var _ =
                    DuckDb.wrapSqlErrors(
                            () -> {
                                try (var rows = duckDb.appender(TABLE)) {
                                    pages.forEachLine(page -> add(rows, page));
                                    return true;
                                }
                            });
            write(duckDb, out);
            out.finish();
            return ExportReport.of(duckDb.queryLong("SELECT count(*) FROM " + TABLE), "captures");
        }
    }

    private static void add(DuckDBAppender rows, StoredPage page) throws IOException {
        if (page.isStored()) {
            var name = page.warc().substring(page.warc().lastIndexOf('/') + 1);
            add(rows, page, name, page.offset(), page.length(), page.isRevisit());
        }
    }

    static void create(DuckDb duckDb) throws IOException {
        duckDb.execute("CREATE TABLE " + TABLE + " (key VARCHAR, stamp VARCHAR, entry VARCHAR)");
    }

    /** Adds a capture with the position of its record. */
    static void add(
            DuckDBAppender rows,
            StoredPage page,
            String file,
            long offset,
            long length,
            boolean revisit)
            throws IOException {
        var entry =
                new Entry(
                        page.url(),
                        mime(page, revisit),
                        Integer.toString(page.status()),
                        page.digest(),
                        Long.toString(length),
                        Long.toString(offset),
                        file);
        var _ =
                DuckDb.wrapSqlErrors(
                        () ->
                                rows.beginRow()
                                        .append(URIs.toNormalizedSurt(page.url()))
                                        .append(STAMP.format(page.time()))
                                        .append(JsonMapper.shared().writeValueAsString(entry))
                                        .endRow());
    }

    private record Entry(
            String url,
            String mime,
            String status,
            String digest,
            String length,
            String offset,
            String filename) {}

    private static String mime(StoredPage page, boolean revisit) {
        if (revisit) {
            return "warc/revisit";
        }
        return page.mediaType().isEmpty() ? "unk" : page.mediaType();
    }

    /** Writes the index sorted by bytes, as binary search requires. */
    static void write(DuckDb duckDb, AtomicTextFile out) throws IOException {
        duckDb.query(
                "SELECT key, stamp, entry FROM " + TABLE + " ORDER BY key::BLOB, stamp, entry",
                row ->
                        out.write(
                                row.getString(1)
                                        + " "
                                        + row.getString(2)
                                        + " "
                                        + row.getString(3)
                                        + "\n"));
    }
}
