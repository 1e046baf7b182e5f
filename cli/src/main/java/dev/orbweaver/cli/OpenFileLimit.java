package dev.orbweaver.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * The system's limit on open files (RLIMIT_NOFILE); unlimited if it is unknown. It is checked
 * first, because a JVM without file descriptors cannot load the classes that report an error.
 */
record OpenFileLimit(int limit) {

    /** Descriptors for libraries (about 140) and for the files of a crawl and its sinks. */
    static final int RESERVED = 256;

    /** A connection, and a DNS lookup or a body on disk. */
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

    /** Returns the soft limit, which the JVM has already raised to the hard limit. */
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
        return "the limit on open files is %d, at least %d are needed; raise it with 'ulimit -n 4096'"
                .formatted(limit, RESERVED);
    }

    /** Returns the possible concurrency, at most the requested one. */
    int allowedRequests(int concurrency) {
        return Math.clamp((limit - RESERVED) / PER_REQUEST, 1, concurrency);
    }

    int allowedRequests(int concurrency, Terminal terminal) {
        var allowed = allowedRequests(concurrency);
        if (allowed < concurrency) {
            terminal.warn(
                    "the limit on open files is %,d, so at most %,d requests are in flight instead of %,d; raise it with 'ulimit -n %d'"
                            .formatted(
                                    limit,
                                    allowed,
                                    concurrency,
                                    RESERVED + (long) PER_REQUEST * concurrency));
        }
        return allowed;
    }

    /** Returns the maximum number of open connections, including idle ones. */
    int allowedConnections(int concurrency) {
        return Math.max(1, limit - RESERVED - allowedRequests(concurrency));
    }
}
