package dev.orbweaver.cli;

import dev.orbweaver.model.PrintableText;

import java.util.List;

/** Displays a block of lines on a terminal; each block replaces the previous one. */
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

    /** Truncates a line to the terminal's width: a wrapped line would break the line count. */
    private String truncate(String line) {
        return line.length() <= terminal.columns() ? line : line.substring(0, terminal.columns());
    }
}
