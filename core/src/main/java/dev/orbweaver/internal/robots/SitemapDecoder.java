package dev.orbweaver.internal.robots;

import com.google.re2j.Pattern;

import dev.orbweaver.internal.disk.GunzipStream;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Optional;

/**
 * Decodes the bytes of a sitemap: decompresses gzip, and selects the charset by byte order mark,
 * XML declaration, the server's charset, or UTF-8.
 */
final class SitemapDecoder {

    private static final int SNIFFED_BYTES = 256;
    private static final Pattern DECLARED =
            Pattern.compile("^\\s*<\\?xml[^>]{0,200}?encoding\\s*=\\s*[\"']([\\w.:-]{1,40})[\"']");
    private static final Pattern SERVED =
            Pattern.compile("charset\\s*=\\s*\"?([\\w.:-]{1,40})", Pattern.CASE_INSENSITIVE);

    private final TruncatingStream bytes;
    private final Reader reader;

    SitemapDecoder(InputStream content, String mediaType, long bytesMax) throws IOException {
        bytes = new TruncatingStream(decompress(content), bytesMax);
        var sniffing = new BufferedInputStream(bytes);
        sniffing.mark(SNIFFED_BYTES);
        var head = sniffing.readNBytes(SNIFFED_BYTES);
        sniffing.reset();
        reader = new InputStreamReader(sniffing, charset(head, mediaType));
    }

    Reader reader() {
        return reader;
    }

    /** Returns whether the text was truncated; known at its end. */
    boolean isTruncated() {
        return bytes.isTruncated();
    }

    private static InputStream decompress(InputStream content) throws IOException {
        var plain = new BufferedInputStream(content);
        plain.mark(3);
        var gzip = plain.read() == 0x1F && plain.read() == 0x8B && plain.read() >= 0;
        plain.reset();
        return gzip ? new GunzipStream(plain, 8_192) : plain;
    }

    private static Charset charset(byte[] head, String mediaType) {
        var first = head.length > 0 ? head[0] & 0xFF : 0;
        var second = head.length > 1 ? head[1] & 0xFF : 0;
        if ((first == 0xFF && second == 0xFE) || (first == '<' && second == 0)) {
            return StandardCharsets.UTF_16LE;
        }
        if ((first == 0xFE && second == 0xFF) || (first == 0 && second == '<')) {
            return StandardCharsets.UTF_16BE;
        }
        if (first == 0xEF && second == 0xBB) {
            return StandardCharsets.UTF_8;
        }
        return charsetNamed(DECLARED, new String(head, StandardCharsets.ISO_8859_1))
                .or(() -> charsetNamed(SERVED, mediaType))
                .orElse(StandardCharsets.UTF_8);
    }

    private static Optional<Charset> charsetNamed(Pattern pattern, String text) {
        var found = pattern.matcher(text);
        if (!found.find()) {
            return Optional.empty();
        }
        try {
            var charset = Charset.forName(found.group(1));
            // A declaration that is readable as ASCII is not in a two-byte encoding.
            return Optional.of(charset).filter(named -> !named.name().startsWith("UTF-16"));
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            // An unknown name is ignored; the next source is used.
            return Optional.empty();
        }
    }
}
