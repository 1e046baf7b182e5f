package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;

import java.io.IOException;
import java.io.OutputStream;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Runs SQL over a crawl: {@code pages}, {@code urls}, {@code links} and {@code hosts}.
 *
 * <p>The tables are created for the query in a scratch directory and opened read-only, without
 * access to other files, so that a query cannot read files of the machine.
 */
public final class SqlQuery {

    private static final Pattern FIRST_WORD = Pattern.compile("^[\\s(]*([A-Za-z]+)");
    private static final List<String> READ_STATEMENTS =
            List.of(
                    "select",
                    "with",
                    "from",
                    "values",
                    "describe",
                    "show",
                    "summarize",
                    "explain",
                    "pivot",
                    "unpivot");

    /** The tables that are computed from links. */
    private static final Pattern LINK_TABLES = Pattern.compile("(?i)\\b(?:links|hosts)\\b");

    private static final Pattern UNKNOWN_TABLE =
            Pattern.compile("Table with name (\\S+) does not exist!");

    private static final String STREAM_FAILED = "Invalid result set";

    private SqlQuery() {}

    public enum OutputFormat {
        TABLE,
        CSV,
        JSON;

        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Optional<OutputFormat> byId(String word) {
            return Arrays.stream(values())
                    .filter(outputFormat -> outputFormat.id().equals(word))
                    .findFirst();
        }
    }

    public static void run(
            CrawlPages pages, String sql, OutputFormat outputFormat, OutputStream out)
            throws IOException, QueryException {
        requireReadStatement(sql);
        var links = LINK_TABLES.matcher(sql).find();
        try (var scratchDirectory = ScratchDirectory.createTemporary()) {
            try (var duckDb = DuckDb.create(scratchDirectory.directory())) {
                CrawlTables.fill(pages, duckDb, links);
                CrawlTables.addViews(duckDb);
            }
            try (var duckDb = DuckDb.readOnly(scratchDirectory.directory());
                    var text = AtomicTextFile.toStream(out)) {
                execute(duckDb, sql, outputFormat, text);
                text.finish();
            }
        }
    }

    private static void requireReadStatement(String sql) throws QueryException {
        var word = FIRST_WORD.matcher(sql);
        if (!word.find() || !READ_STATEMENTS.contains(word.group(1).toLowerCase(Locale.ROOT))) {
            throw new QueryException(
                    "only read-only queries are allowed; a query begins with "
                            + READ_STATEMENTS.stream()
                                    .map(it -> it.toUpperCase(Locale.ROOT))
                                    .collect(Collectors.joining(", ")));
        }
    }

    private static void execute(
            DuckDb duckDb, String sql, OutputFormat outputFormat, AtomicTextFile out)
            throws IOException, QueryException {
        try (var statement = duckDb.connection().createStatement();
                var rows = statement.executeQuery(sql)) {
            write(rows, outputFormat, out);
        } catch (SQLException e) {
            throw new QueryException(errorMessage(reason(duckDb, sql, e)));
        }
    }

    /**
     * Returns the message of an error. A streamed result that fails has a message without the
     * reason; the same query has it when its rows are discarded.
     */
    private static String reason(DuckDb duckDb, String sql, SQLException error) {
        var message = String.valueOf(error.getMessage());
        if (!message.contains(STREAM_FAILED)) {
            return message;
        }
        try (var statement = duckDb.connection().createStatement()) {
            var _ = statement.execute("EXPLAIN ANALYZE " + sql);
            return message;
        } catch (SQLException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static void write(ResultSet rows, OutputFormat outputFormat, AtomicTextFile out)
            throws SQLException, IOException {
        switch (outputFormat) {
            case TABLE -> new SqlTable(out).write(rows);
            case CSV -> SqlCsv.write(rows, new CsvWriter(out));
            case JSON -> SqlJson.write(rows, out);
        }
    }

    /** Returns DuckDB's message without the excerpt of the query. */
    private static String errorMessage(String message) {
        var table = UNKNOWN_TABLE.matcher(message);
        if (table.find()) {
            // DuckDB would suggest tables of its own catalog.
            return "there is no table %s; the tables are pages, urls, links and hosts"
                    .formatted(table.group(1));
        }
        return message.lines()
                .takeWhile(line -> !line.startsWith("LINE "))
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .collect(Collectors.joining(" "));
    }
}
