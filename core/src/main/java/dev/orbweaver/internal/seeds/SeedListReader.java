package dev.orbweaver.internal.seeds;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Reads the lines of a file from a byte position, and knows the position after each of them. */
public final class SeedListReader implements Closeable {

    /** A longer line is truncated; it cannot be a valid URL. */
    private static final int LINE_MAX = 64 << 10;

    private static final int BUFFER = 256 << 10;

    private final ReadableByteChannel file;
    private final byte[] buffer = new byte[BUFFER];
    private int start;
    private int end;
    private long position;

    public SeedListReader(Path path, long from) throws IOException {
        this(FileChannel.open(path, StandardOpenOption.READ).position(from), from);
    }

    /** Creates a reader of a list of which the first bytes were read already. */
    public SeedListReader(ReadableByteChannel rest, long from) {
        this.file = rest;
        this.position = from;
    }

    /** Returns the position of the next line. */
    public long position() {
        return position;
    }

    /** Returns the next line without its separator; bytes that are not UTF-8 become U+FFFD. */
    public String next() throws IOException {
        var length = lineLength();
        var shown = Math.min(length, LINE_MAX);
        if (shown > 0 && buffer[start + shown - 1] == '\r') {
            shown--;
        }
        var line = new String(buffer, start, shown, UTF_8);
        skip(length);
        skipSeparator();
        return line;
    }

    /** Returns the length of the line in the buffer; fills the buffer first if need be. */
    private int lineLength() throws IOException {
        var at = start;
        while (true) {
            while (at < end && buffer[at] != '\n') {
                at++;
            }
            if (at < end || at - start >= LINE_MAX) {
                return at - start;
            }
            var scanned = at - start;
            if (!fill()) {
                return end - start;
            }
            at = start + scanned;
        }
    }

    private void skip(int bytes) {
        start += bytes;
        position += bytes;
    }

    /** Skips the rest of a long line, and the line separator. */
    private void skipSeparator() throws IOException {
        do {
            while (start < end) {
                position++;
                if (buffer[start++] == '\n') {
                    return;
                }
            }
        } while (fill());
    }

    private boolean fill() throws IOException {
        System.arraycopy(buffer, start, buffer, 0, end - start);
        end -= start;
        start = 0;
        var count = file.read(ByteBuffer.wrap(buffer, end, buffer.length - end));
        end += Math.max(0, count);
        return count > 0;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
