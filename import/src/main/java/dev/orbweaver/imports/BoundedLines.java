package dev.orbweaver.imports;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Reads lines of UTF-8 in bounded memory: of a line over the limit only the beginning is kept. A
 * byte order mark is skipped.
 */
public final class BoundedLines implements Closeable {

    private final InputStream in;
    private final int bytesMax;
    private final byte[] buffer = new byte[64 << 10];
    private int next;
    private int filled;
    private byte[] line = new byte[256];
    private int length;
    private boolean tooLong;
    private long number;

    public BoundedLines(InputStream in, int bytesMax) {
        this.in = in;
        this.bytesMax = bytesMax;
    }

    /** Reads the next line; returns false at the end. */
    public boolean next() throws IOException {
        length = 0;
        tooLong = false;
        var any = false;
        while (next < filled || fill()) {
            any = true;
            var end = next;
            while (end < filled && buffer[end] != '\n') {
                end++;
            }
            append(next, end);
            next = end;
            if (end < filled) {
                next++;
                break;
            }
        }
        if (any) {
            number++;
        }
        return any;
    }

    private void append(int from, int to) {
        var count = Math.min(to - from, bytesMax - length);
        tooLong |= count < to - from;
        if (length + count > line.length) {
            line =
                    Arrays.copyOf(
                            line, Math.min(bytesMax, Math.max(line.length * 2, length + count)));
        }
        System.arraycopy(buffer, from, line, length, count);
        length += count;
    }

    /** Returns the line without its end. */
    public String text() {
        var start = number == 1 && startsWithMark() ? 3 : 0;
        var end = length > start && line[length - 1] == '\r' ? length - 1 : length;
        return new String(line, start, end - start, UTF_8);
    }

    private boolean startsWithMark() {
        return length >= 3
                && line[0] == (byte) 0xEF
                && line[1] == (byte) 0xBB
                && line[2] == (byte) 0xBF;
    }

    public boolean isTooLong() {
        return tooLong;
    }

    /** Returns the number of the line, from 1. */
    public long number() {
        return number;
    }

    private boolean fill() throws IOException {
        next = 0;
        filled = Math.max(0, in.read(buffer, 0, buffer.length));
        return filled > 0;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
