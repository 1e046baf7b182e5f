package dev.orbweaver.internal.sink;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.BoundedStream;
import dev.orbweaver.model.Capture.Kind;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;

/**
 * Reads the page log: one line of JSON for every settled URL, in order of settlement.
 *
 * <p>It may be read while the crawl is running; an incomplete last line is skipped. Failed attempts
 * that are retried have lines too, which only {@link #readAll} passes.
 */
public final class PageLog {

    /** Longer than almost every line; more is read if that is not enough. */
    private static final int TAIL_BYTES = 64 << 10;

    private PageLog() {}

    public interface EntryVisitor {
        void visit(PageLogEntry entry) throws IOException;
    }

    public static void read(Path file, EntryVisitor visitor) throws IOException {
        read(file, Long.MAX_VALUE, visitor);
    }

    /**
     * Passes every complete line within a length: the last committed one, for readers that must not
     * see lines that a crash may roll back.
     */
    public static void read(Path file, long length, EntryVisitor visitor) throws IOException {
        readAll(
                file,
                length,
                entry -> {
                    if (entry.kind() != Kind.RETRIED) {
                        visitor.visit(entry);
                    }
                });
    }

    /** Passes every line, including attempts that are retried. */
    public static void readAll(Path file, long length, EntryVisitor visitor) throws IOException {
        readAll(file, 0, length, visitor);
    }

    /** Passes every line, starting at {@code from}, which must be the start of a line. */
    public static void readAll(Path file, long from, long length, EntryVisitor visitor)
            throws IOException {
        // Invalid UTF-8 is replaced instead of rejected: a line may be truncated within a
        // character.
        try (var whole = Files.newInputStream(file);
                var in = new BoundedStream(whole, length - from);
                var lines = new BufferedReader(new InputStreamReader(in, UTF_8))) {
            whole.skipNBytes(from);
            var previous = lines.readLine();
            while (previous != null) {
                var next = lines.readLine();
                readLine(previous, next == null, visitor);
                previous = next;
            }
        }
    }

    private static void readLine(String line, boolean last, EntryVisitor visitor)
            throws IOException {
        PageLogEntry entry;
        try {
            entry = parseLine(line);
        } catch (IOException e) {
            if (!last) {
                throw e;
            }
            return;
        }
        visitor.visit(entry);
    }

    public static PageLogEntry parseLine(String line) throws IOException {
        try {
            return PageLogEntry.fromJson(JsonMapper.shared().readTree(line));
        } catch (JacksonException | DateTimeException | IllegalArgumentException e) {
            var what = e instanceof JacksonException ? "not JSON" : "not a valid entry";
            throw new IOException("the page log has a line that is " + what + ": " + line, e);
        }
    }

    /**
     * Returns the number of the last line, 0 for an empty log. The log must end in a complete line.
     */
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
