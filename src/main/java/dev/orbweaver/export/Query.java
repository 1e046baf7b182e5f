package dev.orbweaver.export;

import dev.orbweaver.archive.CrawlPages;

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
 * SQL over a crawl: {@code pages}, {@code urls}, {@code links} and {@code hosts}.
 *
 * <p>The tables are made for the question in a scratch folder and opened again without the right to
 * change anything or to reach anything else: whoever may ask questions may not read files by them.
 */
public final class Query {

    private static final Pattern FIRST_WORD = Pattern.compile("^[\\s(]*([A-Za-z]+)");
    private static final List<String> QUESTIONS =
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

    /** The tables that are made of links. */
    private static final Pattern OF_LINKS = Pattern.compile("(?i)\\b(?:links|hosts)\\b");

    private Query() {}

    /** How an answer is written. */
    public enum Form {
        /** Columns for people. */
        TABLE,
        /** Comma-separated values. */
        CSV,
        /** JSON lines. */
        JSON;

        /** Its name as people write it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The form of that name. */
        public static Optional<Form> of(String word) {
            return Arrays.stream(values()).filter(form -> form.word().equals(word)).findFirst();
        }
    }

    /** Asks a question and writes the answer. */
    public static void run(CrawlPages pages, String sql, Form form, OutputStream out)
            throws IOException, QueryException {
        requireQuestion(sql);
        var links = OF_LINKS.matcher(sql).find();
        try (var scratch = Scratch.anywhere()) {
            try (var tables = Tables.in(scratch.folder())) {
                CrawlTables.fill(pages, tables, links);
                CrawlTables.addViews(tables, links);
            }
            try (var tables = Tables.readOnly(scratch.folder());
                    var text = TextFile.over(out)) {
                answer(tables, sql, form, text);
                text.finish();
            }
        }
    }

    private static void requireQuestion(String sql) throws QueryException {
        var word = FIRST_WORD.matcher(sql);
        if (!word.find() || !QUESTIONS.contains(word.group(1).toLowerCase(Locale.ROOT))) {
            throw new QueryException(
                    "only questions can be asked: a query begins with "
                            + QUESTIONS.stream()
                                    .map(it -> it.toUpperCase(Locale.ROOT))
                                    .collect(Collectors.joining(", ")));
        }
    }

    private static void answer(Tables tables, String sql, Form form, TextFile out)
            throws IOException, QueryException {
        try (var statement = tables.connection().createStatement();
                var rows = statement.executeQuery(sql)) {
            write(rows, form, out);
        } catch (SQLException e) {
            throw new QueryException(sentence(String.valueOf(e.getMessage())));
        }
    }

    private static void write(ResultSet rows, Form form, TextFile out)
            throws SQLException, IOException {
        switch (form) {
            case TABLE -> new SqlTable(out).write(rows);
            case CSV -> SqlCsv.write(rows, new Csv(out));
            case JSON -> SqlJson.write(rows, out);
        }
    }

    /** What DuckDB has against it, without the picture of where. */
    private static String sentence(String message) {
        return message.lines()
                .takeWhile(line -> !line.startsWith("LINE "))
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .collect(Collectors.joining(" "));
    }
}
