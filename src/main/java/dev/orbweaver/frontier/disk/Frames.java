package dev.orbweaver.frontier.disk;

import dev.orbweaver.frontier.FrontierEvent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * The outer form of journal and snapshot: a header of eight bytes (seven of magic, one of version),
 * then frames of length, CRC-32C and payload. A frame is a group of events that happened together;
 * a frame that is cut short or does not match its checksum never happened, and nothing behind it
 * did.
 */
final class Frames {

    static final byte VERSION = 1;
    static final int FRAME_HEAD = Integer.BYTES * 2;
    private static final byte[] MAGIC = "ORBFRNT".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADER = MAGIC.length + 1;

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

    /**
     * Hands every event of every whole frame on.
     *
     * @return the length up to which the file is good
     */
    static int read(Path file, byte[] bytes, Consumer<FrontierEvent> out) throws IOException {
        checkHeader(file, bytes);
        if (bytes.length < HEADER) {
            return 0;
        }
        var good = HEADER;
        for (var next = frameEnd(bytes, good); next > 0; next = frameEnd(bytes, good)) {
            var events = new EventReader(bytes, good + FRAME_HEAD, next);
            while (events.hasNext()) {
                out.accept(events.next());
            }
            good = next;
        }
        return good;
    }

    private static void checkHeader(Path file, byte[] bytes) throws IOException {
        var written = Math.min(bytes.length, MAGIC.length);
        if (!Arrays.equals(MAGIC, 0, written, bytes, 0, written)) {
            throw new IOException(file + " is not a frontier file of Orbweaver");
        }
        if (bytes.length >= HEADER && bytes[MAGIC.length] != VERSION) {
            throw new IOException(
                    "%s is of version %d, and this Orbweaver reads version %d: use the one that wrote it"
                            .formatted(file, bytes[MAGIC.length], VERSION));
        }
    }

    /** Where the frame ends that begins at {@code start}, or 0 when there is no whole one. */
    private static int frameEnd(byte[] bytes, int start) {
        if (bytes.length - start < FRAME_HEAD) {
            return 0;
        }
        var head = ByteBuffer.wrap(bytes, start, FRAME_HEAD);
        var payload = head.getInt();
        var expected = head.getInt();
        var payloadStart = start + FRAME_HEAD;
        if (payload <= 0 || payload > bytes.length - payloadStart) {
            return 0;
        }
        var crc = new CRC32C();
        crc.update(bytes, payloadStart, payload);
        return (int) crc.getValue() == expected ? payloadStart + payload : 0;
    }
}
