package dev.orbweaver.export;

import dev.orbweaver.archive.CrawlPages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/**
 * Parquet files, written by DuckDB: the pages alone where a file is named, pages, links and hosts
 * in a folder.
 */
final class ParquetExport {

    private static final String EXTENSION = ".parquet";

    private ParquetExport() {}

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        var place = settings.target().place(Format.PARQUET);
        var one =
                place.toString().toLowerCase(Locale.ROOT).endsWith(EXTENSION)
                        && !Files.isDirectory(place);
        if (!one && Files.isRegularFile(place)) {
            throw new IOException(
                    place + " is a file; name a folder, or a file that ends in .parquet");
        }
        var table = settings.allLines() ? "urls" : "pages";
        try (var scratch = Scratch.beside(settings.target());
                var tables = Tables.in(scratch.folder())) {
            CrawlTables.fill(pages, tables, !one);
            CrawlTables.addViews(tables, !one);
            if (one) {
                copy(tables, table, place);
            } else {
                copy(tables, table, place.resolve(table + EXTENSION));
                copy(tables, "links", place.resolve("links" + EXTENSION));
                copy(tables, "hosts", place.resolve("hosts" + EXTENSION));
            }
            return ExportReport.of(
                    tables.number("SELECT count(*) FROM " + table),
                    settings.allLines() ? "lines" : "pages");
        }
    }

    private static void copy(Tables tables, String table, Path file) throws IOException {
        TextFile.createParent(file);
        var unfinished = TextFile.unfinished(file);
        tables.execute(
                "COPY (SELECT * FROM %s) TO %s (FORMAT parquet, COMPRESSION zstd)"
                        .formatted(table, Tables.literal(unfinished)));
        Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
    }
}
