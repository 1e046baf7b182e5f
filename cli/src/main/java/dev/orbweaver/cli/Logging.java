package dev.orbweaver.cli;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.model.PrintableText;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HexFormat;
import java.util.logging.FileHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Writes all log lines to a file instead of the terminal. */
final class Logging {

    private static final Logger ROOT = Logger.getLogger("");

    /**
     * Logs every connection at INFO; the reference keeps its level from being garbage collected.
     */
    private static final Logger MONGODB = Logger.getLogger("org.mongodb.driver");

    private static final long FILE_BYTES_MAX = 50L << 20;

    private Logging() {}

    /** Removes all handlers, so that nothing is logged until {@link #toDirectory} adds one. */
    static void removeHandlers() {
        for (Handler handler : ROOT.getHandlers()) {
            ROOT.removeHandler(handler);
        }
    }

    /**
     * Logs to a crawl's directory. A file that is too large is renamed to {@code crawl.log.old}.
     */
    static Closeable toDirectory(Path directory) throws IOException {
        removeHandlers();
        MONGODB.setLevel(Level.WARNING);
        var file = directory.resolve(DirectoryLayout.LOG);
        if (Files.exists(file) && Files.size(file) > FILE_BYTES_MAX) {
            Files.move(
                    file,
                    directory.resolve(DirectoryLayout.LOG_OLD),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        var handler = new FileHandler(file.toString().replace("%", "%%"), true);
        handler.setFormatter(new LineFormatter());
        handler.setLevel(Level.INFO);
        ROOT.addHandler(handler);
        return () -> {
            ROOT.removeHandler(handler);
            handler.close();
        };
    }

    /**
     * Formats one line per message. Messages contain text from web servers, so characters that
     * could end a line, forge another or control a terminal are escaped.
     */
    static final class LineFormatter extends Formatter {
        @Override
        public String format(LogRecord line) {
            var text = new StringBuilder();
            text.append(line.getInstant()).append(' ').append(line.getLevel()).append(' ');
            text.append(simpleName(line.getLoggerName())).append(": ");
            appendEscaped(text, formatMessage(line));
            text.append('\n');
            for (var e = line.getThrown(); e != null; e = e.getCause()) {
                appendEscaped(text.append("  "), e.toString());
                text.append('\n');
                for (var frame : e.getStackTrace()) {
                    text.append("    at ").append(frame).append('\n');
                }
            }
            return text.toString();
        }

        private static void appendEscaped(StringBuilder text, String message) {
            for (var i = 0; i < message.length(); i++) {
                var c = message.charAt(i);
                if (PrintableText.isPrintable(c) || Character.isSurrogate(c)) {
                    text.append(c);
                } else {
                    text.append("\\u").append(HexFormat.of().toHexDigits(c));
                }
            }
        }

        private static String simpleName(String logger) {
            return logger.substring(logger.lastIndexOf('.') + 1);
        }
    }
}
