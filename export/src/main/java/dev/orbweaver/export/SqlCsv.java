package dev.orbweaver.export;

import java.io.IOException;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;

/** Writes a query result as CSV. */
final class SqlCsv {

    private SqlCsv() {}

    static void write(DuckDb duckDb, String sql, AtomicTextFile out) throws IOException {
        var csvWriter = new CsvWriter(out);
        var _ =
                DuckDb.wrapSqlErrors(
                        () -> {
                            try (var statement = duckDb.connection().createStatement();
                                    var rows = statement.executeQuery(sql)) {
                                write(rows, csvWriter);
                                return true;
                            }
                        });
    }

    static void write(ResultSet rows, CsvWriter csvWriter) throws SQLException, IOException {
        var columns = rows.getMetaData();
        csvWriter.header(names(columns));
        while (rows.next()) {
            for (var column = 1; column <= columns.getColumnCount(); column++) {
                var text = rows.getString(column);
                if (text == null) {
                    csvWriter.empty();
                } else if (isNumber(columns.getColumnType(column))) {
                    csvWriter.raw(text);
                } else {
                    csvWriter.text(text);
                }
            }
            csvWriter.endRow();
        }
    }

    static String[] names(ResultSetMetaData columns) throws SQLException {
        var names = new String[columns.getColumnCount()];
        for (var column = 0; column < names.length; column++) {
            names[column] = columns.getColumnLabel(column + 1);
        }
        return names;
    }

    static boolean isNumber(int type) {
        return switch (type) {
            case Types.TINYINT,
                    Types.SMALLINT,
                    Types.INTEGER,
                    Types.BIGINT,
                    Types.FLOAT,
                    Types.REAL,
                    Types.DOUBLE,
                    Types.DECIMAL,
                    Types.NUMERIC,
                    Types.BOOLEAN,
                    Types.BIT ->
                    true;
            default -> false;
        };
    }
}
