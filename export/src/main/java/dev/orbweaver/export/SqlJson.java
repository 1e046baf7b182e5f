package dev.orbweaver.export;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.RawValue;

import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Writes a query result as JSON lines. */
final class SqlJson {

    private SqlJson() {}

    static void write(ResultSet rows, AtomicTextFile out) throws SQLException, IOException {
        var columns = rows.getMetaData();
        var names = SqlCsv.names(columns);
        while (rows.next()) {
            var line = JsonMapper.shared().createObjectNode();
            for (var column = 1; column <= names.length; column++) {
                var text = rows.getString(column);
                var bare =
                        text != null
                                && SqlCsv.isNumber(columns.getColumnType(column))
                                && isJson(text);
                if (text == null) {
                    line.putNull(names[column - 1]);
                } else if (columns.getColumnTypeName(column).equals("JSON")) {
                    // Parsed, because a query can make JSON with line breaks in it.
                    line.set(names[column - 1], JsonMapper.shared().readTree(text));
                } else if (bare) {
                    line.putRawValue(names[column - 1], new RawValue(text));
                } else {
                    line.put(names[column - 1], text);
                }
            }
            out.write(line + "\n");
        }
    }

    /** Converts infinite numbers, which JSON cannot represent. */
    private static boolean isJson(String text) {
        return text.matches("-?\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?|true|false");
    }
}
