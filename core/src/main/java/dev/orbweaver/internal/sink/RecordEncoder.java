package dev.orbweaver.internal.sink;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;

import dev.orbweaver.model.Body;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Encodes the records of captures, in memory that it reuses.
 *
 * <p>Almost every capture is small, and for a small one the overhead costs as much as the work: a
 * stream for each record, a growing buffer, a native call for each part. So a record is assembled
 * in memory, compressed by one call, and the result is copied once. A record that is not compressed
 * is not even assembled: the body is not copied, and its offset is recorded.
 *
 * <p>Not thread-safe. A record that does not fit into memory is written through the streams of
 * {@link Compression}.
 */
final class RecordEncoder implements RecordOutput, AutoCloseable {

    /** WARC 1.1, 4: two line ends after every block. */
    static final byte[] RECORD_END = "\r\n\r\n".getBytes(US_ASCII);

    /** RFC 1952, 2.3: deflate, no flags, no time, no hint, no system. */
    private static final byte[] GZIP_HEAD = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};

    private static final int GZIP_TAIL = 8;
    private static final int BUFFER_INITIAL = 64 << 10;

    private final Compression compression;
    final Sha1 sha1 = new Sha1();
    final RecordIds ids = new RecordIds();
    private final CRC32 crc = new CRC32();
    private @Nullable GzipDeflaters deflaters;
    private boolean quickly = true;
    private @Nullable ZstdCompressCtx zstd;
    private byte[] input = new byte[BUFFER_INITIAL];
    private byte[] output = new byte[BUFFER_INITIAL];
    private byte[] deflated = new byte[0];
    private int outputLength;
    private int bodyOffset;
    private long externalBodyBytes;

    RecordEncoder(Compression compression) {
        this.compression = compression;
        switch (compression) {
            case GZIP -> deflaters = new GzipDeflaters();
            case ZSTD -> {
                zstd = new ZstdCompressCtx();
                zstd.setChecksum(true);
            }
            case NONE -> {}
        }
    }

    /**
     * Starts a capture.
     *
     * @param quickly whether speed counts more than size, where the compression offers both
     */
    void reset(boolean quickly) {
        this.quickly = quickly;
        outputLength = 0;
        bodyOffset = PreparedCapture.BODY_INCLUDED;
        externalBodyBytes = 0;
    }

    /** Returns the length including the body to be inserted. */
    @Override
    public long length() {
        return outputLength + externalBodyBytes;
    }

    @Override
    public void add(byte[] head, byte[] blockHead, Body body) {
        if (!(body instanceof Body.InMemory inMemory)) {
            throw new IllegalArgumentException("a body in a file cannot be encoded in memory");
        }
        if (compression == Compression.NONE) {
            addPlain(head, blockHead, inMemory);
            return;
        }
        var length = head.length + blockHead.length + inMemory.size() + RECORD_END.length;
        if (input.length < length) {
            input = new byte[Math.max(length, input.length * 2)];
        }
        var at = copy(head, head.length, 0);
        at = copy(blockHead, blockHead.length, at);
        at = copy(inMemory.bytes(), inMemory.size(), at);
        compress(input, copy(RECORD_END, RECORD_END.length, at));
    }

    void add(byte[] record) {
        compress(record, record.length);
    }

    private void compress(byte[] record, int length) {
        if (zstd != null) {
            zstd.setLevel(quickly ? Compression.ZSTD_FAST_LEVEL : Compression.ZSTD_LEVEL);
            addFrame(zstd, record, length);
        } else if (deflaters != null) {
            addMember(deflaters.get(quickly), record, length);
        } else {
            append(record, length);
        }
    }

    private int copy(byte[] bytes, int length, int at) {
        System.arraycopy(bytes, 0, input, at, length);
        return at + length;
    }

    private void addPlain(byte[] head, byte[] blockHead, Body.InMemory body) {
        append(head, head.length);
        append(blockHead, blockHead.length);
        if (body.size() > 0) {
            if (bodyOffset != PreparedCapture.BODY_INCLUDED) {
                throw new IllegalStateException("only one record of a capture may have a body");
            }
            bodyOffset = outputLength;
            externalBodyBytes = body.size();
        }
        append(RECORD_END, RECORD_END.length);
    }

    private void append(byte[] bytes, int length) {
        ensureCapacity(length);
        System.arraycopy(bytes, 0, output, outputLength, length);
        outputLength += length;
    }

    private void ensureCapacity(int more) {
        if (output.length - outputLength < more) {
            output = Arrays.copyOf(output, Math.max(outputLength + more, output.length * 2));
        }
    }

    private void addFrame(ZstdCompressCtx context, byte[] record, int length) {
        ensureCapacity(Math.toIntExact(Zstd.compressBound(length)));
        outputLength +=
                context.compressByteArray(
                        output, outputLength, output.length - outputLength, record, 0, length);
    }

    private void addMember(Deflater to, byte[] record, int length) {
        append(GZIP_HEAD, GZIP_HEAD.length);
        to.reset();
        to.setInput(record, 0, length);
        to.finish();
        if (deflated.length < deflatedMax(length)) {
            deflated = new byte[deflatedMax(length)];
        }
        while (!to.finished()) { // One pass: ISA-L writes to the start of an array, and all of it.
            append(deflated, to.deflate(deflated, 0, deflated.length));
        }
        crc.reset();
        crc.update(record, 0, length);
        ensureCapacity(GZIP_TAIL);
        ByteBuffer.wrap(output, outputLength, GZIP_TAIL)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt((int) crc.getValue())
                .putInt(length);
        outputLength += GZIP_TAIL;
    }

    /** Returns how long the result is at most: blocks that are stored have heads. */
    private static int deflatedMax(int length) {
        return length + (length >> 6) + 1024;
    }

    void writeTo(WritableByteChannel out) throws IOException {
        var bytes = ByteBuffer.wrap(output, 0, outputLength);
        while (bytes.hasRemaining()) {
            var _ = out.write(bytes);
        }
    }

    byte[] bytes() {
        return Arrays.copyOf(output, outputLength);
    }

    @Override
    public Body records() {
        return new Body.InMemory(bytes(), outputLength);
    }

    @Override
    public int bodyOffset() {
        return bodyOffset;
    }

    @Override
    public void close() {
        if (deflaters != null) {
            deflaters.close();
        }
        if (zstd != null) {
            zstd.close();
        }
    }
}
