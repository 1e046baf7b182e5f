package dev.orbweaver.sink;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.disk.SpillBuffer;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.sink.Originals.Original;

import org.netpreserve.jwarc.WarcDigest;
import org.netpreserve.jwarc.WarcRevisit;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Captures as WARC/1.1 records: a response, the request it answers, and what else is wanted.
 *
 * <p>The block is written from where it lies: the head's bytes as the server sent them, then the
 * body with its chunks joined and its content coding kept. Joining chunks makes one header untrue,
 * so {@code Transfer-Encoding} is renamed {@code X-Archive-Orig-Transfer-Encoding}, as web archives
 * do; nothing else is touched.
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
    private static final long HEADS_ROUGHLY = 1536;
    private static final String RESPONSE_TYPE = "application/http;msgtype=response";
    private static final String PROFILE = "WARC-Profile";
    private static final String SAME_PAYLOAD = WarcRevisit.IDENTICAL_PAYLOAD_DIGEST_1_1.toString();
    private static final String NOTHING_NEW = WarcRevisit.SERVER_NOT_MODIFIED_1_1.toString();

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
            if (compression == Compression.NONE) {
                out.reserve(roughly(exchange, head));
            }
            var id = writeFirst(exchange, head, digests, original, out);
            var firstLength = out.length();
            writeRequest(exchange, id, out);
            for (var note : notes.of(capture, exchange)) {
                writeNote(note, exchange, id, out);
            }
            return new Prepared(
                    capture,
                    out.finish(),
                    digests.payload().prefixedBase32(),
                    firstLength,
                    original.map(Original::place).orElse(WarcPlace.NONE));
        }
    }

    /** About as much as the records take when they are not compressed. */
    private static long roughly(Exchange exchange, byte[] head) {
        return HEADS_ROUGHLY
                + head.length
                + exchange.body().length()
                + exchange.requestHead().length;
    }

    /** Writes the response, or the revisit that stands for it; the name of the record. */
    private URI writeFirst(
            Exchange exchange,
            byte[] head,
            Digests digests,
            Optional<Original> original,
            OutputStream out)
            throws IOException {
        var started = exchange.timings().started();
        if (original.isPresent() || isNotModified(exchange)) {
            var revisit =
                    RecordHead.of("revisit", started)
                            .target(exchange.url().text())
                            .address(exchange.remote());
            original.ifPresentOrElse(
                    same ->
                            revisit.field(PROFILE, SAME_PAYLOAD)
                                    .reference("WARC-Refers-To", same.id())
                                    .field("WARC-Refers-To-Target-URI", same.target())
                                    .field("WARC-Refers-To-Date", same.date().toString())
                                    .payload(digests.payload()),
                    () -> revisit.field(PROFILE, NOTHING_NEW));
            revisit.block(blockDigest(head));
            write(revisit.end(RESPONSE_TYPE, head.length), Block.of(head), out);
            return revisit.id();
        }
        var response =
                RecordHead.of("response", started)
                        .target(exchange.url().text())
                        .address(exchange.remote())
                        .payload(digests.payload())
                        .block(digests.block());
        exchange.truncated().ifPresent(why -> response.field("WARC-Truncated", reason(why)));
        var length = head.length + exchange.body().length();
        write(response.end(RESPONSE_TYPE, length), new Block(head, exchange.body()), out);
        return response.id();
    }

    private void writeRequest(Exchange exchange, URI response, OutputStream out)
            throws IOException {
        var request = exchange.requestHead();
        var head =
                RecordHead.of("request", exchange.timings().started())
                        .target(exchange.url().text())
                        .address(exchange.remote())
                        .reference("WARC-Concurrent-To", response)
                        .block(blockDigest(request));
        write(head.end("application/http;msgtype=request", request.length), Block.of(request), out);
    }

    private void writeNote(Notes.Note note, Exchange exchange, URI response, OutputStream out)
            throws IOException {
        var started = exchange.timings().started();
        var text = note.text();
        var head =
                switch (note) {
                    case Notes.Outlinks _ ->
                            RecordHead.of("metadata", started)
                                    .target(exchange.url().text())
                                    .reference("WARC-Concurrent-To", response)
                                    .block(blockDigest(text))
                                    .end("application/warc-fields", text.length);
                    case Notes.Address(var host, _) ->
                            RecordHead.of("resource", started)
                                    .target("dns:" + host)
                                    .block(blockDigest(text))
                                    .end("text/dns", text.length);
                };
        write(head, Block.of(text), out);
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
        var head =
                RecordHead.of("warcinfo", date)
                        .field("WARC-Filename", fileName)
                        .block(blockDigest(block))
                        .end("application/warc-fields", block.length);
        try (var out = new SpillBuffer(temporary)) {
            write(head, Block.of(block), out);
            return switch (out.finish()) {
                case Body.InMemory(var bytes, var size) -> Arrays.copyOf(bytes, size);
                case Body.InFile _ ->
                        throw new IOException("the settings are too long for a warcinfo record");
            };
        }
    }

    private static String reason(Exchange.Truncation why) {
        return switch (why) {
            case LENGTH -> "length";
        };
    }

    private Optional<WarcDigest> blockDigest(byte[] block) {
        return options.blockDigests() ? Optional.of(Digests.sha1(block)) : Optional.empty();
    }

    /** What a record holds: bytes, then a body. */
    @SuppressWarnings("ArrayRecordComponent") // Blocks are never compared.
    private record Block(byte[] head, Body body) {
        static Block of(byte[] bytes) {
            return new Block(bytes, Body.EMPTY);
        }
    }

    private void write(byte[] head, Block block, OutputStream to) throws IOException {
        try (var out = compression.record(to, compressors)) {
            out.write(head, 0, head.length);
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
