package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.Hashes;
import dev.orbweaver.internal.archive.PageFilter;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.archive.VisitHistory;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.WarcLocation;
import dev.orbweaver.model.Capture.Kind;

import org.duckdb.DuckDBAppender;

import java.io.IOException;
import java.nio.file.Files;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/**
 * Reports new, removed and changed pages between two crawls, or two times of one crawl.
 *
 * <p>DuckDB matches pages by the keys of their URLs, so crawls may have any size. Content is read
 * only of pages whose payload digests differ. Their main texts are compared: a page with equal text
 * is unchanged, even if its theme or a nonce differs.
 */
public final class CrawlDiff {

    /**
     * The numbers of pages.
     *
     * @param same pages with the same text
     * @param markup how many of these have other bytes
     */
    public record Counts(long added, long gone, long changed, long same, long markup) {}

    /**
     * How the changes are written.
     *
     * @param markup whether pages are listed whose text is the same, but not their bytes
     */
    public record Settings(ChangeFormat format, boolean markup) {

        public static final Settings DEFAULT = new Settings(ChangeFormat.TEXT, false);
    }

    private static final int COLUMNS = 18;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private static final String DIFFERENT =
            """
            SELECT old.*, young.* FROM old JOIN young USING (key)
            WHERE old.digest <> young.digest ORDER BY young.url
            """;

    private final CrawlPages before;
    private final CrawlPages after;
    private final RepeatedBlocksBySite beforeBlocks;
    private final RepeatedBlocksBySite afterBlocks;
    private final boolean listsMarkup;
    private final ChangeWriter writer;
    private long added;
    private long gone;
    private long changed;
    private long same;
    private long markup;

    private CrawlDiff(
            CrawlPages before,
            CrawlPages after,
            boolean listsMarkup,
            ScratchDirectory scratchDirectory,
            ChangeWriter writer)
            throws IOException {
        this.before = before;
        this.after = after;
        this.listsMarkup = listsMarkup;
        this.beforeBlocks = blocks(scratchDirectory, "before");
        this.afterBlocks = blocks(scratchDirectory, "after");
        this.writer = writer;
    }

    private static RepeatedBlocksBySite blocks(ScratchDirectory scratchDirectory, String name)
            throws IOException {
        return new RepeatedBlocksBySite(
                Files.createDirectory(scratchDirectory.directory().resolve(name)));
    }

    public static Counts run(
            CrawlPages old,
            CrawlPages young,
            PageFilter filter,
            Settings settings,
            ExportTarget exportTarget)
            throws IOException {
        try (var scratchDirectory = ScratchDirectory.createTemporary();
                var duckDb = DuckDb.create(scratchDirectory.directory());
                var out = exportTarget.openText(settings.format.fileName())) {
            var before = old.filtered(filter);
            var after = young.filtered(filter);
            fill(before, after, duckDb);
            var writer = writer(settings.format, filter, duckDb, out);
            var diff = new CrawlDiff(before, after, settings.markup, scratchDirectory, writer);
            diff.compare(duckDb);
            writer.finish();
            out.finish();
            return new Counts(diff.added, diff.gone, diff.changed, diff.same, diff.markup);
        }
    }

    private static ChangeWriter writer(
            ChangeFormat format, PageFilter filter, DuckDb duckDb, AtomicTextFile out)
            throws IOException {
        return switch (format) {
            case TEXT -> new TextChanges(out);
            case JSONL -> new JsonChanges(out);
            case ATOM -> new AtomChanges(out, crawl(filter, duckDb), lastVisit(duckDb));
        };
    }

    /** Returns a text that does not change when the crawl continues: its first visit. */
    private static String crawl(PageFilter filter, DuckDb duckDb) throws IOException {
        var text = new StringBuilder(filter.toString());
        duckDb.query(
                "SELECT url, time FROM visits ORDER BY crawl, seq LIMIT 1",
                row -> text.append(row.getString(1)).append(row.getLong(2)));
        return text.toString();
    }

    private static Instant lastVisit(DuckDb duckDb) throws IOException {
        return time(
                duckDb.queryLong(
                        "SELECT max(time) FROM (SELECT time FROM visits UNION ALL SELECT time FROM"
                                + " missing)"));
    }

    private void compare(DuckDb duckDb) throws IOException {
        duckDb.query(
                """
                SELECT young.* FROM young ANTI JOIN old USING (key) ORDER BY young.url
                """,
                row -> {
                    added++;
                    writer.write(new PageChange.New(page(row, 1)));
                });
        // A page that a later crawl does not have is gone since the end of that crawl.
        var end = lastVisit(duckDb);
        duckDb.query(
                """
                SELECT old.*, (SELECT min(missing.time) FROM missing
                  WHERE missing.key = old.key AND missing.time > old.time)
                FROM old ANTI JOIN young USING (key) ORDER BY old.url
                """,
                row -> {
                    gone++;
                    var seen = row.getLong(COLUMNS + 1);
                    writer.write(
                            new PageChange.Gone(page(row, 1), row.wasNull() ? end : time(seen)));
                });
        same =
                duckDb.queryLong(
                        "SELECT count(*) FROM old JOIN young USING (key) WHERE old.digest ="
                                + " young.digest");
        duckDb.query(
                DIFFERENT,
                row -> {
                    countBlocks(before, page(row, 1), beforeBlocks);
                    countBlocks(after, page(row, COLUMNS + 1), afterBlocks);
                });
        duckDb.query(DIFFERENT, row -> compare(page(row, 1), page(row, COLUMNS + 1)));
    }

    private static void fill(CrawlPages before, CrawlPages after, DuckDb duckDb)
            throws IOException {
        fill("old", duckDb, rows -> before.forEachPage(page -> add(before, page, rows)));
        fill("last_visits", duckDb, rows -> after.forEachPage(page -> add(after, page, rows)));
        fill(
                "visits",
                duckDb,
                rows ->
                        after.forEachLine(
                                page -> {
                                    if (page.kind() == Kind.PAGE) {
                                        add(after, page, rows);
                                    }
                                }));
        fill(
                "missing",
                duckDb,
                rows ->
                        after.forEachLine(
                                page -> {
                                    if (VisitHistory.isNotFound(page.entry())) {
                                        add(after, page, rows);
                                    }
                                }));
        // The content of a page is that of its last visit. What is reported is the visit that was
        // the first to find it, after the last one that found another content.
        duckDb.execute(
                """
                CREATE TABLE young AS
                WITH other AS (
                  SELECT key, crawl, max(visits.seq) AS seq
                  FROM visits JOIN last_visits USING (key, crawl)
                  WHERE visits.digest <> last_visits.digest AND visits.seq < last_visits.seq
                  GROUP BY key, crawl)
                SELECT visits.* FROM visits
                  SEMI JOIN last_visits USING (key, crawl, digest)
                  LEFT JOIN other USING (key, crawl)
                WHERE visits.seq > coalesce(other.seq, -1)
                QUALIFY row_number() OVER (PARTITION BY key, crawl ORDER BY visits.seq) = 1
                """);
    }

    private interface RowSource {
        void addTo(DuckDBAppender rows) throws IOException;
    }

    private static void fill(String table, DuckDb duckDb, RowSource source) throws IOException {
        duckDb.execute(
                "CREATE TABLE "
                        + table
                        + " (key BIGINT, crawl INTEGER, seq BIGINT, url VARCHAR, status INTEGER,"
                        + " time BIGINT, type VARCHAR, title VARCHAR, bytes BIGINT,"
                        + " digest VARCHAR, warc VARCHAR, \"offset\" BIGINT, length BIGINT,"
                        + " original VARCHAR, original_offset BIGINT, original_length BIGINT,"
                        + " original_crawl VARCHAR, original_line BIGINT)");
        var _ =
                DuckDb.wrapSqlErrors(
                        () -> {
                            try (var rows = duckDb.appender(table)) {
                                source.addTo(rows);
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
                                        .append(nanos(page.time()))
                                        .append(page.mediaType())
                                        .append(page.title().replace("\u0000", ""))
                                        .append(page.bytes())
                                        .append(page.digest())
                                        .append(page.warc())
                                        .append(page.offset())
                                        .append(page.length())
                                        .append(page.original().warc())
                                        .append(page.original().offset())
                                        .append(page.original().length())
                                        .append(page.original().crawl())
                                        .append(page.original().line())
                                        .endRow());
    }

    private static long nanos(Instant time) {
        return time.getEpochSecond() * NANOS_PER_SECOND + time.getNano();
    }

    private static Instant time(long nanos) {
        return Instant.ofEpochSecond(0, nanos);
    }

    private static StoredPage page(ResultSet row, int column) throws SQLException {
        return new StoredPage(
                row.getInt(column + 1),
                PageLogEntry.of(row.getLong(column + 2), row.getString(column + 3), Kind.PAGE)
                        .status(row.getInt(column + 4))
                        .time(time(row.getLong(column + 5)))
                        .mediaType(row.getString(column + 6))
                        .title(row.getString(column + 7))
                        .bytes(row.getLong(column + 8))
                        .digest(row.getString(column + 9))
                        .stored(
                                new WarcLocation(
                                        row.getString(column + 10),
                                        row.getLong(column + 11),
                                        row.getLong(column + 12)))
                        .original(
                                new WarcLocation(
                                        row.getString(column + 16),
                                        row.getString(column + 13),
                                        row.getLong(column + 14),
                                        row.getLong(column + 15),
                                        row.getLong(column + 17)))
                        .build());
    }

    private static void countBlocks(CrawlPages pages, StoredPage page, RepeatedBlocksBySite blocks)
            throws IOException {
        if (page.isHtml() && blocks.needsPage(page.authority())) {
            var _ =
                    pages.process(
                            page,
                            stored -> {
                                blocks.addPage(page.authority(), stored.document());
                                return true;
                            });
        }
    }

    private void compare(StoredPage old, StoredPage young) throws IOException {
        var lines = LineDiff.of(text(before, beforeBlocks, old), text(after, afterBlocks, young));
        var words = old.isHtml() && young.isHtml();
        var readable =
                !before.skippedPages().contains(old) && !after.skippedPages().contains(young);
        if (!lines.isEmpty() || !words || !readable) {
            changed++;
            writer.write(new PageChange.Changed(old, young, lines, readable));
            return;
        }
        same++;
        markup++;
        if (listsMarkup) {
            writer.write(new PageChange.Markup(old, young));
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
