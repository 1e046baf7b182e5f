package dev.orbweaver.internal.frontier.disk;

import com.github.luben.zstd.ZstdDecompressCtx;

import dev.orbweaver.internal.frontier.UrlRecordBuffer;
import dev.orbweaver.internal.frontier.VarintReader;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Reads the runs that a {@link UrlBlockWriter} wrote. */
final class UrlBlockReader implements AutoCloseable {

    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int COUNT_SHIFT = 24;
    private static final int COUNT_MASK = 0x7F;
    private static final int LENGTH_MASK = (1 << UrlBlockWriter.LENGTH_BITS) - 1;

    private final VarintReader in = new VarintReader(new byte[0], 0, 0);
    private final CRC32C crc = new CRC32C();
    private final ZstdDecompressCtx zstd = new ZstdDecompressCtx();
    private byte[] stored = new byte[1 << 12];
    private byte[] body = new byte[1 << 12];
    private int left;

    /** Returns how many URLs the run at an offset has. */
    static int count(MemorySegment file, long offset) throws IOException {
        return (head(file, offset) >>> COUNT_SHIFT) & COUNT_MASK;
    }

    private static int head(MemorySegment file, long offset) throws IOException {
        if (offset < 0 || offset + UrlBlockWriter.HEAD > file.byteSize()) {
            throw new IOException("a run of URLs at byte " + offset + " is beyond the file");
        }
        var head = file.get(INT, offset);
        if (head != UrlBlockWriter.withParity(head)) {
            throw new IOException("the head of a run of URLs at byte " + offset + " is damaged");
        }
        return head;
    }

    /** Returns the length of the run at an offset, including its head. */
    static int length(MemorySegment file, long offset) throws IOException {
        return UrlBlockWriter.HEAD + (head(file, offset) & LENGTH_MASK);
    }

    static long next(MemorySegment file, long offset) throws IOException {
        return offset + length(file, offset);
    }

    void open(MemorySegment file, long offset) throws IOException {
        var head = head(file, offset);
        var length = head & LENGTH_MASK;
        if (offset + UrlBlockWriter.HEAD + length > file.byteSize()) {
            throw new IOException("a run of URLs at byte " + offset + " reaches beyond the file");
        }
        stored = stored.length < length ? new byte[length * 2] : stored;
        MemorySegment.copy(
                file, ValueLayout.JAVA_BYTE, offset + UrlBlockWriter.HEAD, stored, 0, length);
        crc.reset();
        crc.update(stored, 0, length);
        if ((int) crc.getValue() != file.get(INT, offset + Integer.BYTES)) {
            throw new IOException("a run of URLs at byte " + offset + " is damaged");
        }
        if (head < 0) {
            decompress(length);
        } else {
            in.reset(stored, 0, length);
        }
        left = (head >>> COUNT_SHIFT) & COUNT_MASK;
    }

    private void decompress(int length) throws IOException {
        var size = ((stored[0] & 0xFF) << 16) | ((stored[1] & 0xFF) << 8) | (stored[2] & 0xFF);
        body = body.length < size ? new byte[size * 2] : body;
        var unpacked = zstd.decompressByteArray(body, 0, size, stored, 3, length - 3);
        if (unpacked != size) {
            throw new IOException("a run of URLs is " + unpacked + " bytes long, not " + size);
        }
        in.reset(body, 0, size);
    }

    boolean hasNext() {
        return left > 0;
    }

    /**
     * Reads the next URL. The buffer must contain the previous URL, or be cleared at the start of a
     * run.
     */
    void next(UrlRecordBuffer urlRecord) {
        left--;
        var flags = in.octet();
        urlRecord.hopOrdinal = flags & 0x07;
        if ((flags & UrlBlockWriter.SAME_DEPTH) == 0) {
            urlRecord.depth = in.intVarint();
        }
        if ((flags & UrlBlockWriter.SAME_PARENT) == 0) {
            urlRecord.parent += unzigzag(in.varint());
        }
        if ((flags & UrlBlockWriter.SAME_TIME) == 0) {
            urlRecord.foundAt += unzigzag(in.varint());
        }
        urlRecord.hops = 0;
        urlRecord.clearHistory();
        if ((flags & UrlBlockWriter.HISTORY) != 0) {
            urlRecord.hops = in.intVarint();
            urlRecord.equivalentRedirect = in.octet() == 1;
            urlRecord.attempts = in.intVarint();
            urlRecord.expiredLeases = in.intVarint();
        }
        var shared = in.intVarint();
        var more = in.intVarint();
        urlRecord.length = shared + more;
        urlRecord.ensureCapacity(urlRecord.length);
        in.bytes(urlRecord.text, shared, more);
    }

    /** Prepares a buffer for the first URL of a run. */
    static void clear(UrlRecordBuffer urlRecord) {
        urlRecord.length = 0;
        urlRecord.depth = 0;
        urlRecord.parent = 0;
        urlRecord.foundAt = 0;
    }

    @Override
    public void close() {
        zstd.close();
    }

    private static long unzigzag(long value) {
        return (value >>> 1) ^ -(value & 1);
    }
}
