package dev.orbweaver.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.Exchange.Truncation;
import dev.orbweaver.testing.Golden;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netpreserve.jwarc.WarcDigest;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcRecord;
import org.netpreserve.jwarc.WarcRequest;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.WarcTruncationReason;
import org.netpreserve.jwarc.Warcinfo;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

class WarcSinkTest {

    private static final InstantSource CLOCK = InstantSource.fixed(Captures.TIME);
    private static final String URL = "http://a.test/x";

    @TempDir Path directory;

    @Slow
    @ParameterizedTest
    @EnumSource(Compression.class)
    void theRecordsOfAnyCompressionSatisfyTheValidator(Compression compression) throws Exception {
        var large = Files.write(directory.resolve("large.body"), random(600_000));
        var longUrl = "http://a.test/" + "u".repeat(8192 - "http://a.test/".length());
        try (var sink = open(compression, 1 << 30, List.of())) {
            write(sink, Captures.page(URL, "hello", "Content-Type: text/html"));
            write(sink, Captures.page(URL, ""));
            write(sink, Captures.page(longUrl, "x", "X-Odd: \u00e9|^"));
            write(sink, Captures.page("http://a.test/a|b?c={d}&e=[f]", "x"));
            write(
                    sink,
                    Captures.page(URL, new Body.InFile(large, 600_000), "Content-Length: 600000"));
            write(sink, Captures.failed(URL));
            var _ = sink.commit();
        }
        var warc = warcs().getFirst();
        assertThat(warc.toString()).endsWith(compression.extension());
        assertThat(validator(plain(warc))).isEmpty();
        assertThat(types(plain(warc)))
                .startsWith("warcinfo", "response", "request", "response", "request")
                .hasSize(11);
        assertThat(membersOf(warc, compression)).isEqualTo(11);
    }

    @Test
    void aRequestIsConcurrentToTheResponseAfterWhichItFollows() throws IOException {
        writeAll(Captures.page(URL, "hello"));
        var records = records(plain(warcs().getFirst()));
        var response = (WarcResponse) records.get(1);
        var request = (WarcRequest) records.get(2);
        assertThat(request.concurrentTo()).containsExactly(response.id());
        assertThat(request.target()).isEqualTo(URL).isEqualTo(response.target());
        assertThat(response.date()).isEqualTo(Captures.TIME);
        assertThat(response.ipAddress().orElseThrow().getHostAddress()).isEqualTo("192.0.2.1");
        assertThat(response.id()).isNotEqualTo(request.id());
    }

    @Test
    void thePayloadDigestIsThatOfTheBodyAsTransferred() throws Exception {
        var body = random(300_000);
        var file = Files.write(directory.resolve("body"), body);
        writeAll(
                Captures.page(URL, new Body.InMemory(body, body.length), "Content-Encoding: gzip"),
                Captures.page(URL, new Body.InFile(file, body.length), "Content-Encoding: gzip"));
        var expected = new WarcDigest("sha1", sha1(body));
        for (var record : records(plain(warcs().getFirst()))) {
            if (record instanceof WarcResponse response) {
                assertThat(response.payloadDigest()).contains(expected);
            }
        }
        assertThat(entries())
                .extracting(PageLogEntry::digest)
                .containsOnly(expected.prefixedBase32());
    }

    @Test
    void aChunkedHeadIsChangedInTheOneHeaderThatIsNoLongerTrue() throws IOException {
        writeAll(
                Captures.page(
                        URL,
                        "joined",
                        "X-A: transfer-encoding: no",
                        "TRANSFER-Encoding:  chunked",
                        "Content-Encoding: br",
                        "X-B: caf\u00e9"));
        assertThat(text(plain(warcs().getFirst())))
                .contains(
                        """
                        HTTP/1.1 200 OK\r
                        X-A: transfer-encoding: no\r
                        X-Archive-Orig-TRANSFER-Encoding:  chunked\r
                        Content-Encoding: br\r
                        X-B: caf\u00e9\r
                        \r
                        joined\r
                        \r
                        """);
    }

    @Test
    void everyTransferEncodingLineIsRenamed() {
        var exchange =
                Captures.exchange(
                        Captures.url(URL),
                        Body.EMPTY,
                        Optional.empty(),
                        "Transfer-Encoding: gzip",
                        "Transfer-Encoding: chunked");
        assertThat(new String(WarcRecords.archiveHead(exchange), ISO_8859_1))
                .isEqualTo(
                        """
                        HTTP/1.1 200 OK\r
                        X-Archive-Orig-Transfer-Encoding: gzip\r
                        X-Archive-Orig-Transfer-Encoding: chunked\r
                        \r
                        """);
    }

    @Test
    void aCutBodyIsMarked() throws IOException {
        var bytes = "half".getBytes(UTF_8);
        var exchange =
                Captures.exchange(
                        Captures.url(URL),
                        new Body.InMemory(bytes, 4),
                        Optional.of(Truncation.LENGTH));
        writeAll(Captures.of(Captures.url(URL), exchange), Captures.page(URL, "whole"));
        var records = records(plain(warcs().getFirst()));
        assertThat(records.get(1).headers().first("WARC-Truncated"))
                .contains(WarcTruncationReason.LENGTH.name().toLowerCase(Locale.ROOT));
        assertThat(records.get(3).headers().first("WARC-Truncated")).isEmpty();
    }

    @Test
    void aFileBeginsWithWhoCrawledAndHow() throws IOException {
        writeAll(Captures.page(URL, "hello"));
        var warc = warcs().getFirst();
        try (var reader = new WarcReader(plain(warc))) {
            var info = (Warcinfo) reader.next().orElseThrow();
            assertThat(info.filename()).contains(warc.getFileName().toString());
            assertThat(info.fields().map())
                    .isEqualTo(
                            new TreeMap<>(
                                    Map.of(
                                            "software", List.of("Orbweaver/1"),
                                            "robots", List.of("obey"),
                                            "operator", List.of("Zoë"))));
        }
    }

    @Test
    void theHeadOfARecordIsAsItAlwaysWas() throws IOException {
        writeAll(Captures.page(URL, "hello", "Content-Type: text/plain"));
        var masked =
                Files.readString(plain(warcs().getFirst()))
                        .replaceAll("urn:uuid:[0-9a-f-]{36}", "urn:uuid:*")
                        .replace("\r", "");
        Golden.check("sink/records.warc.txt", masked);
    }

    @Test
    void aFullFileIsFollowedByOneThatSortsAfterIt() throws IOException {
        try (var sink = open(Compression.NONE, 2_000, List.of())) {
            for (var i = 0; i < 12; i++) {
                write(sink, Captures.page(URL + i, "x".repeat(1_000)));
            }
            var marks = sink.commit();
            assertThat(marks).hasSize(warcs().size() + 1);
            for (var mark : marks) {
                assertThat(WarcFiles.find(directory, mark.name())).hasSize(mark.length());
            }
        }
        assertThat(warcs()).hasSizeGreaterThan(3);
        var order = new ArrayList<String>();
        for (var warc : warcs()) {
            assertThat(types(warc)).startsWith("warcinfo");
            records(warc).stream()
                    .filter(WarcResponse.class::isInstance)
                    .forEach(record -> order.add(((WarcResponse) record).target()));
        }
        assertThat(order).hasSize(12).startsWith(URL + "0", URL + "1").endsWith(URL + "11");
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void theLogSaysWhereEachResponseLies(Compression compression) throws IOException {
        try (var sink = open(compression, 1 << 30, List.of())) {
            for (var i = 0; i < 3; i++) {
                write(sink, Captures.page(URL + i, "body " + i));
            }
            var _ = sink.commit();
        }
        for (var entry : entries()) {
            var file = Files.readAllBytes(directory.resolve(entry.warc()));
            var cut = new byte[Math.toIntExact(entry.length())];
            System.arraycopy(file, Math.toIntExact(entry.offset()), cut, 0, cut.length);
            var record = new String(decompressed(cut, compression), ISO_8859_1);
            assertThat(record)
                    .startsWith("WARC/1.1\r\n")
                    .contains("WARC-Type: response\r\n")
                    .contains("WARC-Target-URI: " + entry.url() + "\r\n")
                    .endsWith("body " + (entry.seq() - 1) + "\r\n\r\n");
        }
    }

    @Test
    void nothingIsPromisedBeforeTheCommitAndAfterItTheLengthsAre() throws IOException {
        try (var sink = open(Compression.GZIP, 1 << 30, List.of())) {
            assertThat(sink.commit()).isEmpty();
            write(sink, Captures.failed(URL));
            assertThat(sink.commit())
                    .extracting(CommittedLength::name)
                    .containsExactly(DirectoryLayout.PAGE_LOG);
            write(sink, Captures.page(URL, "x"));
            assertThat(sink.commit()).hasSize(2);
            assertThat(sink.commit()).isEmpty();
        }
    }

    @Slow
    @Test
    void openingCutsBackToTheMarksAndDeletesWhatNoneNames() throws IOException {
        List<CommittedLength> marks;
        try (var sink = open(Compression.GZIP, 1 << 30, List.of())) {
            write(sink, Captures.page(URL + 1, "one"));
            marks = sink.commit();
            write(sink, Captures.page(URL + 2, "two"));
            var _ = sink.commit();
        }
        var stray =
                Files.writeString(
                        directory.resolve("warc/orbweaver-20260301115959-00009.warc.gz"), "torn");
        var foreign = Files.writeString(directory.resolve("warc/notes.txt"), "not ours to delete");
        try (var sink = open(Compression.GZIP, 1 << 30, marks)) {
            assertThat(stray).doesNotExist();
            assertThat(foreign).exists();
            Files.delete(foreign);
            for (var mark : marks) {
                assertThat(directory.resolve(mark.name())).hasSize(mark.length());
            }
            assertThat(sink.write(sink.prepare(Captures.page(URL + 3, "three")))).isEqualTo(2);
            assertThat(sink.commit()).hasSize(2);
        }
        assertThat(entries()).extracting(PageLogEntry::url).containsExactly(URL + 1, URL + 3);
        assertThat(warcs()).hasSize(2);
        for (var warc : warcs()) {
            assertThat(validator(warc)).isEmpty();
        }
    }

    @Test
    void withoutAnyMarkEverythingIsBegunAnew() throws IOException {
        writeAll(Captures.page(URL, "lost"));
        try (var sink = open(Compression.GZIP, 1 << 30, List.of())) {
            assertThat(warcs()).isEmpty();
            assertThat(sink.write(sink.prepare(Captures.failed(URL)))).isEqualTo(1);
        }
    }

    @Test
    void aFileShorterThanItsMarkIsNotPatchedOver() throws IOException {
        List<CommittedLength> marks;
        try (var sink = open(Compression.NONE, 1 << 30, List.of())) {
            write(sink, Captures.page(URL, "x"));
            marks = sink.commit();
        }
        var warc = warcs().getFirst();
        var length = Files.size(warc);
        new RealDisk().truncate(warc, length - 7);
        assertThatThrownBy(() -> open(Compression.NONE, 1 << 30, marks).close())
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "%s has %d bytes, but %d were committed, so it is damaged"
                                .formatted(warc, length - 7, length));
        Files.delete(warc);
        assertThatThrownBy(() -> open(Compression.NONE, 1 << 30, marks).close())
                .hasMessageContaining("has 0 bytes");
    }

    @Test
    void largeRecordsLeaveNoTemporaryFileBehind() throws IOException {
        var body = random(500_000);
        writeAll(Captures.page(URL, new Body.InMemory(body, body.length)));
        try (var files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "warc", DirectoryLayout.PAGE_LOG, DirectoryLayout.DIGEST_INDEX);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 1 << 30})
    void whatIsRolledBackNeverHappenedAndCanBeWrittenAgain(long fileBytesMax) throws IOException {
        var large = random(500_000);
        var second = Captures.page("http://a.test/2", new Body.InMemory(large, large.length));
        var files = new LinkedHashMap<String, Long>();
        try (var sink = open(Compression.NONE, fileBytesMax, List.of())) {
            write(sink, Captures.page("http://a.test/1", "one"));
            sink.commit().forEach(mark -> files.put(mark.name(), mark.length()));
            var preparedCapture = sink.prepare(second);
            assertThat(sink.write(preparedCapture)).isEqualTo(2);
            write(sink, Captures.page("http://a.test/3", "three"));
            write(sink, Captures.page("http://a.test/4", "four"));
            sink.rollBack();
            assertThat(sink.write(preparedCapture)).isEqualTo(2);
            sink.commit().forEach(mark -> files.put(mark.name(), mark.length()));
            sink.confirmCommit();
        }
        var urls = new ArrayList<String>();
        PageLog.read(directory.resolve(DirectoryLayout.PAGE_LOG), entry -> urls.add(entry.url()));
        assertThat(urls).containsExactly("http://a.test/1", "http://a.test/2");
        try (var all = Files.walk(directory).filter(Files::isRegularFile)) {
            assertThat(
                            all.map(file -> directory.relativize(file).toString())
                                    .filter(name -> !name.equals(DirectoryLayout.DIGEST_INDEX)))
                    .containsExactlyInAnyOrderElementsOf(files.keySet());
        }
        for (var file : files.entrySet()) {
            assertThat(Files.size(directory.resolve(file.getKey()))).isEqualTo(file.getValue());
        }
    }

    private void writeAll(Capture... captures) throws IOException {
        try (var sink = open(Compression.GZIP, 1 << 30, List.of())) {
            for (var capture : captures) {
                write(sink, capture);
            }
            var _ = sink.commit();
            sink.confirmCommit();
        }
    }

    private static void write(WarcSink sink, Capture capture) throws IOException {
        var _ = sink.write(sink.prepare(capture));
    }

    private WarcSink open(Compression compression, long fileBytesMax, List<CommittedLength> marks)
            throws IOException {
        var settings = Captures.settings(compression, fileBytesMax, directory);
        return WarcSink.open(new RealDisk(), directory, settings, marks, CLOCK);
    }

    private List<Path> warcs() throws IOException {
        return new RealDisk().list(directory.resolve("warc"));
    }

    private List<PageLogEntry> entries() throws IOException {
        var entries = new ArrayList<PageLogEntry>();
        PageLog.read(directory.resolve(DirectoryLayout.PAGE_LOG), entries::add);
        return entries;
    }

    /** jwarc's own validator ends its process, so it runs in a separate one. Returns its errors. */
    private static String validator(Path warc) throws IOException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var process =
                new ProcessBuilder(
                                java,
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                "org.netpreserve.jwarc.tools.ValidateTool",
                                warc.toString())
                        .redirectErrorStream(true)
                        .start();
        try (var out = process.getInputStream()) {
            var said = new String(out.readAllBytes(), UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return process.exitValue() == 0 ? "" : said;
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static List<WarcRecord> records(Path warc) throws IOException {
        var records = new ArrayList<WarcRecord>();
        try (var reader = new WarcReader(warc)) {
            reader.onWarning(
                    warning -> {
                        throw new AssertionError(warning);
                    });
            reader.forEach(records::add);
        }
        return records;
    }

    private static List<String> types(Path warc) throws IOException {
        return records(warc).stream().map(WarcRecord::type).toList();
    }

    private static String text(Path warc) throws IOException {
        return new String(Files.readAllBytes(warc), ISO_8859_1);
    }

    /**
     * jwarc's reader hangs at the end of a .warc.zst, so the input is always decompressed first.
     */
    private Path plain(Path warc) throws IOException {
        var bytes = decompressed(Files.readAllBytes(warc), compressionOf(warc));
        return Files.write(directory.resolve("plain.warc"), bytes);
    }

    private static Compression compressionOf(Path warc) {
        return List.of(Compression.values()).stream()
                .filter(c -> warc.toString().endsWith(c.extension()))
                .findFirst()
                .orElseThrow();
    }

    private static byte[] decompressed(byte[] bytes, Compression compression) throws IOException {
        InputStream in = new ByteArrayInputStream(bytes);
        try (var out =
                switch (compression) {
                    case GZIP -> new GZIPInputStream(in);
                    case ZSTD -> new ZstdInputStreamNoFinalizer(in).setContinuous(true);
                    case NONE -> in;
                }) {
            return out.readAllBytes();
        }
    }

    /** Counts records by where the compressed ones begin, or by their first line. */
    private static int membersOf(Path warc, Compression compression) throws IOException {
        var magic =
                switch (compression) {
                    case GZIP -> "\u001f\u008b\b\u0000\u0000\u0000\u0000\u0000\u0000\u00ff";
                    case ZSTD -> "(\u00b5/\u00fd";
                    case NONE -> "WARC/1.1\r\n";
                };
        return text(warc).split(Pattern.quote(magic), -1).length - 1;
    }

    private static byte[] random(int count) {
        var bytes = new byte[count];
        new Random(42).nextBytes(bytes);
        return bytes;
    }

    private static byte[] sha1(byte[] bytes) throws NoSuchAlgorithmException {
        return MessageDigest.getInstance("SHA-1").digest(bytes);
    }
}
