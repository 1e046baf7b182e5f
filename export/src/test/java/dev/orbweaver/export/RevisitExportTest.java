package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;

import dev.orbweaver.internal.archive.PageFilter;
import dev.orbweaver.internal.sink.Compression;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.WarcTargetRecord;

import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.ZipFile;

/** A revisit record is replaced by its response when it is exported without the original. */
class RevisitExportTest {

    private static final String HTML =
            "<title>Same</title><main><p>" + "the same words again ".repeat(40) + "</main>";
    private static final PageFilter SECOND = new PageFilter(List.of(), List.of("/second"));

    @TempDir Path directory;

    @Test
    void itsTextIsExportedAsIfItWereStored() throws IOException {
        try (var crawlFixture = crawlFixture(Compression.GZIP)) {
            var settings = to(ExportFormat.CHUNKS, "chunks.jsonl").with(SECOND);
            assertThat(ExportRunner.run(crawlFixture.pages(), settings).count()).isPositive();
        }
        assertThat(directory.resolve("chunks.jsonl")).content().contains("the same words again");
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void aFilteredCopyHasTheWholeResponse(Compression compression) throws IOException {
        var name =
                switch (compression) {
                    case GZIP -> "copy.warc.gz";
                    case ZSTD -> "copy.warc.zst";
                    case NONE -> "copy.warc";
                };
        try (var crawlFixture = crawlFixture(compression)) {
            var _ =
                    ExportRunner.run(
                            crawlFixture.pages(), to(ExportFormat.WARC, name).with(SECOND));
        }
        var records = records(directory.resolve(name));
        assertThat(records)
                .containsExactly(
                        "warcinfo",
                        "response http://a.test/second " + HTML,
                        "request http://a.test/second");
    }

    @Test
    void aCopyOfEverythingKeepsTheRevisit() throws IOException {
        try (var crawlFixture = crawlFixture(Compression.GZIP)) {
            var _ = ExportRunner.run(crawlFixture.pages(), to(ExportFormat.WARC, "copy.warc.gz"));
        }
        assertThat(records(directory.resolve("copy.warc.gz")))
                .contains("revisit http://a.test/second");
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void aFilteredWebArchiveHasTheWholeResponse(Compression compression) throws IOException {
        try (var crawlFixture = crawlFixture(compression)) {
            var _ =
                    ExportRunner.run(
                            crawlFixture.pages(), to(ExportFormat.WACZ, "x.wacz").with(SECOND));
        }
        try (var zip = new ZipFile(directory.resolve("x.wacz").toFile())) {
            var warc = bytes(zip, "archive/data.warc.gz");
            var line = new String(bytes(zip, "indexes/index.cdxj"), UTF_8).strip();
            var entry = JsonMapper.shared().readTree(line.substring(line.indexOf('{')));
            assertThat(entry.path("mime").asString()).isEqualTo("text/html");
            var from = entry.path("offset").asInt();
            var record = Arrays.copyOfRange(warc, from, from + entry.path("length").asInt());
            try (var reader = new WarcReader(new ByteArrayInputStream(record))) {
                var response = (WarcResponse) reader.next().orElseThrow();
                assertThat(response.http().body().stream().readAllBytes())
                        .isEqualTo(HTML.getBytes(UTF_8));
            }
        }
    }

    @Test
    void theIndexHasThePositionOfEachRecordAndMarksRevisits() throws IOException {
        try (var crawlFixture = crawlFixture(Compression.GZIP)) {
            var report =
                    ExportRunner.run(crawlFixture.pages(), to(ExportFormat.CDXJ, "index.cdxj"));
            assertThat(report.count()).isEqualTo(2);
        }
        var lines = Files.readAllLines(directory.resolve("index.cdxj"));
        assertThat(lines).isSorted().hasSize(2);
        assertThat(lines.get(0)).startsWith("test,a)/first 20300101000000 {");
        var crawl = directory.resolve("crawl/warc");
        for (var line : lines) {
            var entry = JsonMapper.shared().readTree(line.substring(line.indexOf('{')));
            var warc = Files.readAllBytes(crawl.resolve(entry.path("filename").asString()));
            var from = entry.path("offset").asInt();
            var record = Arrays.copyOfRange(warc, from, from + entry.path("length").asInt());
            try (var reader = new WarcReader(new ByteArrayInputStream(record))) {
                var found = (WarcTargetRecord) reader.next().orElseThrow();
                assertThat(found.target()).isEqualTo(entry.path("url").asString());
                assertThat(found.type().equals("revisit"))
                        .isEqualTo(entry.path("mime").asString().equals("warc/revisit"))
                        .isEqualTo(found.target().endsWith("second"));
            }
        }
    }

    private static List<String> records(Path file) throws IOException {
        var records = new ArrayList<String>();
        InputStream in = new BufferedInputStream(Files.newInputStream(file));
        if (file.toString().endsWith(".zst")) {
            in = new ZstdInputStreamNoFinalizer(in).setContinuous(true);
        }
        try (var reader = new WarcReader(new ByteArrayInputStream(in.readAllBytes()))) {
            for (var record : reader) {
                var target = record instanceof WarcTargetRecord it ? " " + it.target() : "";
                var body =
                        record instanceof WarcResponse it
                                ? " " + new String(it.http().body().stream().readAllBytes(), UTF_8)
                                : "";
                records.add(record.type() + target + body);
            }
        }
        return records;
    }

    private static byte[] bytes(ZipFile zip, String name) throws IOException {
        try (var in = zip.getInputStream(zip.getEntry(name))) {
            return in.readAllBytes();
        }
    }

    private ExportSettings to(ExportFormat exportFormat, String name) {
        return ExportSettings.of(
                exportFormat, new ExportTarget.PathTarget(directory.resolve(name)));
    }

    private CrawlFixture crawlFixture(Compression compression) throws IOException {
        return new CrawlFixture(Files.createDirectory(directory.resolve("crawl")), compression)
                .page("http://a.test/first", HTML)
                .commit()
                .page("http://a.test/second", HTML)
                .commit();
    }
}
