package dev.orbweaver.cli;

import dev.orbweaver.model.PrintableText;

import java.util.List;

/** A block of lines at the end of a terminal that is painted over by the next. */
final class Screen {

    private final Terminal terminal;
    private int paintedLines;

    Screen(Terminal terminal) {
        this.terminal = terminal;
    }

    void show(List<String> lines) {
        var text = new StringBuilder();
        if (paintedLines > 0) {
            text.append("\u001b[%dA\r\u001b[J".formatted(paintedLines));
        }
        lines.forEach(line -> text.append(truncate(PrintableText.line(line))).append('\n'));
        terminal.raw().print(text);
        terminal.raw().flush();
        paintedLines = lines.size();
    }

    /** A line that wraps would spoil the counting of lines. */
    private String truncate(String line) {
        return line.length() <= terminal.columns() ? line : line.substring(0, terminal.columns());
    }
}
