package dev.orbweaver.sink;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * One gzip member (RFC 1952). The JDK's own stream makes and drops a deflater each time; this one
 * borrows it.
 */
final class GzipMember extends OutputStream {

    private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};

    private final OutputStream out;
    private final Compressors pool;
    private final Deflater deflater;
    private final CRC32 crc = new CRC32();
    private final byte[] buffer = new byte[8192];
    private long length;
    private boolean closed;

    GzipMember(OutputStream out, Compressors pool) throws IOException {
        this.out = out;
        this.pool = pool;
        this.deflater = pool.deflater();
        out.write(HEADER, 0, HEADER.length);
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
        crc.update(bytes, offset, count);
        length += count;
        deflater.setInput(bytes, offset, count);
        while (!deflater.needsInput()) {
            deflate();
        }
    }

    private void deflate() throws IOException {
        out.write(buffer, 0, deflater.deflate(buffer));
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        deflater.finish();
        while (!deflater.finished()) {
            deflate();
        }
        pool.give(deflater);
        var trailer = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        trailer.putInt((int) crc.getValue()).putInt((int) length);
        out.write(trailer.array(), 0, 8);
    }
}
