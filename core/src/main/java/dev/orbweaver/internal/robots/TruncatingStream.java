package dev.orbweaver.internal.robots;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A stream that ends early at a limit or where its source is damaged, and reports it. */
final class TruncatingStream extends FilterInputStream {

    private long left;
    private boolean truncated;

    TruncatingStream(InputStream in, long bytesMax) {
        super(in);
        left = bytesMax;
    }

    /** Returns whether the stream ended before the end of its source. */
    boolean isTruncated() {
        return truncated;
    }

    @Override
    public int read() {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
        if (truncated) {
            return -1;
        }
        try {
            var count = in.read(bytes, offset, (int) Math.min(length, Math.max(left, 1)));
            if (count > left) {
                truncated = true;
                return -1;
            }
            left -= Math.max(count, 0);
            return count;
        } catch (IOException e) {
            // Damaged compressed data, or a file that cannot be read further; isTruncated()
            // reports both.
            truncated = true;
            return -1;
        }
    }
}
