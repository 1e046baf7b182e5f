package dev.orbweaver.internal.fetch;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.decoder.BrotliInputStream;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;

import dev.orbweaver.internal.disk.GunzipStream;
import dev.orbweaver.model.ResponseHead;

import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/** The content codings that can be decoded (RFC 9110, section 8.4.1). */
enum ContentCoding {
    /** RFC 1952. */
    GZIP {
        @Override
        InputStream decode(InputStream in) {
            return new GunzipStream(in, BUFFER);
        }
    },
    /** RFC 1950 by the standard; some servers send RFC 1951. */
    DEFLATE {
        @Override
        InputStream decode(InputStream in) throws IOException {
            var ahead = new PushbackInputStream(in, 2);
            var start = ahead.readNBytes(2);
            ahead.unread(start);
            return inflate(ahead, new Inflater(!isZlib(start)));
        }
    },
    /** RFC 7932, decoded by a native library that may be missing. */
    BROTLI {
        @Override
        InputStream decode(InputStream in) throws IOException {
            if (!Brotli4jLoader.isAvailable()) {
                throw new IOException("no brotli decoder for this platform");
            }
            return new BrotliInputStream(in, BUFFER);
        }
    },
    /** RFC 8878; RFC 9659 limits the window to 8 MB. */
    ZSTD {
        @Override
        InputStream decode(InputStream in) throws IOException {
            return new ZstdInputStreamNoFinalizer(in).setLongMax(ZSTD_WINDOW_BITS);
        }
    };

    private static final int BUFFER = 8 << 10;

    /** Values that mean no encoding; some servers send charsets here. */
    private static final Set<String> NO_CODINGS =
            Set.of("", "identity", "none", "utf-8", "utf8", "us-ascii", "iso-8859-1");

    private static final int ZSTD_WINDOW_BITS = 23;

    /** Returns a decoder that throws only IOException for damaged data, here or when reading. */
    abstract InputStream decode(InputStream in) throws IOException;

    /** Returns the value of Accept-Encoding. */
    static String acceptEncoding() {
        return Brotli4jLoader.isAvailable() ? "gzip, deflate, br, zstd" : "gzip, deflate, zstd";
    }

    /**
     * Returns the codings of a response in the order in which they were applied. Unknown names are
     * skipped, as in browsers, because the bytes may be readable nevertheless.
     */
    static List<ContentCoding> of(ResponseHead head) {
        var codings = new ArrayList<ContentCoding>(1);
        for (var field : head.fields("content-encoding")) {
            for (var name : field.split(",", -1)) {
                byName(name.strip().toLowerCase(Locale.ROOT)).ifPresent(codings::add);
            }
        }
        return codings;
    }

    /** Returns whether a field names a coding that cannot be decoded here. */
    static boolean hasUnknown(ResponseHead head) {
        for (var field : head.fields("content-encoding")) {
            for (var part : field.split(",", -1)) {
                var name = part.strip().toLowerCase(Locale.ROOT);
                if (byName(name).isEmpty() && !NO_CODINGS.contains(name)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static Optional<ContentCoding> byName(String name) {
        return switch (name) {
            case "gzip", "x-gzip" -> Optional.of(GZIP);
            case "deflate" -> Optional.of(DEFLATE);
            case "br" -> Optional.of(BROTLI);
            case "zstd" -> Optional.of(ZSTD);
            default -> Optional.empty();
        };
    }

    /** RFC 1950, section 2.2: method 8, and both bytes together a multiple of 31. */
    private static boolean isZlib(byte[] start) {
        return start.length == 2
                && (start[0] & 0x0F) == 8
                && ((start[0] & 0xFF) << 8 | (start[1] & 0xFF)) % 31 == 0;
    }

    private static InputStream inflate(InputStream in, Inflater inflater) {
        return new InflaterInputStream(in, inflater, BUFFER) {
            @Override
            public void close() throws IOException {
                super.close();
                inflater.end(); // The stream does not end an inflater passed to it.
            }
        };
    }
}
