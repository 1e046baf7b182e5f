package dev.orbweaver.internal.sink;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;

/**
 * The compression of WARC records: each is compressed separately, so that a reader can start at any
 * of them.
 */
public enum Compression {
    /** A gzip member per record, the format that every tool reads. */
    GZIP(".warc.gz"),
    /** A zstd frame per record: smaller and several times faster. */
    ZSTD(".warc.zst"),
    NONE(".warc");

    /**
     * Of records that are too large for memory. Level 6 makes them smaller by 3 % and takes half as
     * long again.
     */
    private static final int GZIP_STREAM_LEVEL = 4;

    /** The default of the zstd tool. */
    static final int ZSTD_LEVEL = 3;

    /** Records are larger by 4 %, and take a fifth less time. */
    static final int ZSTD_FAST_LEVEL = 1;

    /** The extension of files that store WARC files as they are. */
    static final String WACZ = ".wacz";

    private static final int BUFFER = 64 << 10;

    private final String extension;

    Compression(String extension) {
        this.extension = extension;
    }

    String extension() {
        return extension;
    }

    /** Returns a stream for one record; closing it ends the record, not {@code out}. */
    OutputStream recordStream(OutputStream out) throws IOException {
        var nonClosingStream = new NonClosingStream(out);
        return switch (this) {
            case GZIP -> new GzipMember(nonClosingStream);
            case ZSTD -> zstd(nonClosingStream);
            case NONE -> nonClosingStream;
        };
    }

    private static OutputStream zstd(OutputStream out) throws IOException {
        var frame = new ZstdOutputStreamNoFinalizer(out);
        frame.setLevel(ZSTD_LEVEL);
        frame.setChecksum(true);
        return frame;
    }

    private static final class GzipMember extends GZIPOutputStream {
        GzipMember(OutputStream out) throws IOException {
            super(out, BUFFER);
            def.setLevel(GZIP_STREAM_LEVEL);
        }
    }

    static Compression of(String name) throws IOException {
        if (name.endsWith(WACZ)) {
            return NONE; // Its records are plain or gzip, which jwarc recognises.
        }
        for (var each : values()) {
            if (name.endsWith(each.extension)) {
                return each;
            }
        }
        throw new IOException(name + " is not the name of a WARC file");
    }

    /** Returns records as jwarc can read them. */
    public InputStream decompress(InputStream stored) throws IOException {
        return switch (this) {
            // jwarc reads plain and gzip itself, but hangs at the end of zstd.
            case GZIP, NONE -> stored;
            case ZSTD -> new ZstdInputStreamNoFinalizer(stored).setContinuous(true);
        };
    }

    private static final class NonClosingStream extends OutputStream {
        private final OutputStream out;

        NonClosingStream(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int value) throws IOException {
            out.write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            out.write(bytes, offset, count);
        }

        @Override
        public void close() {
            // Ends the record only; the underlying stream stays open.
        }
    }
}
