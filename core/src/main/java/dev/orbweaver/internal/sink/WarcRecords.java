package dev.orbweaver.internal.sink;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.SpillBuffer;
import dev.orbweaver.internal.sink.RevisitLookup.Original;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Exchange;

import org.netpreserve.jwarc.WarcRevisit;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Converts captures to WARC/1.1 records: a response, its request, and optional ones.
 *
 * <p>The block is written without a copy: the head's bytes as the server sent them, then the body
 * with its chunks joined and its content coding kept. Joining chunks makes one header wrong, so
 * {@code Transfer-Encoding} is renamed {@code X-Archive-Orig-Transfer-Encoding}, as web archives
 * do; nothing else is changed. HTTP/2 has no text form, so its heads are written as HTTP/1.1 ones,
 * with {@code WARC-Protocol: h2} in the record's header, as the IIPC's proposal 42 defines it.
 *
 * <p>A {@code revisit} record with the head alone replaces the response if the payload is already
 * archived (WARC 1.1, 6.7.2), and if the server responds with 304 to a conditional request (6.7.3).
 * The records of a capture are adjacent and this one is the first of them.
 */
final class WarcRecords {

    private static final String ORIGINAL = "X-Archive-Orig-";
    private static final String TRANSFER_ENCODING = "\ntransfer-encoding:";
    private static final Pattern CONDITION =
            Pattern.compile("(?i)\\nif-(?:none-match|modified-since):");
    private static final int NOT_MODIFIED = 304;
    private static final String RESPONSE_TYPE = "application/http;msgtype=response";
    private static final String PROFILE = "WARC-Profile";
    private static final String IDENTICAL_PAYLOAD_PROFILE =
            WarcRevisit.IDENTICAL_PAYLOAD_DIGEST_1_1.toString();
    private static final String NOT_MODIFIED_PROFILE =
            WarcRevisit.SERVER_NOT_MODIFIED_1_1.toString();

    /**
     * Minimum payload for a revisit record: its own head is about this long, so a smaller one saves
     * nothing.
     */
    static final int REVISIT_BYTES_MIN = 512;

    private final Compression compression;
    private final RecordOptions options;
    private final Path tempDirectory;
    private final Optional<RevisitLookup> revisitLookup;
    private final RecordEncoderPool recordEncoderPool;
    private final ExtraRecords extraRecords;

    WarcRecords(Compression compression, Path temporary) {
        this(compression, RecordOptions.DEFAULT, temporary, Optional.empty());
    }

    WarcRecords(
            Compression compression,
            RecordOptions options,
            Path temporary,
            Optional<RevisitLookup> revisitLookup) {
        this.compression = compression;
        this.options = options;
        this.tempDirectory = temporary;
        this.revisitLookup = revisitLookup;
        this.recordEncoderPool = new RecordEncoderPool(compression);
        this.extraRecords = new ExtraRecords(options);
    }

    /**
     * The last visit of a document that has not changed since.
     *
     * @param original the record that has its payload
     */
    record Unchanged(PageLogEntry last, Original original) {}

    PreparedCapture prepare(Capture capture) throws IOException {
        return prepare(capture, Optional.empty());
    }

    PreparedCapture prepare(Capture capture, Optional<Unchanged> unchanged) throws IOException {
        if (capture.exchange().isEmpty()) {
            return new PreparedCapture(capture, Body.EMPTY, "", 0);
        }
        var exchange = capture.exchange().get();
        var besides = extraRecords.of(capture, exchange);
        var recordEncoder = recordEncoderPool.acquire();
        try {
            if (isSmall(exchange, besides)) {
                return prepare(capture, unchanged, exchange, besides, recordEncoder, recordEncoder);
            }
            try (var large = new SpilledRecords(compression, tempDirectory)) {
                return prepare(capture, unchanged, exchange, besides, recordEncoder, large);
            }
        } finally {
            recordEncoderPool.release(recordEncoder);
        }
    }

    /**
     * Returns whether the records are encoded in memory. A large body is not compressed there,
     * because the encoder would keep a buffer of its size.
     */
    private boolean isSmall(Exchange exchange, List<ExtraRecords.ExtraRecord> besides) {
        var noted = besides.stream().mapToLong(extraRecord -> extraRecord.text().length).sum();
        var fits =
                compression == Compression.NONE
                        || exchange.body().length() <= SpillBuffer.MEMORY_MAX;
        return exchange.body() instanceof Body.InMemory && fits && noted <= SpillBuffer.MEMORY_MAX;
    }

    private PreparedCapture prepare(
            Capture capture,
            Optional<Unchanged> unchanged,
            Exchange exchange,
            List<ExtraRecords.ExtraRecord> besides,
            RecordEncoder recordEncoder,
            RecordOutput out)
            throws IOException {
        var head = archiveHead(exchange);
        var responseDigests =
                ResponseDigests.of(
                        recordEncoder.sha1, head, exchange.body(), options.blockDigests());
        var original =
                unchanged.map(Unchanged::original).or(() -> original(exchange, responseDigests));
        var captureFields =
                new CaptureFields(
                        recordEncoder.ids.next(), IsoTime.of(exchange.timings().started()));
        var payloadDigest =
                unchanged.map(it -> it.last().digest()).orElse(responseDigests.payload());
        writeResponseOrRevisit(
                exchange, head, responseDigests, payloadDigest, original, captureFields, out);
        var firstLength = out.length();
        writeRequest(exchange, captureFields, recordEncoder.ids, out);
        for (var extraRecord : besides) {
            writeExtraRecord(extraRecord, exchange, captureFields, recordEncoder.ids, out);
        }
        return new PreparedCapture(
                capture,
                out.records(),
                out.bodyOffset(),
                payloadDigest,
                firstLength,
                original.map(Original::location).orElse(WarcLocation.NONE),
                unchanged.map(Unchanged::last));
    }

    /**
     * @param firstRecordId the ID of the first record
     */
    private record CaptureFields(String firstRecordId, String date) {}

    private void writeResponseOrRevisit(
            Exchange exchange,
            byte[] head,
            ResponseDigests responseDigests,
            String payloadDigest,
            Optional<Original> original,
            CaptureFields captureFields,
            RecordOutput out)
            throws IOException {
        if (original.isPresent() || isNotModified(exchange)) {
            var revisit =
                    WarcRecordHeader.of("revisit", captureFields.firstRecordId, captureFields.date)
                            .target(exchange.url().text())
                            .address(exchange.remote())
                            .protocol(exchange.httpVersion());
            revisit.field(
                    PROFILE,
                    isNotModified(exchange) ? NOT_MODIFIED_PROFILE : IDENTICAL_PAYLOAD_PROFILE);
            original.ifPresent(
                    same ->
                            revisit.reference("WARC-Refers-To", same.id().toString())
                                    .field("WARC-Refers-To-Target-URI", same.target())
                                    .field("WARC-Refers-To-Date", same.date().toString()));
            original.ifPresent(_ -> revisit.payload(payloadDigest));
            revisit.block(blockDigest(head));
            out.add(revisit.toBytes(RESPONSE_TYPE, head.length), head, Body.EMPTY);
            return;
        }
        var response =
                WarcRecordHeader.of("response", captureFields.firstRecordId, captureFields.date)
                        .target(exchange.url().text())
                        .address(exchange.remote())
                        .protocol(exchange.httpVersion())
                        .payload(responseDigests.payload())
                        .block(responseDigests.block());
        exchange.truncated().ifPresent(why -> response.field("WARC-Truncated", reason(why)));
        var length = head.length + exchange.body().length();
        out.add(response.toBytes(RESPONSE_TYPE, length), head, exchange.body());
    }

    private void writeRequest(
            Exchange exchange, CaptureFields captureFields, RecordIds ids, RecordOutput out)
            throws IOException {
        var request = exchange.requestHead();
        var head =
                WarcRecordHeader.of("request", ids.next(), captureFields.date)
                        .target(exchange.url().text())
                        .address(exchange.remote())
                        .protocol(exchange.httpVersion())
                        .reference("WARC-Concurrent-To", captureFields.firstRecordId)
                        .block(blockDigest(request));
        out.add(
                head.toBytes("application/http;msgtype=request", request.length),
                request,
                Body.EMPTY);
    }

    private void writeExtraRecord(
            ExtraRecords.ExtraRecord extraRecord,
            Exchange exchange,
            CaptureFields captureFields,
            RecordIds ids,
            RecordOutput out)
            throws IOException {
        var text = extraRecord.text();
        var head =
                switch (extraRecord) {
                    case ExtraRecords.Outlinks _ ->
                            WarcRecordHeader.of("metadata", ids.next(), captureFields.date)
                                    .target(exchange.url().text())
                                    .reference("WARC-Concurrent-To", captureFields.firstRecordId)
                                    .block(blockDigest(text))
                                    .toBytes("application/warc-fields", text.length);
                    case ExtraRecords.DnsResource(var host, _) ->
                            WarcRecordHeader.of("resource", ids.next(), captureFields.date)
                                    .target("dns:" + host)
                                    .block(blockDigest(text))
                                    .toBytes("text/dns", text.length);
                };
        out.add(head, text, Body.EMPTY);
    }

    /** Returns whether a conditional request got a 304. */
    private static boolean isNotModified(Exchange exchange) {
        return exchange.status() == NOT_MODIFIED
                && CONDITION.matcher(new String(exchange.requestHead(), ISO_8859_1)).find();
    }

    private Optional<Original> original(Exchange exchange, ResponseDigests responseDigests) {
        return exchange.truncated().isPresent() || exchange.body().length() < REVISIT_BYTES_MIN
                ? Optional.empty()
                : revisitLookup.flatMap(
                        known -> known.find(responseDigests.sha1(), responseDigests.payload()));
    }

    /** Returns whether revisits may refer to this record's payload. */
    static boolean isOriginal(PreparedCapture preparedCapture) {
        return preparedCapture.original().equals(WarcLocation.NONE)
                && preparedCapture
                        .capture()
                        .exchange()
                        .filter(e -> e.truncated().isEmpty())
                        .filter(e -> e.body().length() >= REVISIT_BYTES_MIN)
                        .isPresent();
    }

    static boolean isOriginal(PageLogEntry entry) {
        return !entry.warc().isEmpty()
                && entry.original().equals(WarcLocation.NONE)
                && entry.bytes() >= REVISIT_BYTES_MIN
                && entry.digest().startsWith("sha1:");
    }

    /** Returns the first record of every file: operator, settings and software of the crawl. */
    byte[] warcinfo(String fileName, Map<String, String> fields, Instant date) {
        var text = new StringBuilder();
        new TreeMap<>(fields).forEach((name, value) -> text.append(name + ": " + value + "\r\n"));
        var block = text.toString().getBytes(UTF_8);
        var recordEncoder = recordEncoderPool.acquire();
        try {
            var head =
                    WarcRecordHeader.of("warcinfo", recordEncoder.ids.next(), IsoTime.of(date))
                            .field("WARC-Filename", fileName)
                            .block(blockDigest(block))
                            .toBytes("application/warc-fields", block.length);
            recordEncoder.add(head, block, Body.EMPTY);
            return recordEncoder.bytes();
        } finally {
            recordEncoderPool.release(recordEncoder);
        }
    }

    private static String reason(Exchange.Truncation why) {
        return switch (why) {
            case LENGTH -> "length";
        };
    }

    private Optional<String> blockDigest(byte[] block) {
        return options.blockDigests()
                ? Optional.of(Sha1.format(Sha1.newDigest().digest(block)))
                : Optional.empty();
    }

    /** Returns the head as sent, except for the one header that joining the chunks made wrong. */
    static byte[] archiveHead(Exchange exchange) {
        var head = exchange.head();
        if (head.fields("transfer-encoding").isEmpty()) {
            return head.raw();
        }
        var text = new String(head.raw(), ISO_8859_1);
        var length = TRANSFER_ENCODING.length();
        var out = new StringBuilder(text.length() + ORIGINAL.length());
        for (var i = 0; i < text.length(); i++) {
            out.append(text.charAt(i));
            if (text.charAt(i) == '\n'
                    && text.regionMatches(true, i, TRANSFER_ENCODING, 0, length)) {
                out.append(ORIGINAL);
            }
        }
        return out.toString().getBytes(ISO_8859_1);
    }

    void close() {
        recordEncoderPool.close();
        revisitLookup.ifPresent(RevisitLookup::close);
    }
}
