package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.config.InvalidArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Locale;

/** Exports Parquet files with DuckDB: one of pages, or a directory of pages, links and hosts. */
final class ParquetExport {

    private static final String EXTENSION = ".parquet";

    /** DuckDB keeps a row group in memory; 122,880 rows with content would not fit. */
    private static final String ROW_GROUP_MAX = "32MB";

    /** A row without its content; URLs, titles and fields have limits of their own. */
    private static final long OTHER_COLUMNS_BYTES_MAX = 1 << 20;

    /** A control character has six bytes in JSON. */
    private static final long ESCAPED_BYTES_MAX = 6;

    private ParquetExport() {}

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        var place = settings.exportTarget().requirePath(ExportFormat.PARQUET);
        var one =
                place.toString().toLowerCase(Locale.ROOT).endsWith(EXTENSION)
                        && !Files.isDirectory(place);
        if (!one && Files.isRegularFile(place)) {
            throw new InvalidArgumentException(
                    place
                            + " is a file; expected a directory, or a file name that ends in"
                            + " .parquet");
        }
        var table = settings.allLines() ? "urls" : "pages";
        try (var scratchDirectory = ScratchDirectory.createBeside(settings.exportTarget());
                var duckDb = DuckDb.create(scratchDirectory.directory())) {
            CrawlTables.fill(pages, duckDb, !one);
            CrawlTables.addViews(duckDb);
            var file = one ? place : place.resolve(table + EXTENSION);
            if (!one) {
                copy(duckDb, "links", place.resolve("links" + EXTENSION));
                copy(duckDb, "hosts", place.resolve("hosts" + EXTENSION));
            }
            var content = settings.content();
            if (content.isPresent()) {
                var rows = scratchDirectory.directory().resolve("rows.jsonl");
                var report = PageRows.json(pages, settings.to(new ExportTarget.PathTarget(rows)));
                duckDb.execute("SET threads = 1"); // Each thread has buffers of its own.
                copy(duckDb, jsonTable(rows, content.get()), file);
                return report;
            }
            copy(duckDb, table, file);
            return ExportReport.of(
                    duckDb.queryLong("SELECT count(*) FROM " + table),
                    settings.allLines() ? "lines" : "pages");
        }
    }

    /**
     * Returns rows with content as a table expression. DuckDB processes 2,048 rows of a table at a
     * time, which do not fit into memory with content; JSON it processes by buffers of a fixed
     * size.
     */
    private static String jsonTable(Path rows, ExportSettings.Content content) {
        var types = new ArrayList<String>();
        var values = new ArrayList<String>();
        for (var column : PageColumn.values()) {
            var name = '"' + column.id() + '"';
            types.add("%s: '%s'".formatted(name, column.type().sql()));
            values.add(
                    switch (column.type()) {
                        // The tables have these values where JSON has null.
                        case TEXT -> "coalesce(%s, '') AS %s".formatted(name, name);
                        case INT, LONG -> "coalesce(%s, 0) AS %s".formatted(name, name);
                        case TIME, JSON -> name;
                    });
        }
        types.add(ContentColumn.NAME + ": 'VARCHAR'");
        types.add(ContentColumn.TRUNCATED + ": 'BOOLEAN'");
        values.add(ContentColumn.NAME);
        values.add(ContentColumn.TRUNCATED);
        return "(SELECT %s FROM read_json(%s, format = 'newline_delimited', columns = {%s}, maximum_object_size = %d))"
                .formatted(
                        String.join(", ", values),
                        DuckDb.literal(rows),
                        String.join(", ", types),
                        OTHER_COLUMNS_BYTES_MAX + ESCAPED_BYTES_MAX * content.bytesMax());
    }

    private static void copy(DuckDb duckDb, String table, Path file) throws IOException {
        AtomicTextFile.createParent(file);
        var unfinished = AtomicTextFile.unfinishedPath(file);
        duckDb.execute(
                "COPY (SELECT * FROM %s) TO %s (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE_BYTES '%s')"
                        .formatted(table, DuckDb.literal(unfinished), ROW_GROUP_MAX));
        Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
    }
}
