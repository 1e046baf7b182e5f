package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.PageFilter;

import java.io.IOException;

/**
 * Exports broken links: failed URLs with the pages that link to them, directly or through
 * redirects.
 *
 * <p>A filter selects the source pages, not the targets.
 */
final class ErrorExport {

    private static final int HOPS_MAX = 10;

    private ErrorExport() {}

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        try (var scratchDirectory = ScratchDirectory.createBeside(settings.exportTarget());
                var duckDb = DuckDb.create(scratchDirectory.directory());
                var out = settings.exportTarget().openText(ExportFormat.ERRORS)) {
            CrawlTables.fill(pages.filtered(PageFilter.ALL), duckDb, true);
            findBroken(duckDb);
            buildReport(pages, duckDb, settings.filter());
            SqlCsv.write(
                    duckDb,
                    """
                    SELECT url, status, cause, detail, page, via, kind FROM report
                    ORDER BY url, page, via, kind
                    """,
                    out);
            out.finish();
            return ExportReport.of(duckDb.queryLong("SELECT count(*) FROM report"), "broken links");
        }
    }

    private static void findBroken(DuckDb duckDb) throws IOException {
        // If a URL has several lines, as after a retry, a successful one counts.
        duckDb.execute(
                """
                CREATE TABLE broken AS
                SELECT key, arg_max(url, seq) AS url, arg_max(status, seq) AS status,
                  arg_max(cause, seq) AS cause, arg_max(detail, seq) AS detail,
                  arg_max(parent, seq) AS parent, arg_max(crawl, seq) AS crawl
                FROM lines WHERE kind IN ('error', 'failed') AND coalesce(cause, '') <> 'trap'
                  AND key NOT IN (SELECT key FROM lines WHERE kind IN ('page', 'redirect'))
                GROUP BY key
                """);
        duckDb.execute(
                """
                CREATE TABLE leads AS
                WITH RECURSIVE way (start, goal, hops) AS (
                  SELECT key, key, 0 FROM broken
                  UNION
                  SELECT lines.key, way.goal, hops + 1
                  FROM lines JOIN way ON lines.location_key = way.start
                  WHERE lines.kind = 'redirect' AND hops < %d)
                SELECT DISTINCT start, goal FROM way
                """
                        .formatted(HOPS_MAX));
    }

    private static void buildReport(CrawlPages pages, DuckDb duckDb, PageFilter filter)
            throws IOException {
        duckDb.execute("CREATE TABLE wanted (source VARCHAR)");
        if (!filter.equals(PageFilter.ALL)) {
            var _ =
                    DuckDb.wrapSqlErrors(
                            () -> {
                                try (var wanted = duckDb.appender("wanted")) {
                                    pages.filtered(filter)
                                            .forEachPage(page -> append(wanted, page.url()));
                                    return true;
                                }
                            });
        }
        duckDb.execute(
                """
                CREATE TABLE report AS
                SELECT broken.url, broken.status, broken.cause, broken.detail,
                  coalesce(edges.source, '') AS page,
                  CASE WHEN edges.target_key = broken.key THEN '' ELSE coalesce(edges.target, '') END
                    AS via,
                  coalesce(edges.kind, '') AS kind
                FROM broken
                  JOIN leads ON leads.goal = broken.key
                  %s JOIN edges ON edges.target_key = leads.start
                WHERE %s
                GROUP BY ALL
                """
                        .formatted(
                                filter.equals(PageFilter.ALL) ? "LEFT" : "",
                                filter.equals(PageFilter.ALL)
                                        // A row without a source page only if no page links to the
                                        // URL at all: a seed, or an entry of a sitemap.
                                        ? "edges.source IS NOT NULL OR (leads.start = broken.key"
                                              + " AND NOT EXISTS (SELECT 1 FROM leads l JOIN edges"
                                              + " e ON e.target_key = l.start WHERE l.goal ="
                                              + " broken.key))"
                                        : "edges.source IN (SELECT source FROM wanted)"));
    }

    private static void append(org.duckdb.DuckDBAppender wanted, String url) throws IOException {
        var _ = DuckDb.wrapSqlErrors(() -> wanted.beginRow().append(url).endRow());
    }
}
