package dev.orbweaver.internal.sink;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/**
 * Reads the complete lines of a part of a page log as bytes. Memory is a buffer of the length of
 * the longest line.
 */
public final class LogLines {

    /** No crawl writes a longer line, so the file would not be a page log. */
    private static final int LINE_MAX = 64 << 20;

    private final FileChannel log;
    private final long end;
    private byte[] buffer;

    /** The file offset of the first byte in the buffer. */
    private long base;

    private int filled;
    private int lineStart;
    private int lineEnd;

    /**
     * @param from the file offset of the first line
     * @param end the file offset after the last line
     */
    public LogLines(FileChannel log, long from, long end, int bufferBytes) {
        this.log = log;
        this.base = from;
        this.end = end;
        this.buffer = new byte[bufferBytes];
    }

    /** Moves to the next line; returns false if there is no complete one. */
    public boolean next() throws IOException {
        lineStart = lineEnd;
        for (var at = lineStart; ; at++) {
            if (at == filled) {
                at -= lineStart;
                if (!fill()) {
                    return false;
                }
            }
            if (buffer[at] == '\n') {
                lineEnd = at + 1;
                return true;
            }
        }
    }

    /** Moves the current line to the beginning of the buffer and reads more bytes after it. */
    private boolean fill() throws IOException {
        filled -= lineStart;
        System.arraycopy(buffer, lineStart, buffer, 0, filled);
        base += lineStart;
        lineStart = 0;
        lineEnd = 0;
        if (filled == buffer.length) {
            if (filled >= LINE_MAX) {
                throw new IOException(
                        "the page log has a line of more than " + LINE_MAX + " bytes");
            }
            buffer = Arrays.copyOf(buffer, Math.min(LINE_MAX, buffer.length * 2));
        }
        var left = (int) Math.min(buffer.length - filled, end - base - filled);
        var count = left <= 0 ? -1 : log.read(ByteBuffer.wrap(buffer, filled, left), base + filled);
        filled += Math.max(0, count);
        return count > 0;
    }

    /** Returns the file offset of the current line. */
    public long start() {
        return base + lineStart;
    }

    /** Returns the current line with its line end. */
    public byte[] bytes() {
        return Arrays.copyOfRange(buffer, lineStart, lineEnd);
    }

    /** Returns the byte at an offset in the current line; 0 beyond its end. */
    public byte at(int offset) {
        return lineStart + offset < lineEnd ? buffer[lineStart + offset] : 0;
    }

    /** Returns the offset after the first occurrence of a text in the current line, or -1. */
    public int after(byte[] text) {
        for (var at = lineStart; at + text.length <= lineEnd; at++) {
            if (buffer[at] == text[0]
                    && Arrays.equals(buffer, at, at + text.length, text, 0, text.length)) {
                return at + text.length - lineStart;
            }
        }
        return -1;
    }
}
