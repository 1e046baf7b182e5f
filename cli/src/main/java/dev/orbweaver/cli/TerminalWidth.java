package dev.orbweaver.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.File;
import java.io.IOException;
import java.util.function.IntSupplier;

/** The width of the terminal, measured again when the terminal signals that it was resized. */
final class TerminalWidth implements IntSupplier {

    private static final Logger LOG = LoggerFactory.getLogger(TerminalWidth.class);

    private volatile int columns;

    private TerminalWidth(int columns) {
        this.columns = columns;
    }

    static TerminalWidth startingWith(int columns) {
        var width = new TerminalWidth(columns);
        var _ = org.jline.utils.Signals.register("WINCH", width::measure);
        return width;
    }

    @Override
    public int getAsInt() {
        return columns;
    }

    /** Reads "ROWS COLUMNS" of stty; if that is not possible, the width stays as it was. */
    private void measure() {
        try {
            var stty =
                    new ProcessBuilder("stty", "size")
                            .redirectInput(new File("/dev/tty"))
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            try (var out = stty.getInputStream()) {
                var words = new String(out.readAllBytes(), US_ASCII).strip().split(" ", -1);
                columns = Integer.parseInt(words[words.length - 1]);
            }
        } catch (IOException | NumberFormatException e) {
            LOG.debug("could not measure the terminal: {}", e.getMessage());
        }
    }
}
