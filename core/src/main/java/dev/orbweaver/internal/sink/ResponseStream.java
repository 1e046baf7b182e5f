package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.BoundedStream;
import dev.orbweaver.model.ResponseHead;

import org.netpreserve.jwarc.WarcReader;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A stored response that is read as a stream: its head, then its body, still in its content coding.
 * Memory does not grow with the body.
 */
public final class ResponseStream implements Closeable {

    /** The field of a record whose body was cut at {@code max-body} (WARC 1.1, 5.13). */
    static final String TRUNCATED = "WARC-Truncated";

    static final String PAYLOAD_DIGEST = "WARC-Payload-Digest";

    /** More than any head that the fetcher accepts by default. */
    private static final int HEAD_BYTES_MAX = 16 << 20;

    private final WarcReader reader;
    private final ResponseHead head;
    private final InputStream body;
    private final boolean truncated;
    private final Optional<String> payloadDigest;

    private ResponseStream(
            WarcReader reader,
            ResponseHead head,
            InputStream body,
            boolean truncated,
            Optional<String> payloadDigest) {
        this.reader = reader;
        this.head = head;
        this.body = body;
        this.truncated = truncated;
        this.payloadDigest = payloadDigest;
    }

    static ResponseStream open(Path directory, WarcLocation place, int status) throws IOException {
        var found = OtherRecords.find(directory, place);
        var location = found.location();
        var file = WarcFiles.open(found.directory(), location.warc()).position(location.offset());
        WarcReader reader = null;
        try {
            var record = new BoundedStream(Channels.newInputStream(file), location.length());
            reader =
                    new WarcReader(
                            Compression.of(location.warc())
                                    .decompress(new BufferedInputStream(record)));
            var next = reader.next();
            if (next.isEmpty()) {
                throw new IOException(
                        "no record at offset %d of %s"
                                .formatted(location.offset(), location.warc()));
            }
            var block = next.get().body().stream();
            return new ResponseStream(
                    reader,
                    new ResponseHead(readHead(block), status),
                    block,
                    next.get().headers().first(TRUNCATED).isPresent(),
                    next.get().headers().first(PAYLOAD_DIGEST));
        } catch (IOException | RuntimeException e) {
            if (reader != null) {
                reader.close();
            }
            file.close();
            throw e;
        }
    }

    /** Returns the status line and header fields. */
    public ResponseHead head() {
        return head;
    }

    /** Returns the body as it was transferred. */
    public InputStream body() {
        return body;
    }

    /** Returns whether the body was cut at {@code max-body}. */
    public boolean isTruncated() {
        return truncated;
    }

    ResponseStream withHead(ResponseHead other) {
        return new ResponseStream(reader, other, body, truncated, payloadDigest);
    }

    /** Rejects a record of another crawl that is not the one that a revisit refers to. */
    static void requirePayload(Optional<String> payloadDigest, String wanted, WarcLocation place)
            throws IOException {
        if (place.isElsewhere() && !payloadDigest.equals(Optional.of(wanted))) {
            throw new IOException(
                    "%s has another payload than a revisit of this crawl refers to: put back what was there"
                            .formatted(place.describe()));
        }
    }

    void requirePayload(String wanted, WarcLocation place) throws IOException {
        requirePayload(payloadDigest, wanted, place);
    }

    static byte[] readHead(InputStream block) throws IOException {
        var head = new ByteArrayOutputStream();
        var lineBytes = 0;
        for (var next = block.read(); next >= 0; next = block.read()) {
            head.write(next);
            if (next == '\n') {
                if (lineBytes == 0) {
                    return head.toByteArray();
                }
                lineBytes = 0;
            } else if (next != '\r') {
                lineBytes++;
            }
            if (head.size() > HEAD_BYTES_MAX) {
                break;
            }
        }
        throw new IOException("a stored response has no end of its header fields");
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
