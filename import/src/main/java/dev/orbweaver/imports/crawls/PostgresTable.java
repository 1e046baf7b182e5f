package dev.orbweaver.imports.crawls;

import dev.orbweaver.imports.SourceException;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table as it is in the database.
 *
 * @param name quoted for SQL
 * @param columns those that are read and exist: name in the import to quoted name
 * @param key quoted columns of a unique key, by which rows are ordered; empty if there is none
 */
record PostgresTable(String name, Map<String, String> columns, List<String> key) {

    private static final String FIND_COLUMNS =
            "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(?)"
                    + " AND attnum > 0 AND NOT attisdropped ORDER BY attnum";

    /** Unique over all rows: no partial index, no expressions, no column that may be null. */
    private static final String FIND_KEY =
            """
            SELECT a.attname FROM (
              SELECT indexrelid, indrelid, indkey FROM pg_index i
              WHERE indrelid = to_regclass(?) AND indisunique AND indisvalid
                AND indpred IS NULL AND indexprs IS NULL
                AND NOT EXISTS (SELECT FROM pg_attribute n WHERE n.attrelid = i.indrelid
                  AND n.attnum = ANY (i.indkey) AND NOT n.attnotnull)
              ORDER BY indisprimary DESC, indexrelid LIMIT 1) k
            JOIN pg_attribute a ON a.attrelid = k.indrelid AND a.attnum = ANY (k.indkey)
            ORDER BY array_position(k.indkey::int[], a.attnum::int)
            """;

    /** Finds a table; empty if a table with the usual name does not exist. */
    static Optional<PostgresTable> find(Connection connection, PostgresNames names, String table)
            throws SQLException, SourceException {
        var name = quotePath(names.table(table));
        var found = texts(connection, FIND_COLUMNS, name);
        if (found.isEmpty()) {
            if (names.isTableGiven(table)) {
                throw new SourceException(
                        "there is no table %s; the database has %s"
                                .formatted(names.table(table), tables(connection)));
            }
            return Optional.empty();
        }
        var columns = new LinkedHashMap<String, String>();
        for (var column : PostgresNames.columns(table)) {
            var actual = names.column(table, column);
            if (found.contains(actual)) {
                columns.put(column, quote(actual));
            } else if (columns.isEmpty() || names.isColumnGiven(table, column)) {
                throw new SourceException(
                        "the table %s has no column %s; it has %s; name it with --column %s.%s=NAME"
                                .formatted(
                                        names.table(table),
                                        actual,
                                        String.join(", ", found),
                                        table,
                                        column));
            }
        }
        var key = texts(connection, FIND_KEY, name).stream().map(PostgresTable::quote).toList();
        return Optional.of(new PostgresTable(name, columns, key));
    }

    static String tables(Connection connection) throws SQLException {
        var all =
                texts(
                        connection,
                        "SELECT CASE WHEN schemaname = current_schema() THEN tablename ELSE"
                            + " schemaname || '.' || tablename END FROM pg_tables WHERE schemaname"
                            + " NOT IN ('pg_catalog', 'information_schema') AND ?::text IS NOT NULL"
                            + " ORDER BY 1 LIMIT 20",
                        "");
        return all.isEmpty() ? "no tables" : String.join(", ", all);
    }

    private static List<String> texts(Connection connection, String sql, String parameter)
            throws SQLException {
        var texts = new ArrayList<String>();
        try (var statement = connection.prepareStatement(sql)) {
            statement.setString(1, parameter);
            try (var rows = statement.executeQuery()) {
                while (rows.next()) {
                    texts.add(rows.getString(1));
                }
            }
        }
        return texts;
    }

    /** Quotes a name with an optional schema. */
    private static String quotePath(String path) {
        return Stream.of(path.split("\\.", 2))
                .map(PostgresTable::quote)
                .collect(Collectors.joining("."));
    }

    private static String quote(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /**
     * Returns a query for columns in this order, then the key as texts.
     *
     * @param after whether it has a parameter for each key column, and returns the rows after them
     */
    String select(boolean after) {
        // Without the name of the table, rows would be ordered by the text of the key: a column of
        // the result comes before one of the table.
        var keys = key.stream().map(each -> "t." + each).collect(Collectors.joining(", "));
        var selected =
                Stream.concat(columns.values().stream(), key.stream().map(each -> each + "::text"))
                        .map(each -> "t." + each)
                        .collect(Collectors.joining(", "));
        var parameters = key.stream().map(_ -> "?").collect(Collectors.joining(", "));
        return "SELECT "
                + selected
                + " FROM "
                + name
                + " t"
                + (after ? " WHERE (%s) > (%s)".formatted(keys, parameters) : "")
                + (key.isEmpty() ? "" : " ORDER BY " + keys);
    }
}
