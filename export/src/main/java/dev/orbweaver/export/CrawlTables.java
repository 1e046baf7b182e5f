package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.parse.HtmlParser;
import dev.orbweaver.model.Link;

import org.duckdb.DuckDBAppender;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Locale;

/**
 * Builds tables of a crawl: {@code urls} with a row per settled URL, {@code pages} with the stored
 * ones, {@code links} with a row per link of a page, and {@code hosts}. Links are read from the
 * stored pages only if requested, because that is slow.
 *
 * <p>URLs are joined by their keys (normal forms), as in the crawl, and not by their text.
 */
record CrawlTables(CrawlPages pages, DuckDb duckDb) {

    private static final String URLS =
            "CREATE TABLE internal.lines (crawl INTEGER, key BIGINT, location_key BIGINT, "
                    + PageColumn.sqlDefinitions()
                    + ")";

    private static final String EDGES =
            """
            CREATE TABLE internal.edges (
              source_key BIGINT, target_key BIGINT, source VARCHAR, target VARCHAR,
              source_host VARCHAR, target_host VARCHAR, kind VARCHAR, nofollow BOOLEAN)
            """;

    /**
     * Fills tables in a schema of their own, which users do not see.
     *
     * @param links whether to read the links of pages
     */
    static void fill(CrawlPages pages, DuckDb duckDb, boolean links) throws IOException {
        duckDb.execute("CREATE SCHEMA " + DuckDb.INTERNAL_SCHEMA);
        duckDb.execute("SET search_path = 'main," + DuckDb.INTERNAL_SCHEMA + "'");
        duckDb.execute(URLS);
        duckDb.execute(EDGES);
        new CrawlTables(pages, duckDb).fill(links);
    }

    /** Creates the public views. Without links, the last two have no useful content. */
    static void addViews(DuckDb duckDb) throws IOException {
        duckDb.execute(
                "CREATE VIEW urls AS SELECT " + PageColumn.sqlNames() + " FROM internal.lines");
        duckDb.execute("CREATE VIEW pages AS SELECT * FROM urls WHERE kind = 'page'");
        duckDb.execute(
                "CREATE VIEW links AS SELECT source, target, source_host, target_host, kind,"
                        + " nofollow FROM internal.edges");
        duckDb.execute(
                """
                CREATE VIEW hosts AS
                WITH seen AS (
                  SELECT host, count(*) FILTER (kind = 'page') AS pages, count(*) AS urls,
                    count(*) FILTER (kind IN ('error', 'failed')) AS errors,
                    sum(bytes)::BIGINT AS bytes
                  FROM internal.lines GROUP BY host),
                outgoing AS (
                  SELECT source_host AS host, count(*) AS links,
                    count(DISTINCT target_host) AS hosts
                  FROM internal.edges WHERE source_host <> target_host GROUP BY 1),
                incoming AS (
                  SELECT target_host AS host, count(*) AS links,
                    count(DISTINCT source_host) AS hosts
                  FROM internal.edges WHERE source_host <> target_host GROUP BY 1)
                SELECT coalesce(seen.host, incoming.host) AS host,
                  coalesce(pages, 0) AS pages, coalesce(urls, 0) AS urls,
                  coalesce(errors, 0) AS errors, coalesce(bytes, 0) AS bytes,
                  coalesce(incoming.hosts, 0) AS in_degree,
                  coalesce(outgoing.hosts, 0) AS out_degree,
                  coalesce(incoming.links, 0) AS links_in,
                  coalesce(outgoing.links, 0) AS links_out
                FROM seen FULL JOIN incoming ON seen.host = incoming.host
                  LEFT JOIN outgoing ON seen.host = outgoing.host
                """);
    }

    private void fill(boolean links) throws IOException {
        var _ =
                DuckDb.wrapSqlErrors(
                        () -> {
                            try (var lines = duckDb.internalAppender("lines");
                                    var edges = duckDb.internalAppender("edges")) {
                                pages.forEachLine(
                                        page -> {
                                            addLine(page, lines);
                                            if (links && page.isHtml()) {
                                                addLinks(page, edges);
                                            }
                                        });
                                return true;
                            }
                        });
    }

    private void addLine(StoredPage page, DuckDBAppender lines) throws IOException {
        var urls = pages.directoryOf(page).urls();
        var url = urls.parse(page.url());
        var location =
                url.filter(_ -> !page.location().isEmpty())
                        .flatMap(from -> urls.resolve(from, page.location()));
        var _ =
                DuckDb.wrapSqlErrors(
                        () -> {
                            var row =
                                    lines.beginRow()
                                            .append(page.crawl())
                                            .append(url.map(it -> it.key().high()).orElse(0L))
                                            .append(location.map(it -> it.key().high()).orElse(0L));
                            for (var column : PageColumn.values()) {
                                append(row, column, page);
                            }
                            return row.endRow();
                        });
    }

    /**
     * Appends a value. The JSON functions are linked into DuckDB's library, so queries need no
     * download. A single text that is not valid UTF-8 would make every query over the column fail.
     */
    private static void append(DuckDBAppender row, PageColumn column, StoredPage page)
            throws SQLException {
        var value = column.of(page);
        var _ =
                switch (column.type()) {
                    case TEXT -> row.append(sanitize((String) value));
                    case INT -> row.append((int) value);
                    case LONG -> row.append((long) value);
                    case TIME ->
                            row.append(LocalDateTime.ofInstant((Instant) value, ZoneOffset.UTC));
                    case JSON ->
                            column.isMissing(page)
                                    ? row.appendNull()
                                    : row.append(sanitize((String) value));
                };
    }

    private void addLinks(StoredPage page, DuckDBAppender edges) throws IOException {
        var urls = pages.directoryOf(page).urls();
        var parsed =
                pages.process(
                        page,
                        storedResponse -> new HtmlParser(urls).parse(storedResponse.document()));
        if (parsed.isEmpty()) {
            return;
        }
        var key = urls.parse(page.url()).orElseThrow().key().high();
        var _ =
                DuckDb.wrapSqlErrors(
                        () -> {
                            for (var link : parsed.get().links()) {
                                if (!pages.isTakenDown(link.url().text())) {
                                    addLink(page, key, link, edges);
                                }
                            }
                            return true;
                        });
    }

    private static void addLink(StoredPage page, long key, Link link, DuckDBAppender edges)
            throws SQLException {
        edges.beginRow()
                .append(key)
                .append(link.url().key().high())
                .append(page.url())
                .append(link.url().text())
                .append(page.host())
                .append(link.url().host())
                .append(link.kind().name().toLowerCase(Locale.ROOT))
                .append(link.nofollow())
                .endRow();
    }

    /** Removes lone surrogates and NUL characters. */
    private static String sanitize(String text) {
        for (var i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i)) || text.charAt(i) == 0) {
                return new String(
                                text.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                                java.nio.charset.StandardCharsets.UTF_8)
                        .replace("\u0000", "");
            }
        }
        return text;
    }
}
