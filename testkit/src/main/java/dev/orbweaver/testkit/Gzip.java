package dev.orbweaver.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;

/** Compresses bytes in memory. */
final class Gzip {

    private Gzip() {}

    static byte[] compress(byte[] bytes) {
        var packed = new ByteArrayOutputStream(bytes.length / 2 + 64);
        try (var gzip = new GZIPOutputStream(packed)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException("could not compress in memory", e);
        }
        return packed.toByteArray();
    }
}
