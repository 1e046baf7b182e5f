package dev.orbweaver.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Exchange.Truncation;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.testing.Slow;

import org.archive.io.warc.WARCReaderFactory;
import org.archive.io.warc.WARCRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.netpreserve.jwarc.WarcDigest;
import org.netpreserve.jwarc.WarcMetadata;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcResource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Files with every kind of record are read without errors by two third-party readers: jwarc's
 * validator, and webarchive-commons, which Heritrix and related tools use.
 */
@Slow
class WarcInteroperabilityTest {

    private static final RecordOptions ALL = new RecordOptions(true, true, true, true);
    private static final String PAYLOAD = "the same on every page ".repeat(50);

    @TempDir Path directory;

    @ParameterizedTest
    @EnumSource(Compression.class)
    void everyRecordIsReadByBothAndEveryDigestIsRight(Compression compression) throws Exception {
        writeAllKinds(compression, ALL);
        var files = new RealDisk().list(directory.resolve("warc"));
        assertThat(files).hasSizeGreaterThan(1);
        var types = new ArrayList<String>();
        for (var file : files) {
            var readable = readable(file, compression);
            assertThat(validationErrors(readable)).isEmpty();
            types.addAll(readByWebarchiveCommons(readable));
        }
        assertThat(types)
                .contains("warcinfo", "response", "request", "revisit", "metadata", "resource");
        assertThat(types.stream().filter("request"::equals)).hasSize(9);
    }

    @Test
    void withThePayloadDigestAloneNoBlockHasOne() throws IOException {
        writeAllKinds(Compression.NONE, new RecordOptions(false, true, true, true));
        for (var file : new RealDisk().list(directory.resolve("warc"))) {
            try (var reader = new WarcReader(file)) {
                for (var record : reader) {
                    assertThat(record.blockDigest()).isEmpty();
                }
            }
        }
    }

    @Test
    void linksAndAddressesAreNotedOnRequest() throws IOException {
        writeAllKinds(Compression.NONE, ALL);
        var metadata = new ArrayList<String>();
        var resources = new ArrayList<String>();
        for (var file : new RealDisk().list(directory.resolve("warc"))) {
            try (var reader = new WarcReader(file)) {
                for (var record : reader) {
                    if (record instanceof WarcMetadata links) {
                        assertThat(links.concurrentTo()).hasSize(1);
                        assertThat(links.target()).isEqualTo("http://a.test/links");
                        metadata.add(new String(links.body().stream().readAllBytes(), UTF_8));
                    } else if (record instanceof WarcResource address) {
                        resources.add(
                                address.target()
                                        + " "
                                        + address.contentType()
                                        + " "
                                        + new String(
                                                address.body().stream().readAllBytes(), UTF_8));
                    }
                }
            }
        }
        assertThat(metadata)
                .containsExactly(
                        """
                        fetchTimeMs: 70\r
                        charsetForLinkExtraction: UTF-8\r
                        outlink: http://b.test/next L anchor\r
                        outlink: http://cdn.test/a.png E requisite\r
                        """);
        // Once for each name, regardless of the number of requests; an address as host is not a
        // name.
        assertThat(resources)
                .containsExactly(
                        "dns:a.test text/dns 20260301120000\na.test. IN A 192.0.2.1\n",
                        "dns:b.test text/dns 20260301120000\nb.test. IN A 192.0.2.1\n");
    }

    private void writeAllKinds(Compression compression, RecordOptions options) throws IOException {
        var large = new byte[700_000];
        new Random(42).nextBytes(large);
        var file = Files.write(directory.resolve("large.body"), large);
        var settings =
                new WarcSettings(
                        compression,
                        60_000,
                        Map.of("software", "Orbweaver/1", "setting-delay", "0"),
                        directory,
                        false,
                        options);
        try (var sink =
                WarcSink.open(
                        new RealDisk(),
                        directory,
                        settings,
                        List.of(),
                        InstantSource.fixed(Captures.TIME))) {
            write(sink, Captures.page("http://a.test/a", PAYLOAD, "Content-Type: text/html"));
            write(sink, Captures.page("http://b.test/b", PAYLOAD, "Content-Type: text/html"));
            write(sink, linking());
            write(sink, Captures.page("http://a.test/empty", ""));
            write(sink, Captures.page("http://a.test/a|b?c={d}", "x", "X-Odd: \u00e9|^"));
            write(sink, Captures.page("http://192.0.2.1/", "by address"));
            write(
                    sink,
                    Captures.page("http://a.test/chunked", "joined", "Transfer-Encoding: chunked"));
            write(sink, Captures.page("http://a.test/large", new Body.InFile(file, large.length)));
            write(sink, truncated());
            write(sink, Captures.failed("http://a.test/failed"));
        }
    }

    private static Capture linking() {
        var url = Captures.url("http://a.test/links");
        var body = new Body.InMemory("links".getBytes(UTF_8), 5);
        var plain = Captures.of(url, Captures.exchange(url, body, Optional.empty()));
        var links =
                List.of(
                        new Link(Captures.url("http://b.test/next"), LinkKind.ANCHOR, false),
                        new Link(Captures.url("http://cdn.test/a.png"), LinkKind.REQUISITE, false));
        return new Capture(
                url,
                plain.kind(),
                plain.hop(),
                plain.depth(),
                plain.parent(),
                plain.attempts(),
                plain.time(),
                plain.exchange(),
                new Page("A title", "UTF-8", links, false, false),
                "",
                "");
    }

    private static Capture truncated() {
        var url = Captures.url("http://a.test/cut");
        var body = new Body.InMemory(PAYLOAD.getBytes(UTF_8), PAYLOAD.length());
        return Captures.of(url, Captures.exchange(url, body, Optional.of(Truncation.LENGTH)));
    }

    private static void write(WarcSink sink, Capture capture) throws IOException {
        var _ = sink.write(sink.prepare(capture));
        var _ = sink.commit();
    }

    /** Neither reader supports zstd directly, so the file is decompressed first. */
    private Path readable(Path file, Compression compression) throws IOException {
        if (compression != Compression.ZSTD) {
            return file;
        }
        var stored = new ByteArrayInputStream(Files.readAllBytes(file));
        var name = file.getFileName().toString().replace(".zst", "");
        return Files.write(directory.resolve(name), compression.decompress(stored).readAllBytes());
    }

    private static List<String> readByWebarchiveCommons(Path file) throws Exception {
        var types = new ArrayList<String>();
        try (var reader = WARCReaderFactory.get(file.toFile())) {
            reader.setStrict(true);
            for (var record : reader) {
                var header = ((WARCRecord) record).getHeader();
                types.add((String) header.getHeaderValue("WARC-Type"));
                var block = content(record);
                assertThat(block)
                        .as("%s", header)
                        .hasSize(Math.toIntExact(header.getContentLength()));
                var stated = (String) header.getHeaderValue("WARC-Block-Digest");
                var sha1 = MessageDigest.getInstance("SHA-1").digest(block);
                assertThat(stated).isEqualTo(new WarcDigest("sha1", sha1).prefixedBase32());
            }
        }
        return types;
    }

    /** Its records are streams that end early when all bytes are read at once. */
    private static byte[] content(InputStream record) throws IOException {
        var content = new ByteArrayOutputStream();
        var buffer = new byte[8192];
        for (var n = record.read(buffer); n >= 0; n = record.read(buffer)) {
            content.write(buffer, 0, n);
        }
        return content.toByteArray();
    }

    /** jwarc's own validator ends its process, so it runs in a separate one. */
    private static String validationErrors(Path warc) throws Exception {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var process =
                new ProcessBuilder(
                                java,
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                "org.netpreserve.jwarc.tools.ValidateTool",
                                "--verbose",
                                warc.toString())
                        .redirectErrorStream(true)
                        .start();
        try (var out = process.getInputStream()) {
            var said = new String(out.readAllBytes(), UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return process.exitValue() == 0 ? "" : said;
        }
    }
}
