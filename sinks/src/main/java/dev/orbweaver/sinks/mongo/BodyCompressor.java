package dev.orbweaver.sinks.mongo;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;

import java.util.Arrays;
import java.util.zip.Deflater;

/**
 * Compresses bodies on one thread. Creating a compressor costs more than compressing a small page,
 * so it is reused; equal bodies give equal bytes.
 */
abstract class BodyCompressor implements AutoCloseable {

    private static final int ZLIB_LEVEL = 6;
    private static final int ZSTD_LEVEL = 3;
    private static final int CHUNK = 64 << 10;

    static BodyCompressor of(BodyCompression compression) {
        return switch (compression) {
            case ZLIB -> new Zlib();
            case ZSTD -> new Zstandard();
        };
    }

    abstract byte[] compress(byte[] bytes, int length);

    @Override
    public abstract void close();

    private static final class Zstandard extends BodyCompressor {

        private final ZstdCompressCtx context = new ZstdCompressCtx().setLevel(ZSTD_LEVEL);
        private byte[] out = new byte[CHUNK];

        @Override
        byte[] compress(byte[] bytes, int length) {
            var room = Math.toIntExact(Zstd.compressBound(length));
            if (room > out.length) {
                out = new byte[room];
            }
            var size = context.compressByteArray(out, 0, out.length, bytes, 0, length);
            return Arrays.copyOf(out, size);
        }

        @Override
        public void close() {
            context.close();
        }
    }

    private static final class Zlib extends BodyCompressor {

        private final Deflater deflater = new Deflater(ZLIB_LEVEL);
        private byte[] out = new byte[CHUNK];

        @Override
        byte[] compress(byte[] bytes, int length) {
            deflater.reset();
            deflater.setInput(bytes, 0, length);
            deflater.finish();
            var size = 0;
            while (!deflater.finished()) {
                if (size == out.length) {
                    out = Arrays.copyOf(out, out.length * 2);
                }
                size += deflater.deflate(out, size, out.length - size);
            }
            return Arrays.copyOf(out, size);
        }

        @Override
        public void close() {
            deflater.end();
        }
    }
}
