package dev.orbweaver.frontier.disk;

import dev.orbweaver.frontier.FrontierEvent;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The outer form of journal, snapshot and dead letters: a header of eight bytes (seven of magic,
 * one of version), then frames of length, CRC-32C and payload. A frame is a group of events that
 * happened together; a frame that is cut short or does not match its checksum never happened, and
 * nothing behind it did.
 */
final class Frames {

    static final byte VERSION = 4;
    static final int FRAME_HEAD = Integer.BYTES * 2;
    private static final byte[] MAGIC = "ORBFRNT".getBytes(StandardCharsets.US_ASCII);
    static final int HEADER = MAGIC.length + 1;
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private Frames() {}

    static ByteBuffer header() {
        return ByteBuffer.allocate(HEADER).put(MAGIC).put(VERSION).flip();
    }

    /**
     * Fills in the head of a frame whose payload was written behind {@link #FRAME_HEAD} reserved
     * bytes.
     */
    static ByteBuffer close(EventWriter frame) {
        var payload = frame.length() - FRAME_HEAD;
        var crc = new CRC32C();
        crc.update(frame.array(), FRAME_HEAD, payload);
        return frame.buffer().putInt(payload).putInt((int) crc.getValue()).rewind();
    }

    /** What to do with the events of a frame, one after the other, and at its end. */
    interface Reader {
        void event(FrontierEvent event);

        default void frameEnd() {}
    }

    /**
     * Hands every event of every whole frame on.
     *
     * @return the length up to which the file is good
     */
    static long read(Path file, MemorySegment bytes, Reader out) throws IOException {
        checkHeader(file, bytes);
        if (bytes.byteSize() < HEADER) {
            return 0;
        }
        var good = (long) HEADER;
        var payload = new byte[1 << 16];
        for (var length = payloadLength(bytes, good);
                length > 0;
                length = payloadLength(bytes, good)) {
            payload = length <= payload.length ? payload : new byte[length * 2];
            MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, good + FRAME_HEAD, payload, 0, length);
            var crc = new CRC32C();
            crc.update(payload, 0, length);
            if ((int) crc.getValue() != bytes.get(INT, good + Integer.BYTES)) {
                break;
            }
            var events = new EventReader(payload, 0, length);
            while (events.hasNext()) {
                out.event(events.next());
            }
            out.frameEnd();
            good += FRAME_HEAD + length;
        }
        return good;
    }

    private static void checkHeader(Path file, MemorySegment bytes) throws IOException {
        var written = (int) Math.min(bytes.byteSize(), HEADER);
        var header = new byte[written];
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, header, 0, written);
        var magic = Math.min(written, MAGIC.length);
        if (!Arrays.equals(MAGIC, 0, magic, header, 0, magic)) {
            throw new IOException(file + " is not a frontier file of Orbweaver");
        }
        if (written == HEADER && header[MAGIC.length] != VERSION) {
            throw new IOException(
                    "%s is of version %d, and this Orbweaver reads version %d: use the one that wrote it"
                            .formatted(file, header[MAGIC.length], VERSION));
        }
    }

    /** The length of the payload of the frame at an offset, or 0 when there is no whole one. */
    private static int payloadLength(MemorySegment bytes, long at) {
        if (bytes.byteSize() - at < FRAME_HEAD) {
            return 0;
        }
        var payload = bytes.get(INT, at);
        return payload <= 0 || payload > bytes.byteSize() - at - FRAME_HEAD ? 0 : payload;
    }
}
