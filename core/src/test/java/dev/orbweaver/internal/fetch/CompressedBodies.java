package dev.orbweaver.internal.fetch;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.encoder.BrotliOutputStream;
import com.aayushatharva.brotli4j.encoder.Encoder;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;

/** Compressed bodies for tests. */
public final class CompressedBodies {

    private static final int PIECE = 1 << 20;

    private CompressedBodies() {}

    public static byte[] compress(String coding, byte[] plain) throws IOException {
        var out = new ByteArrayOutputStream();
        try (var packer = compressor(coding, out)) {
            packer.write(plain);
        }
        return out.toByteArray();
    }

    /** Returns the given number of megabytes of zeros, compressed. */
    public static byte[] zeros(String coding, int megabytes) throws IOException {
        var out = new ByteArrayOutputStream();
        try (var packer = compressor(coding, out)) {
            var piece = new byte[PIECE];
            for (var i = 0; i < megabytes; i++) {
                packer.write(piece);
            }
        }
        return out.toByteArray();
    }

    /** Repeats the same bytes. */
    static byte[] repeat(byte[] bytes, int times) throws IOException {
        var out = new ByteArrayOutputStream(bytes.length * times);
        for (var i = 0; i < times; i++) {
            out.write(bytes);
        }
        return out.toByteArray();
    }

    private static OutputStream compressor(String coding, OutputStream out) throws IOException {
        return switch (coding) {
            case "gzip" -> new GZIPOutputStream(out);
            case "deflate" -> new DeflaterOutputStream(out);
            case "raw deflate" -> new DeflaterOutputStream(out, new Deflater(6, true));
            case "br" -> {
                Brotli4jLoader.ensureAvailability();
                yield new BrotliOutputStream(out, new Encoder.Parameters().setQuality(1));
            }
            case "zstd" -> new ZstdOutputStreamNoFinalizer(out);
            default -> throw new IllegalArgumentException(coding);
        };
    }
}
