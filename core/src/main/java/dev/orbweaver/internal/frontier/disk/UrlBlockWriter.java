package dev.orbweaver.internal.frontier.disk;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;

import dev.orbweaver.internal.frontier.UrlRecordBuffer;
import dev.orbweaver.internal.frontier.VarintWriter;

import java.util.zip.CRC32C;

/**
 * Packs queued URLs of one queue and rank into a run.
 *
 * <p>A run has a head of eight bytes (one of count, six bits that guard the head, eighteen of
 * length, four bytes of CRC-32C of the body), then the body. A search for a later run reads heads
 * only, so a head has its own guard: a change of any one bit in it is detected, and no URL is
 * mistaken for another.
 *
 * <p>URLs of a host that were found together are similar. So each is written as the length of the
 * prefix that it shares with the previous one and the rest; depth, parent and time are written as
 * differences. Compression halves the result: if it saves space, the body is a zstd frame after
 * three bytes with its own length, and the head's first bit is set. A run is self-contained. {@link
 * UrlBlockReader} reads it.
 */
final class UrlBlockWriter implements AutoCloseable {

    static final int HEAD = 8;
    static final int URLS_MAX = 64;
    static final int SAME_DEPTH = 0x08;
    static final int SAME_PARENT = 0x10;
    static final int SAME_TIME = 0x20;
    static final int HISTORY = 0x40;
    static final int COMPRESSED = 0x80;
    static final int LENGTH_BITS = 18;
    static final int PARITY_MASK = 0x3F << LENGTH_BITS;
    private static final int BODY_MAX = 1 << 16;
    private static final int WORTH_COMPRESSING = 400;
    private static final int LEVEL = 1;

    private final VarintWriter out = new VarintWriter(BODY_MAX);
    private final CRC32C crc = new CRC32C();
    private final UrlRecordBuffer previous = new UrlRecordBuffer();
    private final ZstdCompressCtx zstd = new ZstdCompressCtx().setLevel(LEVEL);
    private byte[] compressed = new byte[2 * BODY_MAX];
    private int count;

    UrlBlockWriter() {
        reset();
    }

    private void reset() {
        out.truncate(0);
        out.reserve(HEAD);
        count = 0;
        previous.length = 0;
        previous.depth = 0;
        previous.parent = 0;
        previous.foundAt = 0;
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean isFull() {
        return count == URLS_MAX || out.length() > BODY_MAX;
    }

    void add(UrlRecordBuffer urlRecord) {
        var history = urlRecord.hasHistory() || urlRecord.hops > 0;
        out.octet(
                urlRecord.hopOrdinal
                        | (urlRecord.depth == previous.depth ? SAME_DEPTH : 0)
                        | (urlRecord.parent == previous.parent ? SAME_PARENT : 0)
                        | (urlRecord.foundAt == previous.foundAt ? SAME_TIME : 0)
                        | (history ? HISTORY : 0));
        if (urlRecord.depth != previous.depth) {
            out.varint(urlRecord.depth);
        }
        if (urlRecord.parent != previous.parent) {
            out.varint(zigzag(urlRecord.parent - previous.parent));
        }
        if (urlRecord.foundAt != previous.foundAt) {
            out.varint(zigzag(urlRecord.foundAt - previous.foundAt));
        }
        if (history) {
            out.varint(urlRecord.hops)
                    .octet(urlRecord.equivalentRedirect ? 1 : 0)
                    .varint(urlRecord.attempts)
                    .varint(urlRecord.expiredLeases);
        }
        var shared = sharedPrefix(urlRecord);
        out.varint(shared)
                .varint(urlRecord.length - shared)
                .bytes(urlRecord.text, shared, urlRecord.length - shared);
        setPrevious(urlRecord, shared);
        count++;
    }

    private int sharedPrefix(UrlRecordBuffer urlRecord) {
        var maxShared = Math.min(urlRecord.length, previous.length);
        var shared = 0;
        while (shared < maxShared && urlRecord.text[shared] == previous.text[shared]) {
            shared++;
        }
        return shared;
    }

    private void setPrevious(UrlRecordBuffer urlRecord, int shared) {
        previous.ensureCapacity(urlRecord.length);
        System.arraycopy(urlRecord.text, shared, previous.text, shared, urlRecord.length - shared);
        previous.length = urlRecord.length;
        previous.depth = urlRecord.depth;
        previous.parent = urlRecord.parent;
        previous.foundAt = urlRecord.foundAt;
    }

    /** Finishes the run into a target and starts the next one. */
    void finish(VarintWriter target) {
        var length = out.length() - HEAD;
        var small = length < WORTH_COMPRESSING ? length : compress(length);
        if (small < length) {
            write(target, count | COMPRESSED, compressed, 0, small);
        } else {
            write(target, count, out.array(), HEAD, length);
        }
        reset();
    }

    private int compress(int length) {
        var room = (int) Zstd.compressBound(length) + 3;
        if (compressed.length < room) {
            compressed = new byte[room];
        }
        compressed[0] = (byte) (length >>> 16);
        compressed[1] = (byte) (length >>> 8);
        compressed[2] = (byte) length;
        return 3
                + zstd.compressByteArray(
                        compressed, 3, compressed.length - 3, out.array(), HEAD, length);
    }

    private void write(VarintWriter target, int head, byte[] body, int start, int length) {
        crc.reset();
        crc.update(body, start, length);
        target.bigEndian(withParity((head << 24) | length), 4)
                .bigEndian(crc.getValue(), 4)
                .bytes(body, start, length);
    }

    /**
     * Returns a head with its guard, which is the XOR of the positions of its set bits, from 1:
     * each bit changes it.
     */
    static int withParity(int head) {
        var plain = head & ~PARITY_MASK;
        var guard = 0;
        for (var bits = plain; bits != 0; bits &= bits - 1) {
            guard ^= Integer.numberOfTrailingZeros(bits) + 1;
        }
        return plain | (guard << LENGTH_BITS);
    }

    @Override
    public void close() {
        zstd.close();
    }

    private static long zigzag(long value) {
        return (value << 1) ^ (value >> 63);
    }
}
