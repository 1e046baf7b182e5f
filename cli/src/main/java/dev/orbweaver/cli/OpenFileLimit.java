package dev.orbweaver.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * The system's limit on open files (RLIMIT_NOFILE); many where it is unknown. It is checked first:
 * a JVM without descriptors cannot load the class that would say so.
 */
record OpenFileLimit(int limit) {

    /** The libraries (about 140), and the files of a crawl with its sinks. */
    static final int RESERVED = 256;

    /** A connection, and a look-up or a body on disk. */
    private static final int PER_REQUEST = 2;

    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String LINE = "Max open files";

    static OpenFileLimit ofThisProcess() {
        try {
            return new OpenFileLimit(parse(Files.readString(LIMITS)).orElse(Integer.MAX_VALUE));
        } catch (IOException e) {
            return new OpenFileLimit(Integer.MAX_VALUE); // Not Linux.
        }
    }

    /** The soft limit, which the JVM has raised to the hard one by now. */
    static OptionalInt parse(String limits) {
        for (var line : limits.split("\n", -1)) {
            if (line.startsWith(LINE)) {
                var soft = line.substring(LINE.length()).strip().split(" +", 2)[0];
                return soft.matches("\\d{1,9}")
                        ? OptionalInt.of(Integer.parseInt(soft))
                        : OptionalInt.empty();
            }
        }
        return OptionalInt.empty();
    }

    boolean isTooLow() {
        return limit < RESERVED;
    }

    String tooLowMessage() {
        return "only %d files may be open at the same time, and %d are needed at least; raise the limit with 'ulimit -n 4096'"
                .formatted(limit, RESERVED);
    }

    /** How many requests there may be at the same time, of those that were asked for. */
    int allowedRequests(int workers) {
        return Math.clamp((limit - RESERVED) / PER_REQUEST, 1, workers);
    }

    int allowedRequests(int workers, Terminal terminal) {
        var allowed = allowedRequests(workers);
        if (allowed < workers) {
            terminal.warn(
                    "only %,d files may be open at the same time, so at most %,d requests are made at once instead of %,d; raise the limit with 'ulimit -n %d'"
                            .formatted(
                                    limit,
                                    allowed,
                                    workers,
                                    RESERVED + (long) PER_REQUEST * workers));
        }
        return allowed;
    }

    /** How many connections may be open, those kept for later included. */
    int allowedConnections(int workers) {
        return Math.max(1, limit - RESERVED - allowedRequests(workers));
    }
}
