package dev.orbweaver.internal.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.seeds.SeedListReader;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;

/**
 * Records what visits of known pages found, one JSON object per line, in the order of the page log.
 *
 * <p>It is derived from the page log. A crash may leave lines of visits that are read again: on
 * opening, the lines after the last visit that counts are cut off, so no change is recorded twice.
 */
final class ChangeLog implements Closeable {

    private static final int BLOCK = 1 << 16;
    private static final int REWRITE_SHARE = 5;

    enum Kind {
        /** A page that a later visit of another page led to. */
        NEW,
        /** The main text is different. */
        TEXT,
        /** The bytes are different, the main text is the same. */
        MARKUP,
        /** The page was not found, for the first time. */
        MISSING,
        /** The page was not found again, at least a day after the first time. */
        GONE,
        /** A page that was not found is there again. */
        BACK
    }

    /**
     * A change.
     *
     * @param seq the line of the visit in the page log
     * @param before the line of the visit before
     */
    record Change(long seq, long before, Kind kind, String url, Instant time, Instant since) {}

    private final FileChannel file;

    private ChangeLog(FileChannel file) {
        this.file = file;
    }

    /**
     * Opens the log of a crawl.
     *
     * @param last the line of the last visit that counts; changes of later ones are cut off
     */
    static ChangeLog open(Path crawl, long last) throws IOException {
        var file =
                FileChannel.open(
                        crawl.resolve(DirectoryLayout.CHANGES),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        try {
            file.truncate(endOf(file, last));
            file.position(file.size());
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
        return new ChangeLog(file);
    }

    /**
     * Drops the first changes of a crawl that is not open, those before a time. The file is written
     * again only if they are a fifth of it or more.
     */
    static void dropBefore(Path crawl, Instant time) throws IOException {
        var log = crawl.resolve(DirectoryLayout.CHANGES);
        if (!Files.exists(log)) {
            return;
        }
        var size = Files.size(log);
        var dropped = 0L;
        try (var lines = new SeedListReader(log, 0)) {
            while (lines.position() < size && isBefore(lines.next(), time)) {
                dropped = lines.position();
            }
        }
        if (dropped == 0 || dropped * REWRITE_SHARE < size) {
            return;
        }
        var part = crawl.resolve(DirectoryLayout.CHANGES + ".part");
        Files.deleteIfExists(part);
        try (var from = FileChannel.open(log);
                var to =
                        FileChannel.open(
                                part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (var at = dropped; at < size; ) {
                at += from.transferTo(at, size - at, to);
            }
        }
        Files.move(part, log, StandardCopyOption.ATOMIC_MOVE);
    }

    private static boolean isBefore(String line, Instant time) {
        try {
            var at = JsonMapper.shared().readTree(line).path("time").asString("");
            return Instant.parse(at).isBefore(time);
        } catch (JacksonException | DateTimeParseException _) {
            return false; // Cut by a crash.
        }
    }

    /** Returns the end of the last complete line of a visit up to a number, read from the end. */
    static long endOf(FileChannel file, long last) throws IOException {
        var end = file.size();
        while (end > 0) {
            var start = Math.max(0, end - BLOCK);
            var block = ByteBuffer.allocate((int) (end - start));
            while (block.hasRemaining() && file.read(block, start + block.position()) >= 0) {}
            var bytes = block.array();
            var lineEnd = lastNewline(bytes, bytes.length) + 1;
            while (lineEnd > 0) {
                var lineStart = lastNewline(bytes, lineEnd - 1) + 1;
                if (lineStart == 0 && start > 0) {
                    break; // The line begins in the block before.
                }
                var line = new String(bytes, lineStart, lineEnd - lineStart, UTF_8);
                if (seq(line).filter(number -> number <= last).isPresent()) {
                    return start + lineEnd;
                }
                lineEnd = lineStart;
            }
            if (start == 0) {
                return 0;
            }
            if (lineEnd == 0 || lineEnd == bytes.length) {
                throw new IOException(
                        "%s has a line of more than %d bytes; delete the file, it is only a record"
                                .formatted(DirectoryLayout.CHANGES, BLOCK));
            }
            end = start + lineEnd;
        }
        return 0;
    }

    private static int lastNewline(byte[] bytes, int before) {
        var at = before - 1;
        while (at >= 0 && bytes[at] != '\n') {
            at--;
        }
        return at;
    }

    private static Optional<Long> seq(String line) {
        try {
            return Optional.of(JsonMapper.shared().readTree(line))
                    .map(json -> json.path("seq"))
                    .filter(JsonNode::isNumber)
                    .map(JsonNode::asLong);
        } catch (RuntimeException _) {
            return Optional.empty(); // Cut by a crash.
        }
    }

    void add(Change change) throws IOException {
        var line =
                JsonMapper.shared()
                        .createObjectNode()
                        .put("seq", change.seq)
                        .put("before", change.before)
                        .put("kind", change.kind.name().toLowerCase(Locale.ROOT))
                        .put("url", change.url)
                        .put("time", change.time.toString())
                        .put("since", change.since.toString());
        var bytes = ByteBuffer.wrap((line + "\n").getBytes(UTF_8));
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
    }

    /** Syncs the log to the disk. */
    void force() throws IOException {
        file.force(false);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
