package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.Fingerprint;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The memtable of queued URLs: those accepted since it was last flushed.
 *
 * <p>URLs are packed in large chunks, each with the address of the next one of its queue and rank,
 * so that a million of them are a few arrays for the garbage collector instead of millions of
 * objects.
 *
 * <p>No URL is freed individually. A flush empties the whole buffer, and its chunks are reused:
 * chunks left to the garbage collector would have reached the old generation by then, and every few
 * buffers would cost a full collection. If nothing is ever flushed, the buffer is compacted once
 * most of it is unused.
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
    int add(UrlRecordBuffer urlRecord, Fingerprint key) {
        out.truncate(0);
        out.reserve(HEAD).bigEndian(key.high(), Long.BYTES).bigEndian(key.low(), Short.BYTES);
        var history = urlRecord.hasHistory();
        out.octet(
                        urlRecord.hopOrdinal
                                | (history ? HISTORY : 0)
                                | (urlRecord.equivalentRedirect ? RESPELLED : 0))
                .varint(urlRecord.depth)
                .varint(urlRecord.hops)
                .varint(urlRecord.parent)
                .varint(urlRecord.foundAt);
        if (history) {
            out.varint(urlRecord.attempts).varint(urlRecord.expiredLeases);
        }
        out.varint(urlRecord.length).bytes(urlRecord.text, 0, urlRecord.length);
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

    /** Reads the URL at an address into a record and returns its key. */
    Fingerprint read(int address, UrlRecordBuffer urlRecord) {
        var chunk = chunk(address);
        in.reset(chunk, offset(address) + HEAD, CHUNK);
        var key = new Fingerprint(in.bigEndian(Long.BYTES), (short) in.bigEndian(Short.BYTES));
        var flags = in.octet();
        urlRecord.hopOrdinal = flags & HOP;
        urlRecord.equivalentRedirect = (flags & RESPELLED) != 0;
        urlRecord.depth = in.intVarint();
        urlRecord.hops = in.intVarint();
        urlRecord.parent = in.varint();
        urlRecord.foundAt = in.varint();
        urlRecord.attempts = 0;
        urlRecord.expiredLeases = 0;
        if ((flags & HISTORY) != 0) {
            urlRecord.attempts = in.intVarint();
            urlRecord.expiredLeases = in.intVarint();
        }
        urlRecord.length = in.intVarint();
        urlRecord.ensureCapacity(urlRecord.length);
        in.bytes(urlRecord.text, 0, urlRecord.length);
        return key;
    }

    int next(int address) {
        return (int) NEXT.get(chunk(address), offset(address));
    }

    void setNext(int address, int next) {
        NEXT.set(chunk(address), offset(address), next);
    }

    /** Returns the bytes of its URLs, including those already taken. */
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
