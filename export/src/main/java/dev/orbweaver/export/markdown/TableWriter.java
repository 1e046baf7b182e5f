package dev.orbweaver.export.markdown;

import dev.orbweaver.model.TextScan;

import org.jsoup.nodes.Element;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Writes data tables; layout tables are not written as tables. */
final class TableWriter {

    private static final int COLUMNS_MAX = 100;

    private TableWriter() {}

    /**
     * Whether a table has several columns or a heading, and no block elements in its cells. Lists
     * in a table without headings are columns of a page, such as an index.
     */
    static boolean isDataTable(Element table) {
        if (table.attr("role").equals("presentation")) {
            return false;
        }
        var rows = rows(table);
        var columns = rows.stream().mapToInt(TableWriter::columns).max().orElse(0);
        var headed = rows.stream().anyMatch(row -> row.selectFirst("> th") != null);
        return (columns > 1 || (headed && columns == 1))
                && columns <= COLUMNS_MAX
                && (headed || table.selectFirst("td ul, td ol, td dl") == null)
                && table.selectFirst("table table, pre, h1, h2, h3, h4, h5, h6, hr") == null;
    }

    /** Whether the table contains code with line numbers. */
    static boolean isNumberedCode(Element table) {
        return rows(table).size() == 1
                && table.select("pre").size() >= 1
                && table.selectFirst(
                                "td.linenos, td.gutter, td.rouge-gutter, td.lineno,"
                                        + " td.line-numbers")
                        != null;
    }

    /** Writes a GFM table. */
    static String write(Element table, InlineWriter inline) {
        var lines = new ArrayList<String>();
        var caption = table.selectFirst("> caption");
        if (caption != null && caption.hasText()) {
            var text = MarkdownEscaper.paragraph(inline.oneLine(caption));
            lines.add(inline.marks().take() + text);
            lines.add("");
        }
        var grid = grid(table, inline);
        var columns = grid.stream().mapToInt(List::size).max().orElse(0);
        var body = grid;
        var header = List.<String>of();
        if (isHeader(rows(table).getFirst())) {
            header = grid.getFirst();
            body = grid.subList(1, grid.size());
        }
        lines.add(line(header, columns));
        lines.add("|" + " --- |".repeat(columns));
        body.forEach(row -> lines.add(line(row, columns)));
        return String.join("\n", lines);
    }

    private static boolean isHeader(Element row) {
        var parent = row.parent();
        return (parent != null && parent.nameIs("thead"))
                || (row.selectFirst("> th") != null && row.selectFirst("> td") == null);
    }

    private static String line(List<String> cells, int columns) {
        return cells.stream().collect(Collectors.joining(" | ", "| ", " |"))
                + "  |".repeat(columns - Math.max(cells.size(), 1));
    }

    /** Returns the cells by row; a spanning cell leaves the others empty. */
    private static List<List<String>> grid(Element table, InlineWriter inline) {
        var grid = new ArrayList<List<String>>();
        var reaching = new int[COLUMNS_MAX];
        for (var row : rows(table)) {
            inline.marks().add(row);
            var cells = new ArrayList<String>();
            for (var cell : row.select("> td, > th")) {
                inline.marks().add(cell);
                fillRowSpans(cells, reaching);
                var span = span(cell, "colspan");
                var rowsBelow = span(cell, "rowspan") - 1;
                for (var i = 0; i < span && cells.size() < COLUMNS_MAX; i++) {
                    reaching[cells.size()] = rowsBelow;
                    cells.add(i == 0 ? text(cell, inline) : "");
                }
            }
            fillRowSpans(cells, reaching);
            grid.add(cells);
        }
        return grid;
    }

    private static String text(Element cell, InlineWriter inline) {
        var text = inline.oneLine(cell).replace("|", "\\|");
        return text.isEmpty() ? "" : inline.marks().take() + text;
    }

    private static void fillRowSpans(List<String> cells, int[] reaching) {
        while (cells.size() < COLUMNS_MAX && reaching[cells.size()] > 0) {
            reaching[cells.size()]--;
            cells.add("");
        }
    }

    private static int columns(Element row) {
        return row.select("> td, > th").stream().mapToInt(cell -> span(cell, "colspan")).sum();
    }

    private static int span(Element cell, String attribute) {
        var text = cell.attr(attribute).strip();
        return TextScan.isNumber(text, 3) && text.charAt(0) != '0' ? Integer.parseInt(text) : 1;
    }

    private static List<Element> rows(Element table) {
        return table.select("> tr, > thead > tr, > tbody > tr, > tfoot > tr");
    }
}
