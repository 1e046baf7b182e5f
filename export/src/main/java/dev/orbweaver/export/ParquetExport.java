package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/** Exports Parquet files with DuckDB: one of pages, or a directory of pages, links and hosts. */
final class ParquetExport {

    private static final String EXTENSION = ".parquet";

    private ParquetExport() {}

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        var place = settings.exportTarget().requirePath(ExportFormat.PARQUET);
        var one =
                place.toString().toLowerCase(Locale.ROOT).endsWith(EXTENSION)
                        && !Files.isDirectory(place);
        if (!one && Files.isRegularFile(place)) {
            throw new IOException(
                    place
                            + " is a file; expected a directory, or a file name that ends in"
                            + " .parquet");
        }
        var table = settings.allLines() ? "urls" : "pages";
        try (var scratchDirectory = ScratchDirectory.createBeside(settings.exportTarget());
                var duckDb = DuckDb.create(scratchDirectory.directory())) {
            CrawlTables.fill(pages, duckDb, !one);
            CrawlTables.addViews(duckDb, !one);
            if (one) {
                copy(duckDb, table, place);
            } else {
                copy(duckDb, table, place.resolve(table + EXTENSION));
                copy(duckDb, "links", place.resolve("links" + EXTENSION));
                copy(duckDb, "hosts", place.resolve("hosts" + EXTENSION));
            }
            return ExportReport.of(
                    duckDb.queryLong("SELECT count(*) FROM " + table),
                    settings.allLines() ? "lines" : "pages");
        }
    }

    private static void copy(DuckDb duckDb, String table, Path file) throws IOException {
        AtomicTextFile.createParent(file);
        var unfinished = AtomicTextFile.unfinishedPath(file);
        duckDb.execute(
                "COPY (SELECT * FROM %s) TO %s (FORMAT parquet, COMPRESSION zstd)"
                        .formatted(table, DuckDb.literal(unfinished)));
        Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
    }
}
