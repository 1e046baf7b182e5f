package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.Fingerprint;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The newest queued URLs, in memory: those accepted since it was last flushed. They are packed one
 * after another in large chunks, each with the address of the next one of its queue and band, so
 * that a million of them are a few arrays to the collector and not millions of objects.
 *
 * <p>Nothing is freed one by one. The whole buffer is emptied when it is flushed, and its chunks
 * are reused: chunks left to the collector would have reached the old generation by then, and every
 * few buffers would cost a full collection. Where nothing is ever flushed, it is compacted once
 * most of it is waste.
 */
final class UrlBuffer {

    static final int NO_ADDRESS = -1;

    private static final int CHUNK_BITS = 20;
    private static final int CHUNK = 1 << CHUNK_BITS;
    private static final int HEAD = Integer.BYTES;
    private static final int HISTORY = 0x08;
    private static final int RESPELLED = 0x10;
    private static final int HOP = 0x07;
    private static final VarHandle NEXT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());

    private final List<byte[]> chunks = new ArrayList<>();

    private int current = -1;

    private final VarintWriter out = new VarintWriter(512);
    private final VarintReader in = new VarintReader(new byte[0], 0, 0);
    private int free = CHUNK;
    private long used;

    /** Adds a URL and returns its address. */
    int add(UrlRecordBuffer slip, Fingerprint key) {
        out.truncate(0);
        out.reserve(HEAD).bigEndian(key.high(), Long.BYTES).bigEndian(key.low(), Short.BYTES);
        var history = slip.hasHistory();
        out.octet(
                        slip.hopOrdinal
                                | (history ? HISTORY : 0)
                                | (slip.equivalentRedirect ? RESPELLED : 0))
                .varint(slip.depth)
                .varint(slip.hops)
                .varint(slip.parent)
                .varint(slip.foundAt);
        if (history) {
            out.varint(slip.attempts).varint(slip.expiredLeases);
        }
        out.varint(slip.length).bytes(slip.text, 0, slip.length);
        return append();
    }

    private int append() {
        var size = out.length();
        if (free + size > CHUNK) {
            current++;
            free = 0;
        }
        if (current == chunks.size()) {
            chunks.add(new byte[CHUNK]);
        }
        var address = (current << CHUNK_BITS) | free;
        var chunk = chunks.get(current);
        System.arraycopy(out.array(), 0, chunk, free, size);
        NEXT.set(chunk, free, NO_ADDRESS);
        free += size;
        used += size;
        return address;
    }

    /** Fills the buffer and returns the key. */
    Fingerprint read(int address, UrlRecordBuffer slip) {
        var chunk = chunk(address);
        in.reset(chunk, offset(address) + HEAD, CHUNK);
        var key = new Fingerprint(in.bigEndian(Long.BYTES), (short) in.bigEndian(Short.BYTES));
        var flags = in.octet();
        slip.hopOrdinal = flags & HOP;
        slip.equivalentRedirect = (flags & RESPELLED) != 0;
        slip.depth = in.intVarint();
        slip.hops = in.intVarint();
        slip.parent = in.varint();
        slip.foundAt = in.varint();
        slip.attempts = 0;
        slip.expiredLeases = 0;
        if ((flags & HISTORY) != 0) {
            slip.attempts = in.intVarint();
            slip.expiredLeases = in.intVarint();
        }
        slip.length = in.intVarint();
        slip.ensureCapacity(slip.length);
        in.bytes(slip.text, 0, slip.length);
        return key;
    }

    int next(int address) {
        return (int) NEXT.get(chunk(address), offset(address));
    }

    void setNext(int address, int next) {
        NEXT.set(chunk(address), offset(address), next);
    }

    /** Bytes of its URLs, including those already taken. */
    long bytes() {
        return used;
    }

    void clear() {
        current = -1;
        free = CHUNK;
        used = 0;
    }

    private byte[] chunk(int address) {
        return chunks.get(address >>> CHUNK_BITS);
    }

    private static int offset(int address) {
        return address & (CHUNK - 1);
    }
}
