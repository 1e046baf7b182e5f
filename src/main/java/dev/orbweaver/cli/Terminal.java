package dev.orbweaver.cli;

import java.io.PrintStream;

/**
 * Where people read. The launcher, which sees the real standard output, says by a property whether
 * that is a terminal.
 *
 * @param interactive whether lines can be painted over
 */
record Terminal(PrintStream out, PrintStream err, boolean interactive, int columns) {

    private static final int COLUMNS_MIN = 40;
    private static final int COLUMNS_MAX = 110;

    static Terminal system() {
        var interactive = Boolean.getBoolean("orbweaver.terminal");
        var columns =
                Math.clamp(Integer.getInteger("orbweaver.columns", 80), COLUMNS_MIN, COLUMNS_MAX);
        return new Terminal(System.out, System.err, interactive, columns);
    }

    /** The same, for commands that keep standard output for machines. */
    Terminal onStandardError() {
        return new Terminal(err, err, false, columns);
    }
}
