package dev.orbweaver.fetch;

import dev.orbweaver.model.Body;
import dev.orbweaver.model.Exchange;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** A body's content with its content coding undone, never more of it than a limit. */
public final class ContentReader {

    private static final int FIRST = 64 << 10;

    private ContentReader() {}

    /** The first {@code length} bytes of {@code bytes}. */
    @SuppressWarnings("ArrayRecordComponent") // Contents are never compared.
    public record Content(byte[] bytes, int length) {}

    /**
     * Reads at most {@code bytesMax} bytes; a coding that breaks off in the middle gives what came
     * before.
     */
    public static Content read(Exchange exchange, int bytesMax) throws IOException {
        var coding = exchange.head().field("content-encoding").orElse("").toLowerCase(Locale.ROOT);
        var gzip = coding.equals("gzip") || coding.equals("x-gzip");
        if (!gzip && exchange.body() instanceof Body.InMemory(var bytes, var size)) {
            return new Content(bytes, Math.min(size, bytesMax));
        }
        try (var raw = open(exchange.body())) {
            return gzip ? gunzip(raw, bytesMax) : drain(raw, bytesMax);
        }
    }

    private static InputStream open(Body body) throws IOException {
        return switch (body) {
            case Body.InMemory(var bytes, var size) -> new ByteArrayInputStream(bytes, 0, size);
            case Body.InFile(var file, _) -> new BufferedInputStream(Files.newInputStream(file));
        };
    }

    private static Content gunzip(InputStream raw, int bytesMax) throws IOException {
        try (var in = new GZIPInputStream(raw, 8192)) {
            return drain(in, bytesMax);
        } catch (ZipException | EOFException notGzip) {
            return new Content(new byte[0], 0);
        }
    }

    private static Content drain(InputStream in, int bytesMax) throws IOException {
        var bytes = new byte[Math.min(FIRST, bytesMax)];
        var length = 0;
        while (length < bytesMax) {
            if (length == bytes.length) {
                bytes = Arrays.copyOf(bytes, (int) Math.min(bytes.length * 2L, bytesMax));
            }
            var count = readSome(in, bytes, length);
            if (count < 0) {
                break;
            }
            length += count;
        }
        return new Content(bytes, length);
    }

    /**
     * A stream damaged in the middle ends there: browsers show what came before, and so its links
     * count.
     */
    private static int readSome(InputStream in, byte[] bytes, int length) throws IOException {
        try {
            return in.read(bytes, length, bytes.length - length);
        } catch (ZipException | EOFException damaged) {
            return -1;
        }
    }
}
