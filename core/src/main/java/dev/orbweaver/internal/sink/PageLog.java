package dev.orbweaver.internal.sink;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.model.Capture.Kind;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads the page log: one line of JSON for every settled URL, in order of settlement. It may be
 * read while the crawl runs; an incomplete last line is left out. Failed attempts that are retried
 * have lines too, which only {@link #readAll} passes on.
 */
public final class PageLog {

    /** Its name in a crawl's folder. */
    public static final String FILE = "pages.log";

    /** Longer than nearly every line; for the rest more is read. */
    private static final int TAIL_BYTES = 64 << 10;

    private PageLog() {}

    public static void read(Path file, Consumer<PageLogEntry> out) throws IOException {
        read(file, Long.MAX_VALUE, out);
    }

    /**
     * Passes on every whole line within a length: the last committed one, for readers that must not
     * see what a crash may take back.
     */
    public static void read(Path file, long length, Consumer<PageLogEntry> out) throws IOException {
        readAll(
                file,
                length,
                entry -> {
                    if (entry.kind() != Kind.RETRIED) {
                        out.accept(entry);
                    }
                });
    }

    /** Also passes on attempts that are retried. */
    public static void readAll(Path file, long length, Consumer<PageLogEntry> out)
            throws IOException {
        readAll(file, 0, length, out);
    }

    /**
     * @param from where a line begins
     */
    public static void readAll(Path file, long from, long length, Consumer<PageLogEntry> out)
            throws IOException {
        // What is no UTF-8 is replaced instead of refused: a line may be torn within a character.
        try (var whole = Files.newInputStream(file);
                var in = new LimitedStream(whole, length - from);
                var lines = new BufferedReader(new InputStreamReader(in, UTF_8))) {
            whole.skipNBytes(from);
            var previous = lines.readLine();
            while (previous != null) {
                var next = lines.readLine();
                readLine(previous, next == null, out);
                previous = next;
            }
        }
    }

    private static final class LimitedStream extends FilterInputStream {

        private long left;

        LimitedStream(InputStream in, long length) {
            super(in);
            left = length;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int start, int length) throws IOException {
            var count = left <= 0 ? -1 : in.read(bytes, start, (int) Math.min(length, left));
            left -= Math.max(0, count);
            return count;
        }
    }

    private static void readLine(String line, boolean last, Consumer<PageLogEntry> out)
            throws IOException {
        Optional<PageLogEntry> entry;
        try {
            entry = Optional.of(parseLine(line));
        } catch (IOException e) {
            if (!last) {
                throw e;
            }
            entry = Optional.empty();
        }
        entry.ifPresent(out);
    }

    public static PageLogEntry parseLine(String line) throws IOException {
        try {
            return PageLogEntry.fromJson(JsonMapper.shared().readTree(line));
        } catch (JacksonException | DateTimeException | IllegalArgumentException e) {
            var what = e instanceof JacksonException ? "not JSON" : "no entry";
            throw new IOException("the page log has a line that is " + what + ": " + line, e);
        }
    }

    /** The number of the last line, 0 for an empty log. The log must end in a whole line. */
    static long lastSequence(Path file) throws IOException {
        try (var log = FileChannel.open(file)) {
            return log.size() == 0 ? 0 : sequence(lastLine(log));
        }
    }

    private static String lastLine(FileChannel log) throws IOException {
        for (var size = (long) TAIL_BYTES; ; size *= 2) {
            var tail = tail(log, Math.min(size, log.size())).stripTrailing();
            var start = tail.lastIndexOf('\n') + 1;
            if (start > 0 || size >= log.size()) {
                return tail.substring(start);
            }
        }
    }

    private static String tail(FileChannel log, long size) throws IOException {
        var tail = ByteBuffer.allocate(Math.toIntExact(size));
        var start = log.size() - size;
        while (tail.hasRemaining() && log.read(tail, start + tail.position()) >= 0) {}
        return new String(tail.array(), 0, tail.position(), UTF_8);
    }

    private static long sequence(String line) throws IOException {
        try {
            return JsonMapper.shared().readTree(line).path("seq").asLong();
        } catch (JacksonException e) {
            throw new IOException("the page log ends in a line that is not JSON: " + line, e);
        }
    }
}
