package dev.orbweaver.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.Exchange.Truncation;
import dev.orbweaver.model.ResponseHead;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcRecord;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.WarcRevisit;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A payload that is already archived is referred to, and readers find it. */
class RevisitTest {

    private static final String PAYLOAD = "the same on every page ".repeat(50);
    private static final String A = "http://a.test/a";
    private static final String B = "http://b.test/b";

    @TempDir Path directory;
    private final Map<String, CommittedLength> marks = new LinkedHashMap<>();

    @ParameterizedTest
    @EnumSource(Compression.class)
    void theSecondTimeThereIsARevisitThatReadsAsTheWholeAnswer(Compression compression)
            throws IOException {
        try (var sink = open(compression)) {
            writeAndCommit(sink, Captures.page(A, PAYLOAD, "X-Who: a"));
            writeAndCommit(sink, Captures.page(B, PAYLOAD, "X-Who: b"));
            writeAndCommit(sink, Captures.page(A + 2, PAYLOAD + ".", "X-Who: c"));
        }
        var records = records();
        var original = (WarcResponse) records.get(1);
        var revisit = (WarcRevisit) records.get(3);
        assertThat(records.get(5)).isInstanceOf(WarcResponse.class);
        assertThat(revisit.profile()).isEqualTo(WarcRevisit.IDENTICAL_PAYLOAD_DIGEST_1_1);
        assertThat(revisit.target()).isEqualTo(B);
        assertThat(revisit.refersTo()).contains(original.id());
        assertThat(revisit.refersToTargetURI()).contains(original.targetURI());
        assertThat(revisit.refersToDate()).contains(original.date());
        assertThat(revisit.payloadDigest()).isEqualTo(original.payloadDigest()).isPresent();

        var entries = entries();
        assertThat(entries.get(0).original()).isEqualTo(WarcLocation.NONE);
        assertThat(entries.get(1).original())
                .isEqualTo(
                        new WarcLocation(
                                entries.get(0).warc(),
                                entries.get(0).offset(),
                                entries.get(0).length()));
        assertThat(entries.get(1).bytes()).isEqualTo(PAYLOAD.length());
        assertThat(entries.get(1).length()).isLessThan(PAYLOAD.length());
        var exchange = new CaptureReader(directory).exchange(entries.get(1), Captures.url(B));
        assertThat(exchange.head().field("x-who")).contains("b");
        assertThat(body(exchange.body())).isEqualTo(PAYLOAD);
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void aRevisitCanBeUnfoldedIntoTheResponseThatItStandsFor(Compression compression)
            throws IOException {
        try (var sink = open(compression)) {
            writeAndCommit(sink, Captures.page(A, PAYLOAD, "X-Who: a"));
            writeAndCommit(sink, Captures.page(B, PAYLOAD, "X-Who: b"));
        }
        var entry = entries().get(1);
        var place = new WarcLocation(entry.warc(), entry.offset(), entry.length());
        var out = new ByteArrayOutputStream();
        try (var copier = new RecordCopier(directory);
                var channel = Channels.newChannel(out)) {
            assertThat(copier.expandRevisit(place, entry.original(), channel))
                    .isEqualTo(out.size());
        }
        var stored = new ByteArrayInputStream(out.toByteArray());
        try (var in = compression.decompress(stored);
                var reader = new WarcReader(in)) {
            reader.calculateBlockDigest();
            var response = (WarcResponse) reader.next().orElseThrow();
            assertThat(response.target()).isEqualTo(B);
            assertThat(response.http().headers().first("X-Who")).contains("b");
            assertThat(new String(response.http().body().stream().readAllBytes(), UTF_8))
                    .isEqualTo(PAYLOAD);
            assertThat(response.calculatedBlockDigest()).isEqualTo(response.blockDigest());
            assertThat(reader.next()).isEmpty();
        }
    }

    @Test
    void whatIsNotCommittedIsNotReferredTo() throws IOException {
        try (var sink = open(Compression.GZIP)) {
            var _ = sink.write(sink.prepare(Captures.page(A, PAYLOAD)));
            writeAndCommit(sink, Captures.page(B, PAYLOAD));
        }
        assertThat(entries()).extracting(PageLogEntry::original).containsOnly(WarcLocation.NONE);
    }

    @Test
    void whatWasRolledBackIsNotReferredTo() throws IOException {
        try (var sink = open(Compression.GZIP)) {
            var _ = sink.write(sink.prepare(Captures.page(A, PAYLOAD)));
            sink.rollBack();
            writeAndCommit(sink, Captures.page(B, "x"));
            writeAndCommit(sink, Captures.page(B, PAYLOAD));
        }
        assertThat(entries()).extracting(PageLogEntry::original).containsOnly(WarcLocation.NONE);
    }

    @Test
    void whatADeathTookBackIsNotReferredToThoughTheIndexHadIt() throws IOException {
        try (var sink = open(Compression.GZIP)) {
            writeAndCommit(sink, Captures.page(A, "short"));
            var _ = sink.write(sink.prepare(Captures.page(A + 1, PAYLOAD)));
            var _ = sink.commit(); // These marks are lost.
        }
        try (var sink = open(Compression.GZIP)) {
            writeAndCommit(sink, Captures.page(B, PAYLOAD));
            writeAndCommit(sink, Captures.page(B + 1, PAYLOAD));
        }
        var entries = entries();
        assertThat(entries.get(1).original()).isEqualTo(WarcLocation.NONE);
        assertThat(entries.get(2).original().offset()).isEqualTo(entries.get(1).offset());
    }

    @Test
    void payloadsOfAnEarlierRunAreKnown() throws IOException {
        try (var sink = open(Compression.GZIP)) {
            writeAndCommit(sink, Captures.page(A, PAYLOAD));
        }
        try (var sink = open(Compression.GZIP)) {
            writeAndCommit(sink, Captures.page(B, PAYLOAD));
        }
        assertThat(entries().get(1).original().warc()).isEqualTo(entries().get(0).warc());
    }

    @Test
    void anIndexThatIsGoneOrDamagedIsMadeAgainFromTheLog() throws IOException {
        try (var sink = open(Compression.GZIP)) {
            writeAndCommit(sink, Captures.page(A, PAYLOAD));
        }
        var index = directory.resolve(DirectoryLayout.DIGEST_INDEX);
        var whole = Files.readAllBytes(index);
        var cut = Arrays.copyOf(whole, whole.length - 1);
        var otherMagic = whole.clone();
        otherMagic[0] ^= 1;
        var otherSize = whole.clone();
        otherSize[15] ^= 1;
        for (var damaged : List.of(new byte[0], new byte[7], cut, otherMagic, otherSize)) {
            Files.write(index, damaged);
            try (var sink = open(Compression.GZIP)) {
                writeAndCommit(sink, Captures.page(B, PAYLOAD));
            }
            assertThat(entries().getLast().original().warc()).isEqualTo(entries().get(0).warc());
        }
    }

    @Test
    void anIndexThatLiesDoesNoHarm() throws IOException {
        try (var sink = open(Compression.GZIP)) {
            writeAndCommit(sink, Captures.page(A, PAYLOAD));
            writeAndCommit(sink, Captures.page(A + 1, PAYLOAD.toUpperCase(java.util.Locale.ROOT)));
        }
        var index = directory.resolve(DirectoryLayout.DIGEST_INDEX);
        var whole = Files.readAllBytes(index);
        // Every used slot, with its offset, file and length changed in turn.
        for (var field : List.of(16 + 7, 24 + 3, 28 + 3)) {
            var wrong = whole.clone();
            for (var at = 16; at < wrong.length; at += 32) {
                wrong[at + field] ^= 0x15;
            }
            Files.write(index, wrong);
            try (var sink = open(Compression.GZIP)) {
                writeAndCommit(sink, Captures.page(B + field, PAYLOAD));
            }
            assertTheLastOneIsWhole();
        }
        // Both locations are valid, but each is stored under the other's digest.
        Files.write(index, swapped(whole));
        try (var sink = open(Compression.GZIP)) {
            writeAndCommit(sink, Captures.page(B, PAYLOAD));
        }
        assertTheLastOneIsWhole();
    }

    private void assertTheLastOneIsWhole() throws IOException {
        var last = entries().getLast();
        var exchange = new CaptureReader(directory).exchange(last, Captures.url(B));
        assertThat(body(exchange.body())).isEqualTo(PAYLOAD);
    }

    /** Exchanges the contents of the two used slots, except for their digests. */
    private static byte[] swapped(byte[] index) {
        var used = new ArrayList<Integer>();
        for (var at = 16; at < index.length; at += 32) {
            if (index[at + 15] != 0) {
                used.add(at);
            }
        }
        assertThat(used).hasSize(2);
        var swapped = index.clone();
        System.arraycopy(index, used.get(0) + 8, swapped, used.get(1) + 8, 24);
        System.arraycopy(index, used.get(1) + 8, swapped, used.get(0) + 8, 24);
        return swapped;
    }

    @Test
    void shortAndCutBodiesAreStoredEachTime() throws IOException {
        var bytes = PAYLOAD.getBytes(UTF_8);
        var cut =
                Captures.exchange(
                        Captures.url(A),
                        new Body.InMemory(bytes, bytes.length),
                        Optional.of(Truncation.LENGTH));
        try (var sink = open(Compression.GZIP)) {
            writeAndCommit(sink, Captures.page(B, PAYLOAD));
            for (var i = 0; i < 2; i++) {
                writeAndCommit(sink, Captures.page(A, "short"));
                writeAndCommit(sink, Captures.of(Captures.url(A), cut));
            }
        }
        assertThat(entries()).extracting(PageLogEntry::original).containsOnly(WarcLocation.NONE);
    }

    @Test
    void withoutRevisitsEveryPayloadIsStored() throws IOException {
        var records = new RecordOptions(true, false, false, false);
        try (var sink = open(Compression.GZIP, records)) {
            writeAndCommit(sink, Captures.page(A, PAYLOAD));
            writeAndCommit(sink, Captures.page(B, PAYLOAD));
        }
        assertThat(entries()).extracting(PageLogEntry::original).containsOnly(WarcLocation.NONE);
        assertThat(directory.resolve(DirectoryLayout.DIGEST_INDEX)).doesNotExist();
    }

    @Test
    void aNotModifiedAnswerToAConditionIsARevisitAndAnyOtherIsAResponse() throws IOException {
        try (var sink = open(Compression.GZIP)) {
            writeAndCommit(sink, notModified("GET /a HTTP/1.1\r\nIf-None-Match: \"1\"\r\n\r\n"));
            writeAndCommit(sink, notModified("GET /a HTTP/1.1\r\nX: If-None-Match: 1\r\n\r\n"));
        }
        var records = records();
        var revisit = (WarcRevisit) records.get(1);
        assertThat(revisit.profile()).isEqualTo(WarcRevisit.SERVER_NOT_MODIFIED_1_1);
        assertThat(records.get(3)).isInstanceOf(WarcResponse.class);
        var exchange = new CaptureReader(directory).exchange(entries().get(0), Captures.url(A));
        assertThat(exchange.head().field("etag")).contains("\"1\"");
        assertThat(exchange.body().length()).isZero();
    }

    private static Capture notModified(String request) {
        var url = Captures.url(A);
        var plain = Captures.exchange(url, Body.EMPTY, Optional.empty());
        var head = "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n".getBytes(ISO_8859_1);
        return Captures.of(
                url,
                new Exchange(
                        url,
                        request.getBytes(ISO_8859_1),
                        new ResponseHead(head, 304),
                        Body.EMPTY,
                        plain.remote(),
                        plain.timings(),
                        Optional.empty()));
    }

    private static String body(Body body) {
        var memory = (Body.InMemory) body;
        return new String(memory.bytes(), 0, memory.size(), UTF_8);
    }

    private void writeAndCommit(WarcSink sink, Capture capture) throws IOException {
        var _ = sink.write(sink.prepare(capture));
        sink.commit().forEach(mark -> marks.put(mark.name(), mark));
    }

    private WarcSink open(Compression compression) throws IOException {
        return open(compression, RecordOptions.DEFAULT);
    }

    private WarcSink open(Compression compression, RecordOptions records) throws IOException {
        return WarcSink.open(
                new RealDisk(),
                directory,
                new WarcSettings(compression, 1 << 30, Map.of(), directory, false, records),
                List.copyOf(marks.values()),
                InstantSource.fixed(Captures.TIME));
    }

    private List<PageLogEntry> entries() throws IOException {
        var entries = new ArrayList<PageLogEntry>();
        PageLog.read(directory.resolve(DirectoryLayout.PAGE_LOG), entries::add);
        return entries;
    }

    private List<WarcRecord> records() throws IOException {
        var all = new ArrayList<WarcRecord>();
        for (var file : new RealDisk().list(directory.resolve("warc"))) {
            var stored = new ByteArrayInputStream(Files.readAllBytes(file));
            var in = Compression.of(file.toString()).decompress(stored).readAllBytes();
            var plain = Files.write(directory.resolve("plain.warc"), in);
            try (var reader = new WarcReader(plain)) {
                reader.forEach(all::add);
            }
        }
        return all;
    }
}
