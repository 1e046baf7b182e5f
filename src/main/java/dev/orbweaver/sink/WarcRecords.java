package dev.orbweaver.sink;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.disk.SpillBuffer;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.sink.Originals.Original;

import org.netpreserve.jwarc.MediaType;
import org.netpreserve.jwarc.MessageVersion;
import org.netpreserve.jwarc.WarcCaptureRecord;
import org.netpreserve.jwarc.WarcDigest;
import org.netpreserve.jwarc.WarcMetadata;
import org.netpreserve.jwarc.WarcRecord;
import org.netpreserve.jwarc.WarcRequest;
import org.netpreserve.jwarc.WarcResource;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.WarcRevisit;
import org.netpreserve.jwarc.WarcTruncationReason;
import org.netpreserve.jwarc.Warcinfo;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Captures as WARC/1.1 records: a response, the request it answers, and what else is wanted.
 *
 * <p>jwarc makes the record headers. The block is written from where it lies: the head's bytes as
 * the server sent them, then the body with its chunks joined and its content coding kept. Joining
 * chunks makes one header untrue, so {@code Transfer-Encoding} is renamed {@code
 * X-Archive-Orig-Transfer-Encoding}, as web archives do; nothing else is touched.
 *
 * <p>Instead of the response there is a {@code revisit} record with the head alone where the
 * payload is in the archive already (WARC 1.1, 6.7.2), and where the server says 304 to a request
 * that had a condition (6.7.3). The records of a capture lie together and this one is the first of
 * them.
 */
final class WarcRecords {

    private static final byte[] RECORD_END = "\r\n\r\n".getBytes(US_ASCII);
    private static final String ORIGINAL = "X-Archive-Orig-";
    private static final Pattern TRANSFER_ENCODING =
            Pattern.compile("(?i)(?<=\\n)transfer-encoding:");
    private static final Pattern CONDITION =
            Pattern.compile("(?i)\\nif-(?:none-match|modified-since):");
    private static final int NOT_MODIFIED = 304;

    /** A revisit record's own head is about so long: below, nothing would be gained. */
    private static final int REVISIT_BYTES_MIN = 512;

    private final Compression compression;
    private final RecordOptions options;
    private final Path temporary;
    private final Optional<Originals> originals;
    private final Compressors compressors = new Compressors();
    private final Notes notes;

    /** Without knowledge of what is in the archive already. */
    WarcRecords(Compression compression, Path temporary) {
        this(compression, RecordOptions.DEFAULT, temporary, Optional.empty());
    }

    WarcRecords(
            Compression compression,
            RecordOptions options,
            Path temporary,
            Optional<Originals> originals) {
        this.compression = compression;
        this.options = options;
        this.temporary = temporary;
        this.originals = originals;
        this.notes = new Notes(options);
    }

    /** Builds the records of a capture. */
    Prepared prepare(Capture capture) throws IOException {
        if (capture.exchange().isEmpty()) {
            return new Prepared(capture, Body.EMPTY, "", 0);
        }
        var exchange = capture.exchange().get();
        var head = archiveHead(exchange);
        try (var out = new SpillBuffer(temporary)) {
            var digests = Digests.of(head, exchange.body(), options.blockDigests());
            var original = original(exchange, digests.payload());
            var first = first(exchange, head, digests, original);
            out.expect(roughly(exchange, head));
            write(first.record, first.block, out);
            var firstLength = out.length();
            write(request(exchange, first.record.id()), Block.of(exchange.requestHead()), out);
            for (var note : notes.of(capture, exchange)) {
                write(note(note, exchange, first.record.id()), Block.of(note.text()), out);
            }
            return new Prepared(
                    capture,
                    out.finish(),
                    digests.payload().prefixedBase32(),
                    firstLength,
                    original.map(Original::place).orElse(WarcPlace.NONE));
        }
    }

    /** Room for all where nothing is compressed. */
    private long roughly(Exchange exchange, byte[] head) {
        return compression == Compression.NONE
                ? 2048L + head.length + exchange.body().length() + exchange.requestHead().length
                : 0;
    }

    /** A record and what goes into it. */
    private record Made(WarcRecord record, Block block) {}

    private Made first(Exchange exchange, byte[] head, Digests digests, Optional<Original> original)
            throws IOException {
        if (original.isPresent()) {
            var same = original.get();
            return new Made(
                    revisit(exchange, head, WarcRevisit.IDENTICAL_PAYLOAD_DIGEST_1_1)
                            .refersTo(same.id(), same.target(), same.date())
                            .payloadDigest(digests.payload())
                            .build(),
                    Block.of(head));
        }
        if (isNotModified(exchange)) {
            return new Made(
                    revisit(exchange, head, WarcRevisit.SERVER_NOT_MODIFIED_1_1).build(),
                    Block.of(head));
        }
        return new Made(response(exchange, head, digests), new Block(head, exchange.body()));
    }

    /** Whether the server was asked for what is new, and said that nothing is. */
    private static boolean isNotModified(Exchange exchange) {
        return exchange.status() == NOT_MODIFIED
                && CONDITION.matcher(new String(exchange.requestHead(), ISO_8859_1)).find();
    }

    private Optional<Original> original(Exchange exchange, WarcDigest payload) {
        return exchange.truncated().isPresent() || exchange.body().length() < REVISIT_BYTES_MIN
                ? Optional.empty()
                : originals.flatMap(known -> known.find(payload));
    }

    /** Whether others may refer to this record's payload. */
    static boolean isOriginal(Prepared prepared) {
        return prepared.original().equals(WarcPlace.NONE)
                && prepared.capture()
                        .exchange()
                        .filter(e -> e.truncated().isEmpty())
                        .filter(e -> e.body().length() >= REVISIT_BYTES_MIN)
                        .isPresent();
    }

    /** The same of a capture that is in the page log. */
    static boolean isOriginal(PageEntry entry) {
        return !entry.warc().isEmpty()
                && entry.original().equals(WarcPlace.NONE)
                && entry.bytes() >= REVISIT_BYTES_MIN
                && entry.digest().startsWith("sha1:");
    }

    /** The record that begins every file: who crawled, how, and with what. */
    byte[] warcinfo(String fileName, Map<String, String> fields, Instant date) throws IOException {
        var text = new StringBuilder();
        new TreeMap<>(fields).forEach((name, value) -> text.append(name + ": " + value + "\r\n"));
        var block = text.toString().getBytes(UTF_8);
        var builder =
                new Warcinfo.Builder()
                        .version(MessageVersion.WARC_1_1)
                        .date(date)
                        .filename(fileName)
                        .body(MediaType.WARC_FIELDS, block);
        blockDigest(block).ifPresent(builder::blockDigest);
        try (var out = new SpillBuffer(temporary)) {
            write(builder.build(), Block.of(block), out);
            return switch (out.finish()) {
                case Body.InMemory(var bytes, var size) -> Arrays.copyOf(bytes, size);
                case Body.InFile _ ->
                        throw new IOException("the settings are too long for a warcinfo record");
            };
        }
    }

    private static WarcResponse response(Exchange exchange, byte[] head, Digests digests) {
        var builder =
                new WarcResponse.Builder(exchange.url().text())
                        .version(MessageVersion.WARC_1_1)
                        .recordId(UUID.randomUUID())
                        .date(exchange.timings().started())
                        .ipAddress(exchange.remote())
                        .payloadDigest(digests.payload())
                        .body(
                                MediaType.HTTP_RESPONSE,
                                nothing(),
                                head.length + exchange.body().length());
        digests.block().ifPresent(builder::blockDigest);
        exchange.truncated().ifPresent(why -> builder.truncated(reason(why)));
        return builder.build();
    }

    private static WarcTruncationReason reason(Exchange.Truncation why) {
        return switch (why) {
            case LENGTH -> WarcTruncationReason.LENGTH;
        };
    }

    private WarcRevisit.Builder revisit(Exchange exchange, byte[] head, URI profile)
            throws IOException {
        var builder =
                new WarcRevisit.Builder(exchange.url().text(), profile)
                        .version(MessageVersion.WARC_1_1)
                        .recordId(UUID.randomUUID())
                        .date(exchange.timings().started())
                        .ipAddress(exchange.remote())
                        .body(MediaType.HTTP_RESPONSE, nothing(), head.length);
        blockDigest(head).ifPresent(builder::blockDigest);
        return builder;
    }

    private WarcRequest request(Exchange exchange, URI response) {
        var builder =
                new WarcRequest.Builder(exchange.url().text())
                        .version(MessageVersion.WARC_1_1)
                        .recordId(UUID.randomUUID())
                        .date(exchange.timings().started())
                        .ipAddress(exchange.remote())
                        .concurrentTo(response)
                        .body(MediaType.HTTP_REQUEST, nothing(), exchange.requestHead().length);
        blockDigest(exchange.requestHead()).ifPresent(builder::blockDigest);
        return builder.build();
    }

    private WarcRecord note(Notes.Note note, Exchange exchange, URI response) {
        return switch (note) {
            case Notes.Outlinks(var text) ->
                    described(
                                    new WarcMetadata.Builder().targetURI(exchange.url().text()),
                                    exchange,
                                    text)
                            .concurrentTo(response)
                            .body(MediaType.WARC_FIELDS, nothing(), text.length)
                            .build();
            case Notes.Address(var host, var text) ->
                    described(new WarcResource.Builder(URI.create("dns:" + host)), exchange, text)
                            .body(MediaType.parse("text/dns"), nothing(), text.length)
                            .build();
        };
    }

    private <R extends WarcCaptureRecord, B extends WarcCaptureRecord.AbstractBuilder<R, B>>
            B described(B builder, Exchange exchange, byte[] text) {
        blockDigest(text).ifPresent(builder::blockDigest);
        return builder.version(MessageVersion.WARC_1_1)
                .recordId(UUID.randomUUID())
                .date(exchange.timings().started());
    }

    private Optional<WarcDigest> blockDigest(byte[] block) {
        return options.blockDigests() ? Optional.of(Digests.sha1(block)) : Optional.empty();
    }

    /** jwarc wants a body to know its length; the bytes themselves are written past it. */
    private static ReadableByteChannel nothing() {
        return Channels.newChannel(new ByteArrayInputStream(new byte[0]));
    }

    /** What a record holds: bytes, then a body. */
    @SuppressWarnings("ArrayRecordComponent") // Blocks are never compared.
    private record Block(byte[] head, Body body) {
        static Block of(byte[] bytes) {
            return new Block(bytes, Body.EMPTY);
        }
    }

    private void write(WarcRecord record, Block block, OutputStream to) throws IOException {
        try (var out = compression.record(to, compressors)) {
            var header = record.serializeHeader();
            out.write(header, 0, header.length);
            out.write(block.head, 0, block.head.length);
            Digests.copy(block.body, out);
            out.write(RECORD_END, 0, RECORD_END.length);
        }
    }

    /** The head as sent, but for the one header that joining the chunks made untrue. */
    static byte[] archiveHead(Exchange exchange) {
        var head = exchange.head();
        if (head.fields("transfer-encoding").isEmpty()) {
            return head.raw();
        }
        var text = new String(head.raw(), ISO_8859_1);
        return TRANSFER_ENCODING.matcher(text).replaceAll(ORIGINAL + "$0").getBytes(ISO_8859_1);
    }

    void close() {
        compressors.close();
        originals.ifPresent(Originals::close);
    }
}
