package dev.orbweaver.sink;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;

import java.io.IOException;
import java.io.OutputStream;

/** How WARC records are compressed: each by itself, so that a reader can begin at any of them. */
public enum Compression {
    /** A gzip member per record, the form every tool reads. */
    GZIP(".warc.gz"),
    /** A zstd frame per record: smaller and several times faster. */
    ZSTD(".warc.zst"),
    /** As it is. */
    NONE(".warc");

    private final String extension;

    Compression(String extension) {
        this.extension = extension;
    }

    String extension() {
        return extension;
    }

    /** A stream for one record; closing it ends the record, not {@code out}. */
    OutputStream record(OutputStream out, DeflaterPool deflaters) throws IOException {
        return switch (this) {
            case GZIP -> new GzipMember(out, deflaters);
            case ZSTD -> zstd(out);
            case NONE -> new Unclosing(out);
        };
    }

    private static OutputStream zstd(OutputStream out) throws IOException {
        var stream = new ZstdOutputStreamNoFinalizer(new Unclosing(out));
        stream.setChecksum(true);
        return stream;
    }

    private static final class Unclosing extends OutputStream {
        private final OutputStream out;

        Unclosing(OutputStream out) {
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
            // The record ends; what it was written to goes on.
        }
    }
}
