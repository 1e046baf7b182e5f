package dev.orbweaver.sink;

import com.github.luben.zstd.ZstdCompressCtx;

import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.Deflater;

/**
 * Compressors to be used again: each holds up to a megabyte outside the heap and is dear to make.
 * There are never more than records are made at the same time.
 */
final class Compressors implements AutoCloseable {

    private final ConcurrentLinkedQueue<Deflater> deflaters = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Press> presses = new ConcurrentLinkedQueue<>();

    Deflater deflater() {
        var deflater = deflaters.poll();
        return deflater == null ? new Deflater(Compression.GZIP_LEVEL, true) : deflater;
    }

    void give(Deflater deflater) {
        deflater.reset();
        deflaters.add(deflater);
    }

    Press press() {
        var press = presses.poll();
        return press == null ? new Press() : press;
    }

    void give(Press press) {
        presses.add(press);
    }

    /** A zstd compressor with room for what goes in and what comes out. */
    static final class Press implements AutoCloseable {

        private static final int FIRST = 64 << 10;

        final ZstdCompressCtx context = new ZstdCompressCtx();
        byte[] input = new byte[FIRST];
        byte[] output = new byte[FIRST];

        Press() {
            context.setLevel(Compression.ZSTD_LEVEL);
            context.setChecksum(true);
        }

        /** Makes room for so much input. */
        void ensure(int length) {
            if (length > input.length) {
                input = Arrays.copyOf(input, Math.max(length, input.length * 2));
            }
        }

        @Override
        public void close() {
            context.close();
        }
    }

    @Override
    public void close() {
        for (var deflater = deflaters.poll(); deflater != null; deflater = deflaters.poll()) {
            deflater.end();
        }
        for (var press = presses.poll(); press != null; press = presses.poll()) {
            press.close();
        }
    }
}
