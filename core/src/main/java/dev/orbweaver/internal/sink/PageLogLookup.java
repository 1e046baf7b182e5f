package dev.orbweaver.internal.sink;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Finds a line of a page log by its number. Lines are in the order of their numbers, so a binary
 * search over byte offsets reads a few blocks of the file and needs no index.
 */
final class PageLogLookup {

    /** Shorter ranges are read line by line. */
    private static final int SEARCH_MIN = 1 << 16;

    private static final int BUFFER = 1 << 12;

    /** The beginning of every line, before its number. */
    private static final int NUMBER_OFFSET = "{\"seq\":".length();

    private PageLogLookup() {}

    /**
     * @param length of the log, up to the end of a line
     */
    static Optional<PageLogEntry> find(Path file, long length, long line) throws IOException {
        try (var log = FileChannel.open(file)) {
            var lines = new LogLines(log, lowerBound(log, length, line), length, SEARCH_MIN);
            while (lines.next() && number(lines) <= line) {
                if (number(lines) == line) {
                    return Optional.of(PageLog.parseLine(new String(lines.bytes(), UTF_8)));
                }
            }
            return Optional.empty();
        }
    }

    /** Returns the start of a line at or before the wanted one. */
    private static long lowerBound(FileChannel log, long length, long line) throws IOException {
        var low = 0L;
        var high = length;
        while (high - low > SEARCH_MIN) {
            var middle = (low + high) / 2;
            var lines = new LogLines(log, middle, length, BUFFER);
            var hasPart = lines.next(); // Of a line; the next one is compared.
            if (hasPart && lines.next() && lines.start() < high && number(lines) <= line) {
                low = lines.start();
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static long number(LogLines lines) {
        var number = 0L;
        for (var at = NUMBER_OFFSET; ; at++) {
            var digit = lines.at(at) - '0';
            if (digit < 0 || digit > 9) {
                return number;
            }
            number = number * 10 + digit;
        }
    }
}
