package dev.orbweaver.internal.sink;

import org.netpreserve.jwarc.MediaType;
import org.netpreserve.jwarc.MessageVersion;
import org.netpreserve.jwarc.WarcDigest;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.WarcRevisit;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/**
 * Copies captures from the WARC files of a crawl into others, byte for byte. A revisit record whose
 * original is not copied would refer to nothing: it can be expanded into the response that it
 * represents, with its own head, identity and date and the payload of the original.
 */
public final class RecordCopier implements AutoCloseable {

    private final Path directory;
    private final CaptureReader captures;
    private final Map<Compression, RecordEncoder> recordEncoders = new EnumMap<>(Compression.class);

    public RecordCopier(Path directory) {
        this.directory = directory;
        this.captures = new CaptureReader(directory);
    }

    /** Copies bytes of a WARC file; {@code to} is exclusive. */
    public void copy(String warc, long from, long to, WritableByteChannel out) throws IOException {
        try (var in = WarcFiles.open(directory, warc)) {
            transfer(in, from, to, out, warc);
        }
    }

    private static void transfer(
            FileChannel in, long from, long to, WritableByteChannel out, String name)
            throws IOException {
        for (var at = from; at < to; ) {
            var moved = in.transferTo(at, to - at, out);
            if (moved <= 0) {
                throw new IOException(name + " ends before a record of the page log");
            }
            at += moved;
        }
    }

    /**
     * Writes the response that a revisit represents, compressed like the revisit's file.
     *
     * @return its length
     */
    public long expandRevisit(WarcLocation revisit, WarcLocation original, WritableByteChannel out)
            throws IOException {
        var recordEncoder =
                recordEncoders.computeIfAbsent(Compression.of(revisit.warc()), RecordEncoder::new);
        recordEncoder.reset(false);
        recordEncoder.add(expandedRevisit(revisit, original));
        recordEncoder.writeTo(out);
        return recordEncoder.length();
    }

    /** Returns the response that a revisit represents, uncompressed. */
    public byte[] expandedRevisit(WarcLocation revisit, WarcLocation original) throws IOException {
        try (var in = captures.openDecompressed(revisit);
                var reader = new WarcReader(in)) {
            if (!(reader.next().orElse(null) instanceof WarcRevisit record)) {
                throw new IOException(
                        "no revisit record at offset "
                                + revisit.offset()
                                + " of "
                                + revisit.warc());
            }
            var block = new ByteArrayOutputStream();
            block.writeBytes(record.body().stream().readAllBytes());
            block.writeBytes(
                    captures.body(
                            original,
                            record.headers().first(ResponseStream.PAYLOAD_DIGEST).orElse("")));
            var builder =
                    new WarcResponse.Builder(record.target())
                            .version(MessageVersion.WARC_1_1)
                            .recordId(record.id())
                            .date(record.date())
                            .body(
                                    MediaType.HTTP_RESPONSE,
                                    Channels.newChannel(new ByteArrayInputStream(new byte[0])),
                                    block.size());
            record.ipAddress().ifPresent(builder::ipAddress);
            record.payloadDigest().ifPresent(builder::payloadDigest);
            record.blockDigest().ifPresent(_ -> builder.blockDigest(sha1(block.toByteArray())));
            var whole = new ByteArrayOutputStream();
            whole.writeBytes(builder.build().serializeHeader());
            block.writeTo(whole);
            whole.writeBytes("\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return whole.toByteArray();
        }
    }

    @Override
    public void close() {
        recordEncoders.values().forEach(RecordEncoder::close);
    }

    private static WarcDigest sha1(byte[] block) {
        return new WarcDigest("sha1", Sha1.newDigest().digest(block));
    }
}
