package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.Hashes;
import dev.orbweaver.internal.archive.PageFilter;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.WarcLocation;
import dev.orbweaver.model.Capture.Kind;

import org.duckdb.DuckDBAppender;

import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/**
 * Reports new, removed and changed pages between two crawls.
 *
 * <p>DuckDB matches pages by the keys of their URLs, so crawls may have any size. If the stored
 * bytes differ, the main texts are compared: a page with equal text is unchanged, even if its theme
 * or a nonce differs.
 */
public final class CrawlDiff {

    public record Counts(long added, long gone, long changed, long same) {}

    private final CrawlPages before;
    private final CrawlPages after;
    private final RepeatedBlocksBySite beforeBlocks;
    private final RepeatedBlocksBySite afterBlocks;
    private final AtomicTextFile out;
    private long added;
    private long gone;
    private long changed;
    private long same;

    private CrawlDiff(
            CrawlPages before,
            CrawlPages after,
            ScratchDirectory scratchDirectory,
            AtomicTextFile out)
            throws IOException {
        this.before = before;
        this.after = after;
        this.beforeBlocks =
                new RepeatedBlocksBySite(
                        java.nio.file.Files.createDirectory(
                                scratchDirectory.directory().resolve("before")));
        this.afterBlocks =
                new RepeatedBlocksBySite(
                        java.nio.file.Files.createDirectory(
                                scratchDirectory.directory().resolve("after")));
        this.out = out;
    }

    public static Counts run(
            CrawlPages old, CrawlPages young, PageFilter filter, ExportTarget exportTarget)
            throws IOException {
        try (var scratchDirectory = ScratchDirectory.createTemporary();
                var duckDb = DuckDb.create(scratchDirectory.directory());
                var out = exportTarget.openText("diff.txt")) {
            var diff =
                    new CrawlDiff(
                            old.filtered(filter), young.filtered(filter), scratchDirectory, out);
            diff.compare(duckDb);
            out.finish();
            return new Counts(diff.added, diff.gone, diff.changed, diff.same);
        }
    }

    private void compare(DuckDb duckDb) throws IOException {
        fill(before, "old", duckDb);
        fill(after, "young", duckDb);
        countBlocks(before, beforeBlocks);
        countBlocks(after, afterBlocks);
        duckDb.query(
                """
                SELECT young.url FROM young ANTI JOIN old USING (key) ORDER BY 1
                """,
                row -> {
                    added++;
                    out.write("new      " + row.getString(1) + "\n");
                });
        duckDb.query(
                """
                SELECT old.url FROM old ANTI JOIN young USING (key) ORDER BY 1
                """,
                row -> {
                    gone++;
                    out.write("gone     " + row.getString(1) + "\n");
                });
        same =
                duckDb.queryLong(
                        "SELECT count(*) FROM old JOIN young USING (key) WHERE old.digest ="
                                + " young.digest");
        duckDb.query(
                """
                SELECT old.*, young.* FROM old JOIN young USING (key)
                WHERE old.digest <> young.digest ORDER BY young.url
                """,
                row -> compare(page(row, 1), page(row, COLUMNS + 1)));
    }

    private static final int COLUMNS = 13;

    private static void fill(CrawlPages pages, String table, DuckDb duckDb) throws IOException {
        duckDb.execute(
                "CREATE TABLE "
                        + table
                        + " (key BIGINT, crawl INTEGER, seq BIGINT, url VARCHAR, status INTEGER,"
                        + " type VARCHAR, digest VARCHAR, warc VARCHAR, \"offset\" BIGINT,"
                        + " length BIGINT, original VARCHAR, original_offset BIGINT,"
                        + " original_length BIGINT)");
        var _ =
                DuckDb.wrapSqlErrors(
                        () -> {
                            try (var rows = duckDb.appender(table)) {
                                pages.forEachPage(page -> add(pages, page, rows));
                                return true;
                            }
                        });
    }

    private static void add(CrawlPages pages, StoredPage page, DuckDBAppender rows)
            throws IOException {
        var key = pages.directoryOf(page).urls().parse(page.url()).map(it -> it.key().high());
        var _ =
                DuckDb.wrapSqlErrors(
                        () ->
                                rows.beginRow()
                                        .append(key.orElse(Hashes.number(page.url())))
                                        .append(page.crawl())
                                        .append(page.seq())
                                        .append(page.url())
                                        .append(page.status())
                                        .append(page.mediaType())
                                        .append(page.digest())
                                        .append(page.warc())
                                        .append(page.offset())
                                        .append(page.length())
                                        .append(page.original().warc())
                                        .append(page.original().offset())
                                        .append(page.original().length())
                                        .endRow());
    }

    private static StoredPage page(ResultSet row, int column) throws SQLException {
        return new StoredPage(
                row.getInt(column + 1),
                new PageLogEntry(
                        row.getLong(column + 2),
                        row.getString(column + 3),
                        Kind.PAGE,
                        row.getInt(column + 4),
                        Instant.EPOCH,
                        0,
                        0,
                        0,
                        0,
                        row.getString(column + 5),
                        "",
                        "",
                        0,
                        0,
                        "",
                        0,
                        row.getString(column + 6),
                        "",
                        "",
                        "",
                        row.getString(column + 7),
                        row.getLong(column + 8),
                        row.getLong(column + 9),
                        false,
                        "",
                        new WarcLocation(
                                row.getString(column + 10),
                                row.getLong(column + 11),
                                row.getLong(column + 12)),
                        ""));
    }

    private static void countBlocks(CrawlPages pages, RepeatedBlocksBySite memories)
            throws IOException {
        pages.forEachPage(
                page -> {
                    if (page.isHtml()) {
                        var _ =
                                pages.process(
                                        page,
                                        storedResponse -> {
                                            memories.addPage(
                                                    page.authority(), storedResponse.document());
                                            return true;
                                        });
                    }
                });
    }

    private void compare(StoredPage old, StoredPage young) throws IOException {
        var lines = LineDiff.of(text(before, beforeBlocks, old), text(after, afterBlocks, young));
        var words = old.isHtml() && young.isHtml();
        var unread = before.skippedPages().contains(old) || after.skippedPages().contains(young);
        if (lines.isEmpty() && words && !unread) {
            same++;
            return;
        }
        changed++;
        out.write("changed  " + young.url() + "\n");
        if (lines.isEmpty()) {
            out.write(
                    unread
                            ? "  bytes differ; text could not be processed, see the log\n"
                            : "  bytes differ, text is equal\n");
        }
        for (var line : lines) {
            out.write("  " + line + "\n");
        }
    }

    private static List<String> text(
            CrawlPages pages, RepeatedBlocksBySite memories, StoredPage page) throws IOException {
        if (!page.isStored()) {
            return List.of();
        }
        var memory = memories.of(page.authority());
        return pages.process(page, stored -> PageLines.of(stored.document(), memory, page))
                .orElse(List.of());
    }
}
