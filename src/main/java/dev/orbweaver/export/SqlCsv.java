package dev.orbweaver.export;

import java.io.IOException;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;

/** The answer to a query as rows that are safe to open in a spreadsheet. */
final class SqlCsv {

    private SqlCsv() {}

    static void write(Tables tables, String sql, TextFile out) throws IOException {
        var csv = new Csv(out);
        var _ =
                Tables.with(
                        () -> {
                            try (var statement = tables.connection().createStatement();
                                    var rows = statement.executeQuery(sql)) {
                                write(rows, csv);
                                return true;
                            }
                        });
    }

    static void write(ResultSet rows, Csv csv) throws SQLException, IOException {
        var columns = rows.getMetaData();
        csv.head(names(columns));
        while (rows.next()) {
            for (var column = 1; column <= columns.getColumnCount(); column++) {
                var text = rows.getString(column);
                if (text == null) {
                    csv.nothing();
                } else if (isNumber(columns.getColumnType(column))) {
                    csv.bare(text);
                } else {
                    csv.text(text);
                }
            }
            csv.end();
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
