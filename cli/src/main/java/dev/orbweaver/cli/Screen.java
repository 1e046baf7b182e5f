package dev.orbweaver.cli;

import dev.orbweaver.model.PrintableText;

import java.util.List;

/** Displays a block of lines on a terminal; each block replaces the previous one. */
final class Screen {

    private final Terminal terminal;
    private List<String> painted = List.of();

    Screen(Terminal terminal) {
        this.terminal = terminal;
    }

    void show(List<String> lines) {
        var columns = Math.clamp(terminal.width().getAsInt(), 1, terminal.columns());
        var text = new StringBuilder();
        if (!painted.isEmpty()) {
            text.append("\u001b[%dA\r\u001b[J".formatted(paintedRows(columns)));
        }
        painted = lines.stream().map(line -> truncate(PrintableText.line(line), columns)).toList();
        painted.forEach(line -> text.append(line).append('\n'));
        terminal.raw().print(text);
        terminal.raw().flush();
    }

    /**
     * Returns the rows of the last block: a terminal that became narrower has wrapped its lines.
     */
    private int paintedRows(int columns) {
        return painted.stream()
                .mapToInt(line -> Math.max(1, Math.ceilDiv(line.length(), columns)))
                .sum();
    }

    /** Truncates a line to the terminal's width: a wrapped line would break the row count. */
    private static String truncate(String line, int columns) {
        return line.length() <= columns ? line : line.substring(0, columns);
    }
}
