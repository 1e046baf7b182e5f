package dev.orbweaver.imports;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.fetch.CompressedBodies;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netpreserve.jwarc.HttpResponse;
import org.netpreserve.jwarc.MediaType;
import org.netpreserve.jwarc.WarcCompression;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.WarcWriter;
import org.netpreserve.jwarc.Warcinfo;

import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

class ArchiveSourcesTest {

    private static final Instant TIME = Instant.parse("2026-01-02T03:04:05Z");

    private static final String CDXJ =
            """
            !meta {"fields": []}
            example,a)/ 20260102030405 {"url":"https://a.example/","status":"200","digest":"sha1:X"}
            example,a)/ 20260103030405 {"url":"https://a.example/","status":"200","digest":"sha1:X"}
            example,a)/b 20260102030405123 {"url":"https://a.example/b","status":404}
            example,a)/c
            example,a)/d yesterday {"url":"https://a.example/d"}
            """;

    @TempDir private Path directory;

    @Test
    void theCapturesOfAWarcFileHaveTimeStatusAndDigest() throws Exception {
        for (var compression : List.of(WarcCompression.NONE, WarcCompression.GZIP)) {
            var file = warc("a." + compression, compression);

            var captures = captures("warc:" + file);

            assertThat(captures)
                    .extracting(ArchivedCapture::url)
                    .containsExactly("https://a.example/", "https://a.example/gone");
            assertThat(captures.getFirst().time()).isEqualTo(TIME);
            assertThat(captures).extracting(ArchivedCapture::status).containsExactly(200, 404);
            assertThat(captures.getFirst().payloadDigest()).startsWith("sha1:");
            assertThat(SourceRun.of(directory, "warc:" + file).urls())
                    .containsExactly("https://a.example/", "https://a.example/gone");
        }
    }

    @Test
    void aTruncatedWarcFileIsOneSentenceAndItsRecordsAreKept() throws Exception {
        var file = warc("a.warc.gz", WarcCompression.GZIP);
        var bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length - 100));

        var run = SourceRun.of(directory, "warc:" + file);

        assertThat(run.urls()).contains("https://a.example/");
        assertThat(run.failure).contains("a.warc.gz is not a WARC file, or is damaged (");
    }

    @Test
    void theLinesOfACdxjFileAreReadAndOthersRejected() throws Exception {
        var file = directory.resolve("a.cdxj");
        Files.writeString(file, CDXJ + "x".repeat((1 << 20) + 1));

        var run = SourceRun.of(directory, "cdxj:" + file);

        assertThat(run.urls()).containsExactly("https://a.example/", "https://a.example/b");
        assertThat(run.rejected)
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("5 example,a)/c: not a line of a CDXJ"),
                        line -> assertThat(line).startsWith("6 example,a)/d yesterday"),
                        line -> assertThat(line).endsWith("...: the line is longer than 1 MB"));
        assertThat(captures("cdxj:" + file))
                .contains(new ArchivedCapture("https://a.example/", TIME, 200, "sha1:X"));
    }

    @Test
    void anIndexWithColumnsIsReadByItsFirstLine() throws Exception {
        var file = directory.resolve("a.cdx");
        Files.write(
                file,
                List.of(
                        " CDX N b a m s k r M S V g",
                        "example,a)/ 20260102030405 http://a.example/ text/html 200 X - - 1 2 f",
                        "short line"));

        assertThat(captures("cdxj:" + file))
                .containsExactly(new ArchivedCapture("http://a.example/", TIME, 200, "X"));
    }

    @Test
    void aWaczFileIsReadByItsIndexOrItsWarcFiles() throws Exception {
        var warc = Files.readAllBytes(warc("a.warc.gz", WarcCompression.GZIP));
        var uncompressed = Files.readAllBytes(warc("u.warc", WarcCompression.NONE));
        var indexed =
                zip(
                        "indexed.wacz",
                        Map.of(
                                "indexes/index.cdx",
                                CDXJ.getBytes(UTF_8),
                                "archive/a.warc.gz",
                                warc));
        var plain = zip("plain.wacz", Map.of("archive/a.warc.gz", warc));
        var zstd =
                zip(
                        "zstd.wacz",
                        Map.of(
                                "archive/a.warc.zst",
                                CompressedBodies.compress("zstd", uncompressed)));
        var other = zip("other.wacz", Map.of("datapackage.json", "{}".getBytes(UTF_8)));

        assertThat(SourceRun.of(directory, "wacz:" + indexed).urls())
                .containsExactly("https://a.example/", "https://a.example/b");
        assertThat(SourceRun.of(directory, "wacz:" + plain).urls())
                .containsExactly("https://a.example/", "https://a.example/gone");
        assertThat(SourceRun.of(directory, "wacz:" + zstd).urls())
                .containsExactly("https://a.example/", "https://a.example/gone");
        assertThat(SourceRun.of(directory, "wacz:" + other).failure)
                .endsWith("is not a WACZ file: it has neither an index nor a WARC file");
        assertThat(SourceRun.of(directory, "wacz:" + warc("b.warc", WarcCompression.NONE)).failure)
                .contains("b.warc is not a WACZ file, or is damaged");
    }

    private Path zip(String name, Map<String, byte[]> entries) throws Exception {
        var file = directory.resolve(name);
        try (var zip = new ZipOutputStream(Files.newOutputStream(file))) {
            for (var entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue());
            }
        }
        return file;
    }

    private Path warc(String name, WarcCompression compression) throws Exception {
        var file = directory.resolve(name);
        try (var channel =
                        FileChannel.open(
                                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var writer = new WarcWriter(channel, compression)) {
            writer.write(new Warcinfo.Builder().fields(Map.of("software", List.of("x"))).build());
            writer.write(response("https://a.example/", 200));
            writer.write(response("dns:a.example", 200));
            writer.write(response("https://a.example/gone", 404));
        }
        return file;
    }

    private static WarcResponse response(String url, int status) throws Exception {
        var http =
                new HttpResponse.Builder(status, "Reason")
                        .body(MediaType.HTML, "text".getBytes(UTF_8))
                        .build();
        return new WarcResponse.Builder(url)
                .date(TIME)
                .body(http)
                .payloadDigest("sha1", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
                .build();
    }

    private List<ArchivedCapture> captures(String spec) throws Exception {
        var captures = new ArrayList<ArchivedCapture>();
        try (var sources =
                new SeedSources(SourceRun.config(), directory, InputStream.nullInputStream())) {
            var source = (CaptureSource) sources.open(SourceSpec.parse(spec));
            source.readCaptures(
                    new CaptureSource.CaptureOutput() {
                        @Override
                        public void add(long number, ArchivedCapture capture) {
                            captures.add(capture);
                        }

                        @Override
                        public void reject(long record, String text, String reason) {}

                        @Override
                        public void progress(String what) {}
                    });
        }
        return captures;
    }
}
