package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.config.InvalidArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Exports the link graph: links, pages and hosts with their degrees, and links between hosts. */
final class LinkExport {

    private LinkExport() {}

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        var directory = settings.exportTarget().requirePath(ExportFormat.LINKS);
        if (Files.isRegularFile(directory)) {
            throw new InvalidArgumentException(
                    directory + " is a file; expected a directory for the link graph");
        }
        try (var scratchDirectory = ScratchDirectory.createBeside(settings.exportTarget());
                var duckDb = DuckDb.create(scratchDirectory.directory())) {
            CrawlTables.fill(pages, duckDb, true);
            CrawlTables.addViews(duckDb);
            write(
                    duckDb,
                    directory.resolve("links.csv"),
                    "SELECT source, target, kind, nofollow FROM links ORDER BY ALL");
            write(
                    duckDb,
                    directory.resolve("pages.csv"),
                    """
                    WITH outgoing AS (
                      SELECT source_key AS key, count(DISTINCT target_key) AS n FROM edges
                      WHERE source_key <> target_key GROUP BY 1),
                    incoming AS (
                      SELECT target_key AS key, count(DISTINCT source_key) AS n FROM edges
                      WHERE source_key <> target_key GROUP BY 1)
                    SELECT url, coalesce(incoming.n, 0) AS in_degree,
                      coalesce(outgoing.n, 0) AS out_degree
                    FROM lines LEFT JOIN incoming USING (key) LEFT JOIN outgoing USING (key)
                    WHERE lines.kind = 'page' ORDER BY url
                    """);
            write(
                    duckDb,
                    directory.resolve("hosts.csv"),
                    "SELECT host, pages, in_degree, out_degree, links_in, links_out FROM hosts"
                            + " ORDER BY host");
            write(
                    duckDb,
                    directory.resolve("host-links.csv"),
                    "SELECT source_host AS source, target_host AS target, count(*) AS links"
                            + " FROM edges WHERE source_host <> target_host GROUP BY ALL"
                            + " ORDER BY ALL");
            return ExportReport.of(duckDb.queryLong("SELECT count(*) FROM edges"), "links");
        }
    }

    private static void write(DuckDb duckDb, Path file, String sql) throws IOException {
        try (var out = AtomicTextFile.create(file)) {
            SqlCsv.write(duckDb, sql, out);
            out.finish();
        }
    }
}
