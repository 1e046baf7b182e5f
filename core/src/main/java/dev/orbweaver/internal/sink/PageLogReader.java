package dev.orbweaver.internal.sink;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.model.Capture.Kind;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;

/**
 * Tails a page log, also while the crawl writes it.
 *
 * <p>Only complete lines are read; a log that does not exist counts as empty. The writer appends
 * without a lock, so a reader may see lines before they are committed; a crash rolls them back, and
 * the visits are repeated. A reader that must not see such lines passes the committed length to
 * {@link #open(Path, LongSupplier)}.
 *
 * <p>Not thread-safe. Memory is a buffer of the length of the longest line.
 */
public final class PageLogReader implements Closeable {

    private static final int BUFFER = 256 << 10;

    /**
     * Maximum length of a line. No crawl writes a longer one, so the file would not be a page log.
     */
    private static final int LINE_MAX = 64 << 20;

    private static final Duration POLL = Duration.ofMillis(20);

    private final Path file;
    private final LongSupplier committed;
    private final boolean withRetried;
    private @Nullable FileChannel channel;
    private ByteBuffer buffer = ByteBuffer.allocate(BUFFER).flip();
    private PageLogPosition position = PageLogPosition.START;

    private PageLogReader(Path file, LongSupplier committed, boolean withRetried) {
        this.file = file;
        this.committed = committed;
        this.withRetried = withRetried;
    }

    /** Reads every complete line of the log of the crawl in a directory, from its start. */
    public static PageLogReader open(Path directory) {
        return open(directory, () -> Long.MAX_VALUE);
    }

    /** Reads no further than the length that is committed at the time of the call. */
    public static PageLogReader open(Path directory, LongSupplier committed) {
        return new PageLogReader(directory.resolve(DirectoryLayout.PAGE_LOG), committed, false);
    }

    /** Reads also the lines of attempts that were retried, which settle no URL. */
    public static PageLogReader openWithRetried(Path directory, LongSupplier committed) {
        return new PageLogReader(directory.resolve(DirectoryLayout.PAGE_LOG), committed, true);
    }

    /**
     * Continues from a position.
     *
     * @return false if the log no longer has this line there; then nothing has changed
     */
    public boolean seek(PageLogPosition kept) throws IOException {
        if (!kept.equals(PageLogPosition.START) && !isValid(kept)) {
            return false;
        }
        position = kept;
        buffer.clear().flip();
        return true;
    }

    /** Returns whether the line before a position is still the same. */
    private boolean isValid(PageLogPosition kept) throws IOException {
        var log = channel();
        if (log.isEmpty() || kept.offset() > end(log.get())) {
            return false;
        }
        var precedingLine = lineBefore(log.get(), kept.offset());
        return precedingLine.after.offset() == kept.offset()
                && precedingLine.after.checksum() == kept.checksum();
    }

    /** Returns the current end of the log: after its last complete and committed line. */
    public PageLogPosition end() throws IOException {
        var log = channel();
        if (log.isEmpty() || end(log.get()) == 0) {
            return PageLogPosition.START;
        }
        var last = lineBefore(log.get(), end(log.get()));
        return last.text.isEmpty()
                ? PageLogPosition.START
                : new PageLogPosition(
                        last.after.offset(),
                        PageLog.parseLine(last.text).seq(),
                        last.after.checksum());
    }

    private record PrecedingLine(String text, PageLogPosition after) {}

    private static PrecedingLine lineBefore(FileChannel log, long place) throws IOException {
        for (var size = (long) BUFFER; ; size *= 2) {
            var start = Math.max(0, place - size);
            var bytes = read(log, start, Math.toIntExact(place - start));
            var end = newlineBefore(bytes, bytes.length);
            var begin = newlineBefore(bytes, end - 1);
            if (end > 0 && (begin > 0 || start == 0)) {
                var line = Arrays.copyOfRange(bytes, Math.max(0, begin), end);
                var after = new PageLogPosition(start + end, 0, checksum(line));
                return new PrecedingLine(new String(line, UTF_8), after);
            }
            if (start == 0) {
                return new PrecedingLine("", PageLogPosition.START);
            }
            if (size > LINE_MAX) {
                throw new IOException(
                        "the page log has a line of more than " + LINE_MAX + " bytes");
            }
        }
    }

    /** Returns the index after the last line end before an index; 0 if there is none. */
    private static int newlineBefore(byte[] bytes, int index) {
        var at = Math.max(0, index);
        while (at > 0 && bytes[at - 1] != '\n') {
            at--;
        }
        return at;
    }

    private static byte[] read(FileChannel log, long start, int length) throws IOException {
        var bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining() && log.read(bytes, start + bytes.position()) >= 0) {}
        return bytes.array();
    }

    private static int checksum(byte[] line) {
        var crc = new CRC32C();
        crc.update(line);
        return (int) crc.getValue();
    }

    /** Returns the position after the last line that was returned. */
    public PageLogPosition position() {
        return position;
    }

    /** Returns the next available lines, at most {@code max}; empty if there are none yet. */
    public List<PageLogLine> next(int max) throws IOException {
        var lines = new ArrayList<PageLogLine>();
        while (lines.size() < max) {
            var line = nextLine();
            if (line.isEmpty()) {
                break;
            }
            var entry = PageLog.parseLine(new String(line.get(), UTF_8));
            var offset = position.offset() + line.get().length;
            position = new PageLogPosition(offset, entry.seq(), checksum(line.get()));
            if (withRetried || entry.kind() != Kind.RETRIED) {
                lines.add(new PageLogLine(entry, position));
            }
        }
        return lines;
    }

    /**
     * Waits until there are {@code max} lines or the timeout has passed; returns the available
     * ones.
     */
    public List<PageLogLine> await(int max, Duration timeout) throws IOException {
        var deadline = System.nanoTime() + timeout.toNanos();
        var lines = new ArrayList<>(next(max));
        while (lines.size() < max && !Thread.currentThread().isInterrupted()) {
            var left = deadline - System.nanoTime();
            if (left <= 0) {
                break;
            }
            LockSupport.parkNanos(Math.min(left, POLL.toNanos()));
            lines.addAll(next(max - lines.size()));
        }
        return lines;
    }

    private Optional<byte[]> nextLine() throws IOException {
        for (; ; ) {
            for (var i = buffer.position(); i < buffer.limit(); i++) {
                if (buffer.get(i) == '\n') {
                    var line = new byte[i + 1 - buffer.position()];
                    buffer.get(line);
                    return Optional.of(line);
                }
            }
            if (!fill()) {
                return Optional.empty();
            }
        }
    }

    /** Reads more bytes after the buffer's content; returns false if there are none. */
    private boolean fill() throws IOException {
        var log = channel();
        if (log.isEmpty()) {
            return false;
        }
        var at = position.offset() + buffer.remaining();
        var length = Math.min(end(log.get()) - at, BUFFER);
        if (length <= 0) {
            // The bytes of an incomplete line may be truncated and rewritten differently.
            buffer.clear().flip();
            return false;
        }
        ensureCapacity((int) length);
        buffer.limit(buffer.position() + (int) length);
        var read = log.get().read(buffer, at);
        buffer.flip();
        return read > 0;
    }

    private void ensureCapacity(int length) throws IOException {
        if (buffer.remaining() > LINE_MAX) {
            throw new IOException(file + " has a line of more than " + LINE_MAX + " bytes");
        }
        if (buffer.capacity() - buffer.remaining() < length) {
            buffer = ByteBuffer.allocate(buffer.capacity() * 2).put(buffer);
        } else {
            buffer.compact();
        }
    }

    private long end(FileChannel log) throws IOException {
        return Math.min(committed.getAsLong(), log.size());
    }

    private Optional<FileChannel> channel() throws IOException {
        if (channel == null && Files.exists(file)) {
            channel = FileChannel.open(file);
        }
        return Optional.ofNullable(channel);
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
    }
}
