package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.Hashes;
import dev.orbweaver.internal.archive.PageFilter;
import dev.orbweaver.internal.archive.Tombstones;
import dev.orbweaver.internal.sink.Compression;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.netpreserve.jwarc.WaczReader;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.WarcTargetRecord;

import tools.jackson.databind.json.JsonMapper;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

class ArchiveExportTest {

    @TempDir Path directory;

    @Test
    void aFilteredCopyHasTheWantedRecordsAndNoOthers() throws IOException {
        try (var crawlFixture = crawlFixture(Compression.GZIP)) {
            var report =
                    ExportRunner.run(
                            crawlFixture.pages(),
                            to(ExportFormat.WARC, "copy.warc.gz")
                                    .with(new PageFilter(List.of(), List.of("/keep"))));
            assertThat(report.count()).isEqualTo(2);
        }
        var records = new ArrayList<String>();
        try (var reader = new WarcReader(directory.resolve("copy.warc.gz"))) {
            for (var record : reader) {
                records.add(
                        record.type()
                                + (record instanceof WarcTargetRecord it ? " " + it.target() : ""));
                var _ = record.body().stream().readAllBytes();
            }
        }
        assertThat(records)
                .containsExactly(
                        "warcinfo",
                        "response http://a.test/keep/1",
                        "request http://a.test/keep/1",
                        "response http://a.test/keep/2",
                        "request http://a.test/keep/2");
    }

    @Test
    void aCopyUnderANameOfAnotherCompressionIsRefused() throws IOException {
        try (var crawlFixture = crawlFixture(Compression.NONE)) {
            assertThatThrownBy(
                            () ->
                                    ExportRunner.run(
                                            crawlFixture.pages(),
                                            to(ExportFormat.WARC, "copy.warc.gz")))
                    .isInstanceOf(IOException.class)
                    .hasMessageEndingWith("must end in .warc");
        }
    }

    @Test
    void ofARunningCrawlOnlyCommittedRecordsAreCopied() throws IOException {
        try (var crawlFixture = crawlFixture(Compression.GZIP)) {
            crawlFixture.commit().page("http://a.test/later", "not yet committed");
            var pages = new CrawlPages(List.of(crawlFixture.crawl()), Tombstones.NONE);
            assertThat(ExportRunner.run(pages, to(ExportFormat.WARC, "copy.warc.gz")).count())
                    .isEqualTo(4);
        }
        try (var reader = new WarcReader(directory.resolve("copy.warc.gz"))) {
            assertThat(reader.records().count()).isEqualTo(9);
        }
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void aWebArchiveOpensAndItsIndexFindsEveryResponse(Compression compression) throws Exception {
        try (var crawlFixture = crawlFixture(compression)) {
            assertThat(
                            ExportRunner.run(crawlFixture.pages(), to(ExportFormat.WACZ, "x.wacz"))
                                    .count())
                    .isEqualTo(4);
        }
        var file = directory.resolve("x.wacz");
        try (var reader = new WaczReader(file)) {
            assertThat(reader.metadata())
                    .containsEntry("profile", "data-package")
                    .containsEntry("wacz_version", "1.1.1")
                    .containsEntry("mainPageUrl", "http://a.test/");
        }
        try (var zip = new ZipFile(file.toFile())) {
            assertThat(zip.getEntry("archive/data.warc.gz").getMethod()).isEqualTo(ZipEntry.STORED);
            requireHashes(zip);
            var warc = bytes(zip, "archive/data.warc.gz");
            var index = new String(bytes(zip, "indexes/index.cdxj"), UTF_8).lines().toList();
            assertThat(index).hasSize(4).isSorted();
            for (var line : index) {
                var entry = JsonMapper.shared().readTree(line.substring(line.indexOf('{')));
                var from = entry.path("offset").asInt();
                var record = Arrays.copyOfRange(warc, from, from + entry.path("length").asInt());
                try (var reader = new WarcReader(new ByteArrayInputStream(record))) {
                    var response = (WarcResponse) reader.next().orElseThrow();
                    assertThat(response.target()).isEqualTo(entry.path("url").asString());
                    assertThat(response.http().status()).isEqualTo(entry.path("status").asInt());
                    assertThat(response.payloadDigest().orElseThrow().prefixedBase32())
                            .isEqualTo(entry.path("digest").asString());
                }
            }
            assertThat(new String(bytes(zip, "pages/pages.jsonl"), UTF_8).lines())
                    .hasSize(4)
                    .first()
                    .asString()
                    .contains("json-pages-1.0");
        }
    }

    private static void requireHashes(ZipFile zip) throws IOException {
        var text = bytes(zip, "datapackage.json");
        var digest = JsonMapper.shared().readTree(bytes(zip, "datapackage-digest.json"));
        assertThat(digest.path("hash").asString()).isEqualTo(hash(text));
        for (var resource : JsonMapper.shared().readTree(text).path("resources")) {
            var part = bytes(zip, resource.path("path").asString());
            assertThat(resource.path("hash").asString()).isEqualTo(hash(part));
            assertThat(resource.path("bytes").asInt()).isEqualTo(part.length);
        }
    }

    private static String hash(byte[] bytes) {
        return "sha256:" + HexFormat.of().formatHex(Hashes.sha256(bytes));
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
                .page("http://a.test/", "<title>Start</title>")
                .page("http://a.test/keep/1", "<title>One</title>")
                .notFound("http://a.test/b")
                .page("http://a.test/keep/2", "<title>Two</title>");
    }
}
