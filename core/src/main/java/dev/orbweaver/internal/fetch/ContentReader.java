package dev.orbweaver.internal.fetch;

import dev.orbweaver.internal.disk.BoundedStream;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.ResponseHead;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;

/**
 * Reads a body with its content codings decoded, up to a limit.
 *
 * <p><b>Decompression bombs.</b> A few megabytes can expand to terabytes. Codings can also be
 * stacked: the inner one may consume everything that the outer one expands without producing a
 * byte. So the output of <em>every</em> layer is limited, in size and in its ratio to the received
 * body, and the number of layers is limited. At a limit the content ends, as it does where the
 * encoding is damaged: browsers show what came before, so its links are used.
 */
public final class ContentReader {

    private static final int INITIAL_BUFFER_BYTES = 64 << 10;
    private static final int LAYERS_MAX = 3;

    /** Content up to this size may have any ratio: a page of one repeated word is not a bomb. */
    private static final long RATIO_EXEMPT_BYTES = 1 << 20;

    private ContentReader() {}

    /**
     * The decoded content: the first {@code length} bytes of {@code bytes}.
     *
     * @param damaged whether a content coding could not be decoded completely
     */
    @SuppressWarnings("ArrayRecordComponent") // Contents are never compared.
    public record Content(byte[] bytes, int length, boolean damaged) {

        private static final Content NONE = new Content(new byte[0], 0, true);
    }

    /**
     * Limits of decoding.
     *
     * @param bytes maximum size of the content
     * @param ratio maximum ratio of the content to the received body
     */
    public record Limits(int bytes, int ratio) {

        /** Deflate cannot exceed a ratio of 1032; pages stay below 100. */
        public static final int RATIO = 200;

        private long layerBytesMax(long sent) {
            return Math.min(bytes, ratioBytesMax(sent));
        }

        private long ratioBytesMax(long sent) {
            var decoded = sent > Long.MAX_VALUE / ratio ? Long.MAX_VALUE - 1 : sent * ratio;
            return Math.max(RATIO_EXEMPT_BYTES, decoded);
        }
    }

    /** Reads at most {@code bytesMax} bytes with the default ratio. */
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
            return new Content(new byte[0], 0, false); // An empty body has no encoding.
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

    /** The content codings of a body exceed a limit. */
    private static final class CodingLimitException extends IOException {
        private static final long serialVersionUID = 1;

        CodingLimitException(String message) {
            super(message);
        }
    }

    /**
     * Copies a body with its content codings undone, as far as they can be.
     *
     * @param sent the length of the body as it was transferred
     * @return whether all codings were undone completely
     */
    public static boolean copyDecoded(
            ResponseHead head, InputStream body, long sent, OutputStream out) throws IOException {
        try (var in = decoded(head, body, sent)) {
            var _ = in.transferTo(out);
            return !ContentCoding.hasUnknown(head)
                    && !(in instanceof DecodedStream stream && stream.damaged);
        } catch (CodingLimitException e) {
            return false;
        }
    }

    /**
     * Undoes the content codings of a body that is read as a stream. Like {@link #read}, the stream
     * ends where a coding is damaged; it fails where the content exceeds the usual ratio.
     *
     * @param sent the length of the body as it was transferred
     */
    public static InputStream decoded(ResponseHead head, InputStream body, long sent)
            throws IOException {
        var codings = ContentCoding.of(head);
        if (codings.isEmpty() || sent == 0) {
            return body;
        }
        if (codings.size() > LAYERS_MAX) {
            throw new CodingLimitException(
                    "the body has more than " + LAYERS_MAX + " content codings");
        }
        var layerMax = new Limits(Integer.MAX_VALUE, Limits.RATIO).ratioBytesMax(sent);
        InputStream top = new SourceStream(body);
        try {
            for (var coding : codings.reversed()) {
                top = new BoundedStream(coding.decode(top), layerMax + 1);
            }
        } catch (IOException damaged) {
            top.close();
            var nothing = new DecodedStream(InputStream.nullInputStream(), layerMax);
            nothing.damaged = true;
            return nothing;
        } catch (UncheckedIOException ours) {
            top.close();
            throw ours.getCause();
        }
        return new DecodedStream(top, layerMax);
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
            top.close(); // Some decoders own native memory.
        }
    }

    private static InputStream open(Body body) throws IOException {
        return switch (body) {
            case Body.InMemory(var bytes, var size) -> new ByteArrayInputStream(bytes, 0, size);
            case Body.InFile(var file, _) ->
                    new SourceStream(new BufferedInputStream(Files.newInputStream(file)));
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

    /** The source of a body, whose errors must not be taken for a damaged coding. */
    private static final class SourceStream extends FilterInputStream {

        SourceStream(InputStream source) {
            super(source);
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

    /** Decoded content: ends where a coding is damaged, fails where it is too large. */
    private static final class DecodedStream extends FilterInputStream {

        private final long max;
        private long count;
        private boolean damaged;

        DecodedStream(InputStream decoder, long max) {
            super(decoder);
            this.max = max;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read;
            try {
                read = super.read(bytes, offset, length);
            } catch (UncheckedIOException ours) {
                throw ours.getCause();
            } catch (IOException e) {
                damaged = true;
                return -1;
            }
            count += Math.max(0, read);
            if (count > max) {
                throw new CodingLimitException(
                        "the content is more than " + Limits.RATIO + " times as large as the body");
            }
            return read;
        }
    }
}
