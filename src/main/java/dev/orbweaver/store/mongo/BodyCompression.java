package dev.orbweaver.store.mongo;

import com.github.luben.zstd.Zstd;

import java.util.Arrays;
import java.util.Locale;
import java.util.zip.Deflater;

/** How bodies are compressed in documents. */
public enum BodyCompression {
    /** RFC 1950, level 6: what every language reads out of the box. */
    ZLIB,
    /** RFC 8878, level 3: smaller and several times faster. */
    ZSTD;

    private static final int ZLIB_LEVEL = 6;
    private static final int ZSTD_LEVEL = 3;
    private static final int CHUNK = 64 << 10;

    /** As it stands in documents. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    byte[] compress(byte[] bytes, int length) {
        return switch (this) {
            case ZLIB -> zlib(bytes, length);
            case ZSTD -> zstd(bytes, length);
        };
    }

    private static byte[] zstd(byte[] bytes, int length) {
        var out = new byte[Math.toIntExact(Zstd.compressBound(length))];
        var size = Zstd.compressByteArray(out, 0, out.length, bytes, 0, length, ZSTD_LEVEL);
        if (Zstd.isError(size)) {
            throw new IllegalStateException("zstd: " + Zstd.getErrorName(size));
        }
        return Arrays.copyOf(out, Math.toIntExact(size));
    }

    private static byte[] zlib(byte[] bytes, int length) {
        var deflater = new Deflater(ZLIB_LEVEL);
        try {
            deflater.setInput(bytes, 0, length);
            deflater.finish();
            var out = new byte[Math.max(CHUNK, length / 2)];
            var size = 0;
            while (!deflater.finished()) {
                if (size == out.length) {
                    out = Arrays.copyOf(out, out.length * 2);
                }
                size += deflater.deflate(out, size, out.length - size);
            }
            return Arrays.copyOf(out, size);
        } finally {
            deflater.end();
        }
    }
}
