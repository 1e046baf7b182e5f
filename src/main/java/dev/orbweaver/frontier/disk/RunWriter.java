package dev.orbweaver.frontier.disk;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;

import dev.orbweaver.frontier.PackedOut;
import dev.orbweaver.frontier.UrlSlip;

import java.util.zip.CRC32C;

/**
 * Packs queued URLs of one queue and band, some at a time, into a run: a head of eight bytes (one
 * of count, six bits that guard the head, eighteen of length, four bytes of CRC-32C over the body),
 * then the body. Whoever looks for a later run reads heads only, so a head is guarded by itself:
 * any one bit that changes in it is noticed, and no URL is taken for another.
 *
 * <p>URLs of a host that were found together are much alike. So each is written as what it shares
 * with the one before it and how it goes on; and of depth, parent and time only what differs. What
 * is left is words, which a compressor halves: a body worth it is a zstd frame behind three bytes
 * of its own length, and the head's first bit says so. A run stands for itself: whoever reads it
 * needs nothing before it. {@link RunReader} is the mirror.
 */
final class RunWriter implements AutoCloseable {

    static final int HEAD = 8;
    static final int URLS_MAX = 64;
    static final int SAME_DEPTH = 0x08;
    static final int SAME_PARENT = 0x10;
    static final int SAME_TIME = 0x20;
    static final int HISTORY = 0x40;
    static final int COMPRESSED = 0x80;
    static final int LENGTH_BITS = 18;
    static final int GUARD_MASK = 0x3F << LENGTH_BITS;
    private static final int BODY_MAX = 1 << 16;
    private static final int WORTH_COMPRESSING = 400;
    private static final int LEVEL = 1;

    private final PackedOut out = new PackedOut(BODY_MAX);
    private final CRC32C crc = new CRC32C();
    private final UrlSlip last = new UrlSlip();
    private final ZstdCompressCtx zstd = new ZstdCompressCtx().setLevel(LEVEL);
    private byte[] packed = new byte[2 * BODY_MAX];
    private int count;

    RunWriter() {
        begin();
    }

    private void begin() {
        out.cut(0);
        out.reserve(HEAD);
        count = 0;
        last.length = 0;
        last.depth = 0;
        last.parent = 0;
        last.foundAt = 0;
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean isFull() {
        return count == URLS_MAX || out.length() > BODY_MAX;
    }

    void add(UrlSlip slip) {
        var history = slip.hasHistory() || slip.hops > 0;
        out.octet(
                slip.hop
                        | (slip.depth == last.depth ? SAME_DEPTH : 0)
                        | (slip.parent == last.parent ? SAME_PARENT : 0)
                        | (slip.foundAt == last.foundAt ? SAME_TIME : 0)
                        | (history ? HISTORY : 0));
        if (slip.depth != last.depth) {
            out.number(slip.depth);
        }
        if (slip.parent != last.parent) {
            out.number(zigzag(slip.parent - last.parent));
        }
        if (slip.foundAt != last.foundAt) {
            out.number(zigzag(slip.foundAt - last.foundAt));
        }
        if (history) {
            out.number(slip.hops)
                    .octet(slip.respelled ? 1 : 0)
                    .number(slip.attempts)
                    .number(slip.lost);
        }
        var shared = shared(slip);
        out.number(shared)
                .number(slip.length - shared)
                .bytes(slip.text, shared, slip.length - shared);
        remember(slip, shared);
        count++;
    }

    private int shared(UrlSlip slip) {
        var most = Math.min(slip.length, last.length);
        var shared = 0;
        while (shared < most && slip.text[shared] == last.text[shared]) {
            shared++;
        }
        return shared;
    }

    private void remember(UrlSlip slip, int shared) {
        last.ensure(slip.length);
        System.arraycopy(slip.text, shared, last.text, shared, slip.length - shared);
        last.length = slip.length;
        last.depth = slip.depth;
        last.parent = slip.parent;
        last.foundAt = slip.foundAt;
    }

    /** Finishes the run into a target and begins the next one. */
    void finish(PackedOut target) {
        var length = out.length() - HEAD;
        var small = length < WORTH_COMPRESSING ? length : compress(length);
        if (small < length) {
            write(target, count | COMPRESSED, packed, 0, small);
        } else {
            write(target, count, out.array(), HEAD, length);
        }
        begin();
    }

    private int compress(int length) {
        var room = (int) Zstd.compressBound(length) + 3;
        if (packed.length < room) {
            packed = new byte[room];
        }
        packed[0] = (byte) (length >>> 16);
        packed[1] = (byte) (length >>> 8);
        packed[2] = (byte) length;
        return 3 + zstd.compressByteArray(packed, 3, packed.length - 3, out.array(), HEAD, length);
    }

    private void write(PackedOut target, int head, byte[] body, int start, int length) {
        crc.reset();
        crc.update(body, start, length);
        target.bigEndian(guarded((head << 24) | length), 4)
                .bigEndian(crc.getValue(), 4)
                .bytes(body, start, length);
    }

    /**
     * A head with its guard, which is the positions of its bits that are set, from 1, one upon the
     * other: each bit changes it.
     */
    static int guarded(int head) {
        var plain = head & ~GUARD_MASK;
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
