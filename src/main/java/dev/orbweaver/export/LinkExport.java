package dev.orbweaver.export;

import dev.orbweaver.archive.CrawlPages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The link graph as four tables in a folder: every link, every page with how many link to it and
 * how many it links to, every host likewise, and how often hosts link to each other.
 */
final class LinkExport {

    private LinkExport() {}

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        var folder = settings.target().place(Format.LINKS);
        if (Files.isRegularFile(folder)) {
            throw new IOException(folder + " is a file; name a folder for the link graph");
        }
        try (var scratch = Scratch.beside(settings.target());
                var tables = Tables.in(scratch.folder())) {
            CrawlTables.fill(pages, tables, true);
            CrawlTables.addViews(tables, true);
            write(
                    tables,
                    folder.resolve("links.csv"),
                    "SELECT source, target, kind, nofollow FROM links ORDER BY ALL");
            write(
                    tables,
                    folder.resolve("pages.csv"),
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
                    tables,
                    folder.resolve("hosts.csv"),
                    "SELECT host, pages, in_degree, out_degree, links_in, links_out FROM hosts"
                            + " ORDER BY host");
            write(
                    tables,
                    folder.resolve("host-links.csv"),
                    "SELECT source_host AS source, target_host AS target, count(*) AS links"
                            + " FROM edges WHERE source_host <> target_host GROUP BY ALL"
                            + " ORDER BY ALL");
            return ExportReport.of(tables.number("SELECT count(*) FROM edges"), "links");
        }
    }

    private static void write(Tables tables, Path file, String sql) throws IOException {
        try (var out = TextFile.create(file)) {
            SqlCsv.write(tables, sql, out);
            out.finish();
        }
    }
}
