package dev.orbweaver.internal.disk;

import java.io.IOException;
import java.io.InputStream;

/** A stream that ends after a number of bytes. */
public final class BoundedStream extends InputStream {

    private final InputStream in;
    private long left;

    public BoundedStream(InputStream in, long bytesMax) {
        this.in = in;
        this.left = bytesMax;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (left <= 0) {
            return -1;
        }
        var count = in.read(bytes, offset, (int) Math.min(length, left));
        left -= Math.max(count, 0);
        return count;
    }

    @Override
    public int available() throws IOException {
        return (int) Math.min(in.available(), left);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
