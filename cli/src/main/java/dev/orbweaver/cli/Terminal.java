package dev.orbweaver.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.function.IntSupplier;

/**
 * The standard streams. The launcher sees the real standard output and sets a property if it is a
 * terminal.
 *
 * @param raw standard output without a filter, for {@link Screen}, which sends control sequences
 * @param out standard output for people; terminal control characters are removed
 * @param err standard error with the same filter
 * @param interactive whether lines can be repainted
 * @param width the present width of the terminal, which may be resized
 */
record Terminal(
        PrintStream raw, PrintStream out, PrintStream err, boolean interactive, IntSupplier width) {

    private static final int COLUMNS_MIN = 40;
    private static final int COLUMNS_MAX = 110;

    Terminal(PrintStream out, PrintStream err, boolean interactive, IntSupplier width) {
        this(out, printable(out), printable(err), interactive, width);
    }

    /** Returns the width in which text is set. */
    int columns() {
        return Math.clamp(width.getAsInt(), COLUMNS_MIN, COLUMNS_MAX);
    }

    static Terminal system() {
        var interactive = Boolean.getBoolean("orbweaver.terminal");
        int columns = Integer.getInteger("orbweaver.columns", 80);
        return new Terminal(
                System.out,
                System.err,
                interactive,
                interactive ? TerminalWidth.startingWith(columns) : () -> columns);
    }

    private static PrintStream printable(PrintStream stream) {
        var charset = stream.charset().equals(UTF_8) ? UTF_8 : US_ASCII;
        return new PrintStream(new PrintableOutput(stream), false, charset);
    }

    void print(String line) {
        out.println(line);
    }

    void printError(String line) {
        err.println(line);
    }

    void warn(String text) {
        err.println("warning: " + text);
    }

    /** Returns the stream for JSON and CSV; it is filtered only if it is a terminal. */
    PrintStream data() {
        return interactive ? out : raw;
    }

    /** Returns a terminal that prints nothing. */
    Terminal silent() {
        var nothing = new PrintStream(OutputStream.nullOutputStream(), false, UTF_8);
        return new Terminal(nothing, nothing, false, width);
    }

    Terminal onStandardError() {
        return new Terminal(raw, err, err, false, width);
    }
}
