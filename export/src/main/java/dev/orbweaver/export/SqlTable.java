package dev.orbweaver.export;

import dev.orbweaver.model.PrintableText;

import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Writes a query result in columns whose widths are computed from the first rows. */
final class SqlTable {

    private static final int ROWS_MEASURED = 1_000;
    private static final int WIDTH_MAX = 80;
    private static final String GAP = "  ";

    private final AtomicTextFile out;
    private final List<String[]> measured = new ArrayList<>();
    private boolean[] numbers = new boolean[0];
    private int[] widths = new int[0];

    SqlTable(AtomicTextFile out) {
        this.out = out;
    }

    void write(ResultSet rows) throws SQLException, IOException {
        var columns = rows.getMetaData();
        var names = SqlCsv.names(columns);
        numbers = new boolean[names.length];
        widths = new int[names.length];
        for (var column = 0; column < names.length; column++) {
            numbers[column] = SqlCsv.isNumber(columns.getColumnType(column + 1));
        }
        measured.add(names);
        var count = 0L;
        while (rows.next()) {
            count++;
            add(row(rows));
        }
        flush();
        out.write(count == 1 ? "(1 row)\n" : "(%,d rows)\n".formatted(count));
    }

    private String[] row(ResultSet rows) throws SQLException {
        var row = new String[widths.length];
        for (var column = 0; column < row.length; column++) {
            var text = rows.getString(column + 1);
            row[column] = text == null ? "" : oneLine(text);
        }
        return row;
    }

    /** Replaces characters that would break the columns or control a terminal. */
    private static String oneLine(String text) {
        return PrintableText.line(text);
    }

    private void add(String[] row) throws IOException {
        if (measured.size() > ROWS_MEASURED) {
            flush();
        }
        if (measured.isEmpty()) {
            print(row);
        } else {
            measured.add(row);
        }
    }

    private void flush() throws IOException {
        if (measured.isEmpty()) {
            return;
        }
        for (var row : measured) {
            for (var column = 0; column < row.length; column++) {
                widths[column] = Math.min(WIDTH_MAX, Math.max(widths[column], length(row[column])));
            }
        }
        var rows = List.copyOf(measured);
        measured.clear();
        print(rows.getFirst());
        rule();
        for (var row : rows.subList(1, rows.size())) {
            print(row);
        }
    }

    private void rule() throws IOException {
        var line = new ArrayList<String>();
        for (var width : widths) {
            line.add("-".repeat(Math.max(1, width)));
        }
        out.write(String.join(GAP, line) + "\n");
    }

    private void print(String[] row) throws IOException {
        var line = new StringBuilder();
        for (var column = 0; column < row.length; column++) {
            var space = " ".repeat(Math.max(0, widths[column] - length(row[column])));
            line.append(column == 0 ? "" : GAP);
            line.append(numbers[column] ? space + row[column] : row[column] + space);
        }
        out.write(line.toString().stripTrailing() + "\n");
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}
