package dev.orbweaver.internal.sink;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;

import dev.orbweaver.internal.disk.CheckedReader;
import dev.orbweaver.model.TextScan;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Reads a WARC file and verifies compression, lengths and digests of each record. */
final class RecordReader implements Closeable {

    private static final int HEAD_MAX = 1 << 20;
    private static final int GZIP_HEAD = 10;
    private static final int PLAIN = 64 << 10;

    private final CheckedReader in;
    private final Compression compression;
    private final Inflater inflater = new Inflater(true);
    private final ZstdDecompressCtx zstd = new ZstdDecompressCtx();
    private final CRC32 crc = new CRC32();
    private final Sha1 sha1 = new Sha1();

    /** Uncompressed bytes that are not consumed yet. */
    private final ByteBuffer plain = ByteBuffer.allocateDirect(PLAIN).limit(0);

    private boolean recordEnded;

    RecordReader(CheckedReader in, Compression compression) {
        this.in = in;
        this.compression = compression;
    }

    /**
     * @param length as stored
     * @param fields of its head, names in lower case
     * @param payloadBytes of a response: the length of its body
     * @param payloadDigest of a response: computed from its body; otherwise the value in its head
     */
    record VerifiedRecord(
            long offset,
            long length,
            Map<String, String> fields,
            long payloadBytes,
            String payloadDigest) {

        String type() {
            return fields.getOrDefault("warc-type", "");
        }

        String url() {
            return fields.getOrDefault("warc-target-uri", "");
        }
    }

    static final class DamagedRecordException extends IOException {
        private static final long serialVersionUID = 1;

        DamagedRecordException(String message) {
            super(message);
        }
    }

    /** Reads the record at the current position. */
    VerifiedRecord next() throws IOException {
        var offset = in.position();
        beginRecord();
        var fields = head();
        var length = length(fields);
        var response = "response".equals(fields.get("warc-type"));
        var payloadBytes = digestBlock(length, response);
        var digest = checkDigests(fields, response);
        endRecord();
        return new VerifiedRecord(offset, in.position() - offset, fields, payloadBytes, digest);
    }

    private void beginRecord() throws IOException {
        plain.clear().limit(0);
        recordEnded = false;
        if (compression == Compression.GZIP) {
            inflater.reset();
            crc.reset();
            var head = new int[GZIP_HEAD];
            for (var i = 0; i < GZIP_HEAD; i++) {
                head[i] = in.read();
            }
            if (head[0] != 0x1f || head[1] != 0x8b || head[2] != 8 || head[3] != 0) {
                throw new DamagedRecordException("no gzip member begins here");
            }
        } else if (compression == Compression.ZSTD) {
            zstd.reset();
        }
    }

    private Map<String, String> head() throws IOException {
        var left = HEAD_MAX;
        var first = line(left);
        if (!first.startsWith("WARC/1.")) {
            throw new DamagedRecordException("no WARC record begins here");
        }
        var fields = new HashMap<String, String>();
        for (var line = line(left); !line.isEmpty(); line = line(left)) {
            left -= line.length();
            var colon = line.indexOf(':');
            if (colon <= 0) {
                throw new DamagedRecordException("the record's head has a line without a name");
            }
            fields.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return fields;
    }

    private String line(int max) throws IOException {
        var line = new ByteArrayOutputStream();
        for (var next = read(); next != '\n'; next = read()) {
            if (next < 0 || line.size() > max) {
                throw new DamagedRecordException("the record's head has no end");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8).stripTrailing();
    }

    private static long length(Map<String, String> fields) throws IOException {
        var length = fields.getOrDefault("content-length", "");
        if (!TextScan.isNumber(length, 18)) {
            throw new DamagedRecordException("the record has no Content-Length");
        }
        return Long.parseLong(length);
    }

    /** Reads the block into the digests; returns the length of a response's payload. */
    private long digestBlock(long length, boolean response) throws IOException {
        sha1.block.reset();
        sha1.payload.reset();
        var headEndFinder = new HeadEndFinder();
        var payload = 0L;
        for (var left = length; left > 0; ) {
            var bytes = available();
            if (!bytes.hasRemaining()) {
                throw new DamagedRecordException("the record is shorter than its Content-Length");
            }
            var part = bytes.slice(bytes.position(), (int) Math.min(bytes.remaining(), left));
            bytes.position(bytes.position() + part.remaining());
            left -= part.remaining();
            sha1.block.update(part.duplicate());
            if (response) {
                headEndFinder.skip(part);
                payload += part.remaining();
                sha1.payload.update(part);
            }
        }
        return payload;
    }

    /** Finds the empty line that ends the head of a stored response, as its readers do. */
    private static final class HeadEndFinder {

        private long seen;
        private int last;
        private int beforeLast;
        private boolean found;

        void skip(ByteBuffer part) {
            while (!found && part.hasRemaining()) {
                var next = part.get();
                found =
                        seen++ >= 3
                                && next == '\n'
                                && (last == '\n' || (last == '\r' && beforeLast == '\n'));
                beforeLast = last;
                last = next;
            }
        }
    }

    private String checkDigests(Map<String, String> fields, boolean response) throws IOException {
        var block = fields.get("warc-block-digest");
        if (block != null && !block.equals(Sha1.format(sha1.block.digest()))) {
            throw new DamagedRecordException("the record does not match its block digest");
        }
        var said = fields.getOrDefault("warc-payload-digest", "");
        if (!response) {
            return said;
        }
        var computed = Sha1.format(sha1.payload.digest());
        if (!said.isEmpty() && !said.equals(computed)) {
            throw new DamagedRecordException("the record does not match its payload digest");
        }
        return computed;
    }

    private void endRecord() throws IOException {
        for (var expected : new int[] {'\r', '\n', '\r', '\n'}) {
            if (read() != expected) {
                throw new DamagedRecordException("the record does not end in two empty lines");
            }
        }
        if (compression != Compression.NONE && available().hasRemaining()) {
            throw new DamagedRecordException("the record is longer than its Content-Length");
        }
    }

    private int read() throws IOException {
        var bytes = available();
        return bytes.hasRemaining() ? bytes.get() & 0xFF : -1;
    }

    /** Returns the next uncompressed bytes of the record; empty at its end. */
    private ByteBuffer available() throws IOException {
        if (compression == Compression.NONE) {
            return in.bytes();
        }
        while (!plain.hasRemaining() && !recordEnded) {
            plain.clear();
            if (compression == Compression.GZIP) {
                inflate();
            } else {
                decompress();
            }
        }
        return plain;
    }

    private void inflate() throws IOException {
        var from = in.bytes();
        if (!from.hasRemaining()) {
            throw new DamagedRecordException("the gzip member is truncated");
        }
        try {
            inflater.setInput(from);
            var _ = inflater.inflate(plain);
        } catch (DataFormatException e) {
            throw new DamagedRecordException("the gzip member is damaged");
        }
        plain.flip();
        crc.update(plain.duplicate());
        if (inflater.finished()) {
            recordEnded = true;
            if (readLittleEndianInt() != crc.getValue()
                    || readLittleEndianInt() != (inflater.getBytesWritten() & 0xFFFF_FFFFL)) {
                throw new DamagedRecordException("the gzip member does not match its checksum");
            }
        } else if (inflater.needsDictionary()) {
            throw new DamagedRecordException("the gzip member is damaged");
        }
    }

    private long readLittleEndianInt() throws IOException {
        var value = 0L;
        for (var shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            value |= (long) (in.read() & 0xFF) << shift;
        }
        return value;
    }

    private void decompress() throws IOException {
        var from = in.bytes();
        if (!from.hasRemaining()) {
            throw new DamagedRecordException("the zstd frame is truncated");
        }
        try {
            recordEnded = zstd.decompressDirectByteBufferStream(plain, from);
        } catch (ZstdException e) {
            throw new DamagedRecordException("the zstd frame is damaged");
        }
        plain.flip();
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        zstd.close();
        in.close();
    }
}
