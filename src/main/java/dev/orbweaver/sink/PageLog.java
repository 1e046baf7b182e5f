package dev.orbweaver.sink;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Reads the page log: one line of JSON for every settled URL, in the order in which they were
 * settled. It may be read while the crawl runs; a last line that is not whole yet is left out.
 */
public final class PageLog {

    /** Its name in a crawl's folder. */
    public static final String FILE = "pages.log";

    /** Longer than any line: the longest URL, title, location and detail are well below it. */
    private static final int TAIL_BYTES = 256 << 10;

    private PageLog() {}

    /** Hands every whole line on. */
    public static void read(Path file, Consumer<PageEntry> out) throws IOException {
        try (var lines = Files.newBufferedReader(file)) {
            var previous = lines.readLine();
            while (previous != null) {
                var next = lines.readLine();
                readLine(previous, next == null, out);
                previous = next;
            }
        }
    }

    private static void readLine(String line, boolean last, Consumer<PageEntry> out) {
        try {
            out.accept(PageEntry.read(JsonMapper.shared().readTree(line)));
        } catch (JacksonException e) {
            if (!last) {
                throw new UncheckedIOException(
                        new IOException("the page log has a line that is not JSON: " + line, e));
            }
        }
    }

    /** The number of the last line, 0 for an empty log. The log must end in a whole line. */
    static long lastSequence(Path file) throws IOException {
        try (var log = FileChannel.open(file)) {
            var tail = ByteBuffer.allocate((int) Math.min(log.size(), TAIL_BYTES));
            var start = log.size() - tail.capacity();
            while (tail.hasRemaining() && log.read(tail, start + tail.position()) >= 0) {}
            var text = new String(tail.array(), 0, tail.position(), StandardCharsets.UTF_8).strip();
            if (text.isEmpty()) {
                return 0;
            }
            var line = text.substring(text.lastIndexOf('\n') + 1);
            return JsonMapper.shared().readTree(line).path("seq").asLong();
        }
    }
}
