package dev.orbweaver.internal.crawl;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.zip.CRC32C;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * One answer as bytes: length and CRC-32C of the payload, then the payload. The text comes last and
 * is deflated, so that whoever only wants to know whose answer it is need not unfold it.
 */
final class RobotsEntryCodec {

    static final int HEAD = Integer.BYTES * 2;

    /** No writer of ours makes a longer payload: twice the longest text, and some. */
    static final int PAYLOAD_MAX = 1 << 20;

    private static final int STATUS_TEXT_MAX = 300;
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private RobotsEntryCodec() {}

    /**
     * An answer as a frame.
     *
     * @param capture the last capture committed when it was kept
     */
    static ByteBuffer write(RobotsEntry answer, long capture) {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            out.writeLong(0); // The head's place.
            out.writeLong(capture);
            out.writeUTF(answer.origin());
            out.writeLong(answer.fetchedAt().toEpochMilli());
            out.writeLong(answer.attemptedAt().toEpochMilli());
            out.writeLong(answer.nextAttempt().toEpochMilli());
            out.writeInt(answer.failures());
            out.writeLong(answer.delay().toMillis());
            out.writeUTF(truncate(answer.statusText()));
            out.writeInt(answer.text().length);
            try (var text = new DeflaterOutputStream(out)) {
                text.write(answer.text());
            }
        } catch (IOException e) {
            throw new IllegalStateException("memory refuses a write", e);
        }
        var frame = bytes.toByteArray();
        var payload = frame.length - HEAD;
        return ByteBuffer.wrap(frame).putInt(payload).putInt(crc(frame, HEAD, payload)).rewind();
    }

    private static String truncate(String said) {
        return said.length() <= STATUS_TEXT_MAX ? said : said.substring(0, STATUS_TEXT_MAX);
    }

    /** The payload of the frame at a place, or nothing when there is no whole one. */
    static Optional<byte[]> payload(MemorySegment bytes, long at) {
        if (at < 0 || bytes.byteSize() - at < HEAD) {
            return Optional.empty();
        }
        var length = bytes.get(INT, at);
        if (length <= 0 || length > PAYLOAD_MAX || length > bytes.byteSize() - at - HEAD) {
            return Optional.empty();
        }
        var payload = new byte[length];
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, at + HEAD, payload, 0, length);
        var whole = crc(payload, 0, length) == bytes.get(INT, at + Integer.BYTES);
        return whole ? Optional.of(payload) : Optional.empty();
    }

    private static int crc(byte[] bytes, int start, int length) {
        var crc = new CRC32C();
        crc.update(bytes, start, length);
        return (int) crc.getValue();
    }

    /** Whose answer it is. */
    static String origin(byte[] payload) {
        var length = Short.toUnsignedInt(ByteBuffer.wrap(payload).getShort(Long.BYTES));
        return new String(payload, Long.BYTES + Short.BYTES, length, UTF_8);
    }

    /** The last capture committed when it was kept. */
    static long capture(byte[] payload) {
        return ByteBuffer.wrap(payload).getLong();
    }

    static RobotsEntry read(byte[] payload) throws IOException {
        return read(payload, true);
    }

    /** The answer without its text. */
    static RobotsEntry readHead(byte[] payload) throws IOException {
        return read(payload, false);
    }

    private static RobotsEntry read(byte[] payload, boolean withText) throws IOException {
        try (var in = new DataInputStream(new ByteArrayInputStream(payload))) {
            var _ = in.readLong();
            var origin = in.readUTF();
            var fetchedAt = Instant.ofEpochMilli(in.readLong());
            var askedAt = Instant.ofEpochMilli(in.readLong());
            var nextAsk = Instant.ofEpochMilli(in.readLong());
            var failures = in.readInt();
            var delay = Duration.ofMillis(in.readLong());
            var said = in.readUTF();
            var length = in.readInt();
            var text = withText ? inflate(in, length) : new byte[0];
            return new RobotsEntry(
                    origin, fetchedAt, askedAt, nextAsk, failures, delay, said, text);
        }
    }

    private static byte[] inflate(DataInputStream in, int length) throws IOException {
        try (var text = new InflaterInputStream(in)) {
            return text.readNBytes(length);
        }
    }
}
