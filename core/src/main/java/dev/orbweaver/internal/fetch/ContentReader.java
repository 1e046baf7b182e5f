package dev.orbweaver.internal.fetch;

import dev.orbweaver.internal.disk.BoundedStream;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Exchange;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A body's content with its content codings undone, never more of it than a limit.
 *
 * <p><b>Bombs.</b> A few megabytes can unfold into terabytes, and codings can be stacked: the inner
 * one may then swallow all that the outer one unfolds without giving a byte. So what comes out of
 * <em>every</em> layer is bounded, by size and by how many times it may be larger than the body as
 * it was sent, and there are few layers. Where a bound is met the content simply ends, as it does
 * where a coding is damaged: browsers show what came before, and so its links count.
 */
public final class ContentReader {

    private static final int INITIAL_BUFFER_BYTES = 64 << 10;
    private static final int LAYERS_MAX = 3;

    /** Small bodies may grow to this size at any ratio: a page of one word repeated is no bomb. */
    private static final long RATIO_EXEMPT_BYTES = 1 << 20;

    private ContentReader() {}

    /**
     * The first {@code length} bytes of {@code bytes}.
     *
     * @param damaged whether a content coding could not be undone, or not to its end
     */
    @SuppressWarnings("ArrayRecordComponent") // Contents are never compared.
    public record Content(byte[] bytes, int length, boolean damaged) {

        private static final Content NONE = new Content(new byte[0], 0, true);
    }

    /**
     * Bounds of what is read.
     *
     * @param bytes of content in all
     * @param ratio how many times larger than the body as sent the content may be
     */
    public record Limits(int bytes, int ratio) {

        /** Deflate cannot do more than 1032 times; what pages reach is below 100. */
        public static final int RATIO = 200;

        private long layerBytesMax(long sent) {
            var unfolded = sent > Long.MAX_VALUE / ratio ? Long.MAX_VALUE : sent * ratio;
            return Math.min(bytes, Math.max(RATIO_EXEMPT_BYTES, unfolded));
        }
    }

    /** Reads at most {@code bytesMax} bytes, with the usual ratio. */
    public static Content read(Exchange exchange, int bytesMax) throws IOException {
        return read(exchange, new Limits(bytesMax, Limits.RATIO));
    }

    public static Content read(Exchange exchange, Limits limits) throws IOException {
        var codings = ContentCoding.of(exchange.head());
        var body = exchange.body();
        if (codings.isEmpty() && body instanceof Body.InMemory(var bytes, var size)) {
            return new Content(
                    bytes,
                    Math.min(size, limits.bytes()),
                    ContentCoding.hasUnknown(exchange.head()));
        }
        if (body.length() == 0) {
            return new Content(
                    new byte[0], 0, false); // Nothing was encoded, whatever the head says.
        }
        if (codings.size() > LAYERS_MAX) {
            return Content.NONE;
        }
        try (var raw = open(body)) {
            var unknown = ContentCoding.hasUnknown(exchange.head());
            return codings.isEmpty()
                    ? drain(raw, limits.bytes(), unknown)
                    : decode(raw, codings, limits.layerBytesMax(body.length()), unknown);
        } catch (UncheckedIOException ours) {
            throw ours.getCause();
        }
    }

    private static Content decode(
            InputStream raw, List<ContentCoding> codings, long layerMax, boolean unknown)
            throws IOException {
        var top = raw;
        try {
            for (var coding : codings.reversed()) {
                top = new BoundedStream(coding.decode(top), layerMax);
            }
            return drain(top, (int) layerMax, unknown);
        } catch (IOException notThisCoding) {
            return Content.NONE;
        } finally {
            top.close(); // Some decoders hold native memory.
        }
    }

    private static InputStream open(Body body) throws IOException {
        return switch (body) {
            case Body.InMemory(var bytes, var size) -> new ByteArrayInputStream(bytes, 0, size);
            case Body.InFile(var file, _) -> new BodyFileStream(file);
        };
    }

    private static Content drain(InputStream in, int bytesMax, boolean unknown) {
        var damaged = unknown;
        var bytes = new byte[Math.min(INITIAL_BUFFER_BYTES, bytesMax)];
        var length = 0;
        while (length < bytesMax) {
            if (length == bytes.length) {
                bytes = Arrays.copyOf(bytes, (int) Math.min(bytes.length * 2L, bytesMax));
            }
            try {
                var count = in.read(bytes, length, bytes.length - length);
                if (count < 0) {
                    break;
                }
                length += count;
            } catch (IOException notThisCoding) {
                damaged = true;
                break;
            }
        }
        return new Content(bytes, length, damaged);
    }

    /** A body's file, whose errors must not be taken for a damaged coding. */
    private static final class BodyFileStream extends FilterInputStream {

        BodyFileStream(Path file) throws IOException {
            super(new BufferedInputStream(Files.newInputStream(file)));
        }

        @Override
        public int read() {
            try {
                return super.read();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            try {
                return super.read(bytes, offset, length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
