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

/**
 * The requests in a Scrapy job directory, as queuelib stores them: pickled dictionaries.
 *
 * <p>A file of a last-in-first-out queue (Scrapy's default) is a count of four bytes, then records
 * that are each followed by their length. A first-in-first-out queue is a directory with {@code
 * info.json} and files {@code q00000}, whose records follow their length.
 */
record ScrapyQueue(String name, Path directory) implements CrawlImporter.Part {

    private static final int RECORD_BYTES_MAX = 16 << 20;
    private static final String INFO = "info.json";

    @Override
    public void read(String after, CrawlImporter.RowOutput out) throws IOException {
        for (var file : files()) {
            try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
                if (Files.exists(file.resolveSibling(INFO))) {
                    readForward(file, channel, out);
                } else {
                    readBackward(file, channel, out);
                }
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

    private void readBackward(Path file, FileChannel channel, CrawlImporter.RowOutput out)
            throws IOException {
        var end = channel.size();
        while (end > Integer.BYTES) {
            var length = length(file, channel, end - Integer.BYTES);
            var start = end - Integer.BYTES - length;
            if (start < Integer.BYTES) {
                throw damaged(file);
            }
            row(file, bytes(channel, start, length), out);
            end = start;
        }
    }

    /** The first file begins with requests that were taken from the queue already. */
    private void readForward(Path file, FileChannel channel, CrawlImporter.RowOutput out)
            throws IOException {
        var at = firstOffset(file);
        while (at < channel.size()) {
            var length = length(file, channel, at);
            if (at + Integer.BYTES + length > channel.size()) {
                throw damaged(file);
            }
            row(file, bytes(channel, at + Integer.BYTES, length), out);
            at += Integer.BYTES + length;
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
