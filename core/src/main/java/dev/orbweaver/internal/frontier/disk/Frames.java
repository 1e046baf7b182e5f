package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.frontier.FrontierDamagedException;
import dev.orbweaver.internal.frontier.FrontierEvent;

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
 * The outer format of journal, snapshot and dead letters: a header of eight bytes (seven of magic,
 * one of version), then frames.
 *
 * <p>A frame is a group of events that happened together: a marker, the length of the payload, the
 * frame's number in its file, a CRC-32C of these two and the payload, the payload.
 *
 * <p>A process that dies while it appends leaves at most one bad frame, and nothing after it. So a
 * bad frame at the end of a journal is a torn write, which was never committed. Anything else is
 * damage: the marker finds the frames after a bad one even if its length is wrong, and the numbers
 * reveal a missing or repeated frame.
 */
final class Frames {

    static final byte VERSION = 7;

    /** Marker, length, number, checksum. */
    static final int FRAME_HEAD = Integer.BYTES * 4;

    private static final byte[] MAGIC = "ORBFRNT".getBytes(StandardCharsets.US_ASCII);
    static final int HEADER = MAGIC.length + 1;

    /** The start of a frame. None of its bytes occurs in UTF-8 text, so no URL can contain it. */
    private static final int MARKER = 0xF8FBFDFE;

    private static final int LENGTH_AT = Integer.BYTES;
    private static final int NUMBER_AT = Integer.BYTES * 2;
    private static final int CRC_AT = Integer.BYTES * 3;
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private Frames() {}

    /**
     * @param validLength the length up to which the file has complete frames in order
     * @param frames their number, which is the number of the next frame
     */
    record Extent(long validLength, int frames) {
        static final Extent NONE = new Extent(0, 0);
    }

    static ByteBuffer header() {
        return ByteBuffer.allocate(HEADER).put(MAGIC).put(VERSION).flip();
    }

    /**
     * Fills in the head of a frame whose payload was written after {@link #FRAME_HEAD} reserved
     * bytes.
     */
    static ByteBuffer seal(EventWriter frame, int number) {
        var head = frame.buffer().putInt(MARKER).putInt(frame.length() - FRAME_HEAD).putInt(number);
        var crc = new CRC32C();
        crc.update(frame.array(), LENGTH_AT, CRC_AT - LENGTH_AT);
        crc.update(frame.array(), FRAME_HEAD, frame.length() - FRAME_HEAD);
        return head.putInt((int) crc.getValue()).rewind();
    }

    /** Receives the events of a frame in order, and the frame's end. */
    interface Reader {
        void event(FrontierEvent event);

        default void frameEnd() {}
    }

    /** Passes every event of the complete frames from the start up to the first bad one. */
    static Extent read(Path file, MemorySegment bytes, Reader out) throws IOException {
        checkHeader(file, bytes);
        if (bytes.byteSize() < HEADER) {
            return Extent.NONE;
        }
        var good = (long) HEADER;
        var frames = 0;
        var payload = new Payload();
        while (payload.read(bytes, good)) {
            if (payload.number != frames) {
                throw new FrontierDamagedException(
                        file,
                        "has frame %d instead of frame %d at byte %d"
                                .formatted(payload.number, frames, good));
            }
            payload.deliverTo(out);
            frames++;
            good += FRAME_HEAD + payload.length;
        }
        return new Extent(good, frames);
    }

    /**
     * Rejects a file that continues after its first bad frame. One torn write leaves one bad frame;
     * a marker with a later number means that more than one is bad.
     */
    static void rejectDamage(Path file, MemorySegment bytes, Extent extent) throws IOException {
        for (var at = nextMarker(bytes, extent.validLength() + 1);
                at < bytes.byteSize();
                at = nextMarker(bytes, at + 1)) {
            var number = at + FRAME_HEAD <= bytes.byteSize() ? bytes.get(INT, at + NUMBER_AT) : -1;
            if (number > extent.frames() || new Payload().read(bytes, at)) {
                throw new FrontierDamagedException(
                        file,
                        "is damaged at byte %d of %d, with more frames after it"
                                .formatted(extent.validLength(), bytes.byteSize()));
            }
        }
    }

    /**
     * Passes the events of every complete frame, anywhere in the file. For salvage only, because
     * the resulting state has gaps.
     *
     * @return how many bytes belong to no complete frame
     */
    static long salvage(MemorySegment bytes, Reader out) {
        var lost = 0L;
        var payload = new Payload();
        var at = Math.min(HEADER, bytes.byteSize());
        while (at < bytes.byteSize()) {
            if (payload.read(bytes, at)) {
                payload.deliverTo(out);
                at += FRAME_HEAD + payload.length;
            } else {
                var next = nextMarker(bytes, at + 1);
                lost += next - at;
                at = next;
            }
        }
        return lost;
    }

    /** Returns where the next marker begins, or the file's length. */
    private static long nextMarker(MemorySegment bytes, long from) {
        var first = (byte) (MARKER >>> 24);
        for (var at = from; at + Integer.BYTES <= bytes.byteSize(); at++) {
            if (bytes.get(ValueLayout.JAVA_BYTE, at) == first && bytes.get(INT, at) == MARKER) {
                return at;
            }
        }
        return bytes.byteSize();
    }

    private static void checkHeader(Path file, MemorySegment bytes) throws IOException {
        var written = (int) Math.min(bytes.byteSize(), HEADER);
        var header = new byte[written];
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, header, 0, written);
        var magic = Math.min(written, MAGIC.length);
        var ours = Arrays.equals(MAGIC, 0, magic, header, 0, magic);
        if ((!ours || (written == HEADER && header[MAGIC.length] != VERSION))
                && new Payload().read(bytes, HEADER)) {
            throw new FrontierDamagedException(file, "has a damaged header");
        }
        if (!ours) {
            throw new FrontierDamagedException(file, "is not an Orbweaver frontier file");
        }
        if (written == HEADER && header[MAGIC.length] != VERSION) {
            throw new FrontierDamagedException(
                    file,
                    "has version %d instead of %d, so another version of Orbweaver wrote it or it is damaged"
                            .formatted(header[MAGIC.length], VERSION));
        }
    }

    /** The payload of one frame; the buffer is reused because there are many. */
    private static final class Payload {

        private byte[] bytes = new byte[1 << 16];
        private int length;
        private int number;

        /** Reads the frame at an offset; returns false if there is no complete one. */
        boolean read(MemorySegment file, long at) {
            if (file.byteSize() - at < FRAME_HEAD || file.get(INT, at) != MARKER) {
                return false;
            }
            length = file.get(INT, at + LENGTH_AT);
            number = file.get(INT, at + NUMBER_AT);
            if (length <= 0 || length > file.byteSize() - at - FRAME_HEAD) {
                return false;
            }
            bytes = length <= bytes.length ? bytes : new byte[Math.max(length, length * 2)];
            MemorySegment.copy(file, ValueLayout.JAVA_BYTE, at + FRAME_HEAD, bytes, 0, length);
            var crc = new CRC32C();
            crc.update(file.asSlice(at + LENGTH_AT, CRC_AT - LENGTH_AT).asByteBuffer());
            crc.update(bytes, 0, length);
            return (int) crc.getValue() == file.get(INT, at + CRC_AT);
        }

        void deliverTo(Reader out) {
            var events = new EventReader(bytes, 0, length);
            while (events.hasNext()) {
                out.event(events.next());
            }
            out.frameEnd();
        }
    }
}
