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
 * Encodes an entry as a frame: length and CRC-32C of the payload, then the payload. The text is
 * last and deflated, so that reading only the origin need not inflate it.
 */
final class RobotsEntryCodec {

    static final int HEAD = Integer.BYTES * 2;

    /** Upper limit of a written payload: more than twice the longest text. */
    static final int PAYLOAD_MAX = 1 << 20;

    private static final int STATUS_TEXT_MAX = 300;
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private RobotsEntryCodec() {}

    /**
     * Encodes an entry as a frame.
     *
     * @param capture the last committed capture when the entry was stored
     */
    static ByteBuffer write(RobotsEntry entry, long capture) {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            out.writeLong(0); // Reserved for length and CRC.
            out.writeLong(capture);
            out.writeUTF(entry.origin());
            out.writeLong(entry.fetchedAt().toEpochMilli());
            out.writeLong(entry.attemptedAt().toEpochMilli());
            out.writeLong(entry.nextAttempt().toEpochMilli());
            out.writeInt(entry.failures());
            out.writeLong(entry.delay().toMillis());
            out.writeUTF(truncate(entry.statusText()));
            out.writeInt(entry.text().length);
            try (var text = new DeflaterOutputStream(out)) {
                text.write(entry.text());
            }
        } catch (IOException e) {
            throw new IllegalStateException("unexpected I/O error in memory", e);
        }
        var frame = bytes.toByteArray();
        var payload = frame.length - HEAD;
        return ByteBuffer.wrap(frame).putInt(payload).putInt(crc(frame, HEAD, payload)).rewind();
    }

    private static String truncate(String text) {
        return text.length() <= STATUS_TEXT_MAX ? text : text.substring(0, STATUS_TEXT_MAX);
    }

    /** Returns the payload of the frame at an offset; empty if it is incomplete or damaged. */
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

    /** Returns the origin of an entry. */
    static String origin(byte[] payload) {
        var length = Short.toUnsignedInt(ByteBuffer.wrap(payload).getShort(Long.BYTES));
        return new String(payload, Long.BYTES + Short.BYTES, length, UTF_8);
    }

    /** Returns the last committed capture when the entry was stored. */
    static long capture(byte[] payload) {
        return ByteBuffer.wrap(payload).getLong();
    }

    static RobotsEntry read(byte[] payload) throws IOException {
        return read(payload, true);
    }

    /** Reads an entry without its text. */
    static RobotsEntry readHead(byte[] payload) throws IOException {
        return read(payload, false);
    }

    private static RobotsEntry read(byte[] payload, boolean withText) throws IOException {
        try (var in = new DataInputStream(new ByteArrayInputStream(payload))) {
            var _ = in.readLong();
            var origin = in.readUTF();
            var fetchedAt = Instant.ofEpochMilli(in.readLong());
            var attemptedAt = Instant.ofEpochMilli(in.readLong());
            var nextAttempt = Instant.ofEpochMilli(in.readLong());
            var failures = in.readInt();
            var delay = Duration.ofMillis(in.readLong());
            var statusText = in.readUTF();
            var length = in.readInt();
            var text = withText ? inflate(in, length) : new byte[0];
            return new RobotsEntry(
                    origin, fetchedAt, attemptedAt, nextAttempt, failures, delay, statusText, text);
        }
    }

    private static byte[] inflate(DataInputStream in, int length) throws IOException {
        try (var text = new InflaterInputStream(in)) {
            return text.readNBytes(length);
        }
    }
}
