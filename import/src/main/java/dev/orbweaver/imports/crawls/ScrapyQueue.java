package dev.orbweaver.imports.crawls;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.imports.SourceException;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The requests in a Scrapy job directory, as queuelib stores them: pickled dictionaries.
 *
 * <p>A file of a last-in-first-out queue (Scrapy's default) is a count of four bytes, then records
 * that are each followed by their length. A first-in-first-out queue is a directory with {@code
 * info.json} and files {@code q00000}, whose records follow their length.
 */
record ScrapyQueue(String name, Path directory) implements CrawlImporter.Part {

    private static final int RECORD_BYTES_MAX = 16 << 20;
    private static final int INTERRUPT_CHECK_ROWS = 10_000;
    private static final String INFO = "info.json";

    /** The key of a request is where the next one is: an offset, a tab, the path of the file. */
    @Override
    public void read(String after, CrawlImporter.RowOutput out)
            throws IOException, InterruptedException {
        var tab = after.indexOf('\t');
        var begun = after.substring(tab + 1);
        var isNext = after.isEmpty();
        for (var file : files()) {
            var path = directory.relativize(file).toString();
            var at = OptionalLong.empty();
            if (path.equals(begun)) {
                isNext = true;
                at = OptionalLong.of(Long.parseLong(after.substring(0, tab)));
            }
            if (isNext) {
                read(file, at, new Rows(file, path, out));
            }
        }
        if (!isNext) {
            throw new SourceException(
                    "%s had a file %s when the import was interrupted; put it back, or delete the directory of --out and start again"
                            .formatted(directory, begun));
        }
    }

    private static void read(Path file, OptionalLong from, Rows rows)
            throws IOException, InterruptedException {
        try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
            if (Files.exists(file.resolveSibling(INFO))) {
                readForward(channel, from.isEmpty() ? firstOffset(file) : from.getAsLong(), rows);
            } else {
                readBackward(channel, from.orElse(channel.size()), rows);
            }
        }
    }

    /** Passes on the requests of one file. */
    private static final class Rows {

        private final Path file;
        private final String path;
        private final CrawlImporter.RowOutput out;
        private long count;

        private Rows(Path file, String path, CrawlImporter.RowOutput out) {
            this.file = file;
            this.path = path;
            this.out = out;
        }

        private void add(byte[] record, long next) throws IOException, InterruptedException {
            row(file, record, out);
            if (out.isCheckpointDue()) {
                out.checkpoint(next + "\t" + path);
            }
            if (++count % INTERRUPT_CHECK_ROWS == 0 && Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    private List<Path> files() throws IOException {
        try (var files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().endsWith(".json"))
                    .sorted()
                    .toList();
        }
    }

    private static void readBackward(FileChannel channel, long from, Rows rows)
            throws IOException, InterruptedException {
        var end = from;
        while (end > Integer.BYTES) {
            var length = length(rows.file, channel, end - Integer.BYTES);
            var start = end - Integer.BYTES - length;
            if (start < Integer.BYTES) {
                throw damaged(rows.file);
            }
            rows.add(bytes(channel, start, length), start);
            end = start;
        }
    }

    /** The first file begins with requests that were taken from the queue already. */
    private static void readForward(FileChannel channel, long from, Rows rows)
            throws IOException, InterruptedException {
        var at = from;
        while (at < channel.size()) {
            var length = length(rows.file, channel, at);
            var next = at + Integer.BYTES + length;
            if (next > channel.size()) {
                throw damaged(rows.file);
            }
            rows.add(bytes(channel, at + Integer.BYTES, length), next);
            at = next;
        }
    }

    private static long firstOffset(Path file) throws IOException {
        try {
            var tail =
                    JsonMapper.shared()
                            .readTree(Files.readString(file.resolveSibling(INFO), UTF_8))
                            .path("tail");
            return file.getFileName().toString().equals("q%05d".formatted(tail.path(0).asInt(-1)))
                    ? tail.path(2).asLong(0)
                    : 0;
        } catch (JacksonException e) {
            throw damaged(file.resolveSibling(INFO));
        }
    }

    private static int length(Path file, FileChannel channel, long at) throws IOException {
        var length = ByteBuffer.wrap(bytes(channel, at, Integer.BYTES)).getInt();
        if (length <= 0 || length > RECORD_BYTES_MAX) {
            throw damaged(file);
        }
        return length;
    }

    private static byte[] bytes(FileChannel channel, long at, int length) throws IOException {
        var buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, at + buffer.position()) < 0) {
                break;
            }
        }
        return buffer.array();
    }

    private static SourceException damaged(Path file) {
        return new SourceException(
                file
                        + " is not a complete queue of pickled requests; stop the Scrapy crawl"
                        + " first, and use its default disk queues");
    }

    private static void row(Path file, byte[] record, CrawlImporter.RowOutput out)
            throws IOException {
        if (!(new Pickle(record).read().orElseThrow(() -> damaged(file))
                instanceof Map<?, ?> request)) {
            throw damaged(file);
        }
        var url = request.get("url") instanceof String text ? text : "";
        var method = request.get("method") instanceof String text ? text : "GET";
        var depth =
                request.get("meta") instanceof Map<?, ?> meta
                                && meta.get("depth") instanceof Long number
                        ? number.intValue()
                        : 0;
        var priority = request.get("priority") instanceof Long number ? number.intValue() : 0;
        // A request that sends data cannot be repeated by a crawler; it is counted as rejected.
        out.queued(method.equals("GET") ? url : "(%s) %s".formatted(method, url), depth, priority);
    }

    @Override
    public long countRows() throws IOException, InterruptedException {
        return RowCounter.count(this);
    }
}
