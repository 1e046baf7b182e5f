package dev.orbweaver.sink;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;

import dev.orbweaver.disk.SpillBuffer;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.OutputStream;

/**
 * One zstd frame (RFC 8878) with a checksum, as the IIPC's proposal for {@code .warc.zst} has it: a
 * frame per record, here without a dictionary.
 *
 * <p>Nearly every record is small enough to be compressed in one go, which also puts its length
 * into the frame's head; only longer ones go through a stream of their own.
 */
final class ZstdFrame extends OutputStream {

    private static final int ONE_GO_MAX = 2 * SpillBuffer.MEMORY_MAX;

    private final OutputStream out;
    private final Compressors compressors;
    private final Compressors.Press press;
    private int length;
    private @Nullable OutputStream stream;
    private boolean closed;

    /**
     * @param out stays open
     */
    ZstdFrame(OutputStream out, Compressors compressors) {
        this.out = out;
        this.compressors = compressors;
        this.press = compressors.press();
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
        if (stream == null && length + count > ONE_GO_MAX) {
            stream = stream();
            stream.write(press.input, 0, length);
        }
        if (stream == null) {
            press.ensure(length + count);
            System.arraycopy(bytes, offset, press.input, length, count);
            length += count;
        } else {
            stream.write(bytes, offset, count);
        }
    }

    private OutputStream stream() throws IOException {
        var frame = new ZstdOutputStreamNoFinalizer(new Compression.Unclosing(out));
        frame.setLevel(Compression.ZSTD_LEVEL);
        frame.setChecksum(true);
        return frame;
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (stream == null) {
                compress();
            } else {
                stream.close();
            }
        } finally {
            compressors.give(press);
        }
    }

    private void compress() throws IOException {
        var bound = Math.toIntExact(Zstd.compressBound(length));
        if (press.output.length < bound) {
            press.output = new byte[bound];
        }
        var size =
                press.context.compressByteArray(
                        press.output, 0, press.output.length, press.input, 0, length);
        out.write(press.output, 0, size);
    }
}
