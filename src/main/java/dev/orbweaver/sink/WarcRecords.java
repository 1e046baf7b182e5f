package dev.orbweaver.sink;

import dev.orbweaver.disk.SpillBuffer;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Exchange;

import org.netpreserve.jwarc.MediaType;
import org.netpreserve.jwarc.MessageVersion;
import org.netpreserve.jwarc.WarcDigest;
import org.netpreserve.jwarc.WarcRecord;
import org.netpreserve.jwarc.WarcRequest;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.WarcTruncationReason;
import org.netpreserve.jwarc.Warcinfo;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Captures as WARC/1.1 records: a response and the request it answers, concurrent to each other.
 *
 * <p>jwarc makes the record headers. The block is written from where it lies: the head's bytes as
 * the server sent them, then the body with its chunks joined and its content coding kept. Joining
 * chunks makes one header untrue, so {@code Transfer-Encoding} is renamed {@code
 * X-Archive-Orig-Transfer-Encoding}, as web archives do; nothing else is touched.
 */
final class WarcRecords {

    private static final byte[] RECORD_END = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final String ORIGINAL = "X-Archive-Orig-";
    private static final Pattern TRANSFER_ENCODING =
            Pattern.compile("(?i)(?<=\\n)transfer-encoding:");
    private static final int COPY_BUFFER = 64 << 10;

    private final Compression compression;
    private final Path temporary;
    private final DeflaterPool deflaters = new DeflaterPool();

    WarcRecords(Compression compression, Path temporary) {
        this.compression = compression;
        this.temporary = temporary;
    }

    /** Builds the records of a capture. */
    Prepared prepare(Capture capture) throws IOException {
        if (capture.exchange().isEmpty()) {
            return new Prepared(capture, Body.EMPTY, "", 0);
        }
        var exchange = capture.exchange().get();
        try (var out = new SpillBuffer(temporary)) {
            var digest = payloadDigest(exchange.body());
            var response = response(exchange, digest);
            write(response, archiveHead(exchange), exchange.body(), out);
            var responseLength = out.length();
            write(request(exchange, response), exchange.requestHead(), Body.EMPTY, out);
            return new Prepared(capture, out.finish(), digest.prefixedBase32(), responseLength);
        }
    }

    /** The record that begins every file: who crawled, how, and with what. */
    byte[] warcinfo(String fileName, Map<String, String> fields, Instant date) throws IOException {
        var text = new StringBuilder();
        new TreeMap<>(fields).forEach((name, value) -> text.append(name + ": " + value + "\r\n"));
        var block = text.toString().getBytes(StandardCharsets.UTF_8);
        var info =
                new Warcinfo.Builder()
                        .version(MessageVersion.WARC_1_1)
                        .date(date)
                        .filename(fileName)
                        .body(MediaType.WARC_FIELDS, block)
                        .build();
        try (var out = new SpillBuffer(temporary)) {
            write(info, block, Body.EMPTY, out);
            return switch (out.finish()) {
                case Body.InMemory(var bytes, var size) -> Arrays.copyOf(bytes, size);
                case Body.InFile _ ->
                        throw new IOException("the settings are too long for a warcinfo record");
            };
        }
    }

    private static WarcResponse response(Exchange exchange, WarcDigest digest) {
        var head = archiveHead(exchange);
        var builder =
                new WarcResponse.Builder(exchange.url().text())
                        .version(MessageVersion.WARC_1_1)
                        .recordId(UUID.randomUUID())
                        .date(exchange.timings().started())
                        .ipAddress(exchange.remote())
                        .payloadDigest(digest)
                        .body(
                                MediaType.HTTP_RESPONSE,
                                nothing(),
                                head.length + exchange.body().length());
        exchange.truncated().ifPresent(_ -> builder.truncated(WarcTruncationReason.LENGTH));
        return builder.build();
    }

    private static WarcRequest request(Exchange exchange, WarcResponse response) {
        return new WarcRequest.Builder(exchange.url().text())
                .version(MessageVersion.WARC_1_1)
                .recordId(UUID.randomUUID())
                .date(exchange.timings().started())
                .ipAddress(exchange.remote())
                .concurrentTo(response.id())
                .body(MediaType.HTTP_REQUEST, nothing(), exchange.requestHead().length)
                .build();
    }

    /** jwarc wants a body to know its length; the bytes themselves are written past it. */
    private static ReadableByteChannel nothing() {
        return Channels.newChannel(new ByteArrayInputStream(new byte[0]));
    }

    private void write(WarcRecord record, byte[] head, Body body, OutputStream to)
            throws IOException {
        try (var out = compression.record(to, deflaters)) {
            var header = record.serializeHeader();
            out.write(header, 0, header.length);
            out.write(head, 0, head.length);
            copy(body, out);
            out.write(RECORD_END, 0, RECORD_END.length);
        }
    }

    private static void copy(Body body, OutputStream out) throws IOException {
        switch (body) {
            case Body.InMemory(var bytes, var size) -> out.write(bytes, 0, size);
            case Body.InFile(var file, _) -> {
                try (var in = Files.newInputStream(file)) {
                    var buffer = new byte[COPY_BUFFER];
                    for (var n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                        out.write(buffer, 0, n);
                    }
                }
            }
        }
    }

    private static WarcDigest payloadDigest(Body body) throws IOException {
        var sha1 = sha1();
        switch (body) {
            case Body.InMemory(var bytes, var size) -> sha1.update(bytes, 0, size);
            case Body.InFile _ ->
                    copy(body, new DigestOutputStream(OutputStream.nullOutputStream(), sha1));
        }
        return new WarcDigest("sha1", sha1.digest());
    }

    private static MessageDigest sha1() {
        try {
            return MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-1", e);
        }
    }

    /** The head as sent, but for the one header that joining the chunks made untrue. */
    static byte[] archiveHead(Exchange exchange) {
        var head = exchange.head();
        if (head.fields("transfer-encoding").isEmpty()) {
            return head.raw();
        }
        var text = new String(head.raw(), StandardCharsets.ISO_8859_1);
        return TRANSFER_ENCODING
                .matcher(text)
                .replaceAll(ORIGINAL + "$0")
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    void close() {
        deflaters.close();
    }
}
