package dev.orbweaver.internal.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.DirectoryLayout;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the changes that a crawl has recorded, in order, while it may record more.
 *
 * <p>The crawl may cut off lines and write them again, or the whole file, after a kill. Such lines
 * have the same numbers, so the reader returns no change twice.
 */
public final class ChangeLogReader implements Closeable {

    private static final int BLOCK = 1 << 16;

    /**
     * A change that a visit of a known page found, or a new page.
     *
     * @param seq line of the visit in the page log
     * @param before line of the visit before; of a new page {@code seq}
     * @param kind {@code new}, {@code text}, {@code markup}, {@code missing}, {@code gone} or
     *     {@code back}
     * @param time of the visit
     * @param since time of the visit before
     */
    public record Change(
            long seq, long before, String kind, String url, Instant time, Instant since) {}

    private final FileChannel file;
    private long last;
    private long position;

    private ChangeLogReader(FileChannel file, long after) {
        this.file = file;
        this.last = after;
    }

    /** Returns whether a crawl has recorded changes. */
    public static boolean exists(Path crawl) {
        return Files.exists(crawl.resolve(DirectoryLayout.CHANGES));
    }

    /** Returns the length of the record of changes, 0 if there is none. */
    public static long bytes(Path crawl) {
        return crawl.resolve(DirectoryLayout.CHANGES).toFile().length();
    }

    /** Opens the changes of a crawl after a line of its page log. */
    public static ChangeLogReader open(Path crawl, long after) throws IOException {
        var file = FileChannel.open(crawl.resolve(DirectoryLayout.CHANGES));
        try {
            var reader = new ChangeLogReader(file, after);
            reader.position = ChangeLog.endOf(file, after);
            return reader;
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** Returns the line of the last change, 0 if there is none. */
    public static long last(Path crawl) throws IOException {
        if (!exists(crawl)) {
            return 0;
        }
        try (var reader = open(crawl, Long.MAX_VALUE)) {
            reader.position = Math.max(0, reader.position - BLOCK);
            reader.last = -1;
            var _ = reader.next(Integer.MAX_VALUE);
            return Math.max(0, reader.last);
        }
    }

    /**
     * Returns the next changes, at most as many as fit into 64 KiB; empty if there are none yet.
     */
    public List<Change> next(int max) throws IOException {
        if (file.size() < position) {
            position = ChangeLog.endOf(file, last); // The crawl has cut the file.
        }
        var block = ByteBuffer.allocate(BLOCK);
        while (block.hasRemaining() && file.read(block, position + block.position()) >= 0) {}
        var bytes = block.array();
        var changes = new ArrayList<Change>();
        var start = 0;
        for (var at = 0; at < block.position() && changes.size() < max; at++) {
            if (bytes[at] == '\n') {
                add(changes, new String(bytes, start, at - start, UTF_8));
                start = at + 1;
            }
        }
        position += start;
        return changes;
    }

    private void add(List<Change> changes, String line) {
        try {
            var change = JsonMapper.shared().readValue(line, Change.class);
            if (change.seq > last) {
                changes.add(change);
                last = change.seq;
            }
        } catch (JacksonException _) {
            // The rest of a line whose beginning was cut off and written again.
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
