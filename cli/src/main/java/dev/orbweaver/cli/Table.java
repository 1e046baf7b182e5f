package dev.orbweaver.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Prints rows in aligned columns. */
final class Table {

    private static final String INDENT = "  ";

    private final List<List<String>> rows = new ArrayList<>();
    private final String columns;

    /** Creates a table with a column per letter: l for left-aligned, r for right-aligned. */
    Table(String columns) {
        this.columns = columns;
    }

    void row(String... cells) {
        if (cells.length != columns.length()) {
            throw new IllegalArgumentException(
                    "expected " + columns.length() + " cells: " + List.of(cells));
        }
        rows.add(List.of(cells));
    }

    void print(PrintStream out) {
        for (var row : rows) {
            var line = new StringBuilder();
            for (var column = 0; column < columns.length(); column++) {
                var cell = row.get(column);
                var space = " ".repeat(width(column) - cell.length());
                line.append(INDENT)
                        .append(columns.charAt(column) == 'r' ? space + cell : cell + space);
            }
            out.println(line.toString().stripTrailing());
        }
    }

    private int width(int column) {
        return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
    }
}
