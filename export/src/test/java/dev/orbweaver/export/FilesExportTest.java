package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.archive.Hashes;
import dev.orbweaver.internal.archive.PageFilter;
import dev.orbweaver.internal.sink.Compression;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

/** The bodies of captures as files. */
class FilesExportTest {

    private static final byte[] PDF = bytes(70_000, 1);
    private static final byte[] IMAGE = bytes(30_000, 2);

    @TempDir Path directory;

    @ParameterizedTest
    @EnumSource(Compression.class)
    void everyFileHasTheBytesThatTheServerSent(Compression compression) throws IOException {
        try (var crawl = new CrawlFixture(crawlDirectory(), compression)) {
            crawl.page("http://a.test/", "<a href=/docs/paper.pdf>paper</a>");
            crawl.body("http://a.test/docs/paper.pdf", "application/pdf", PDF, false);
            crawl.commit();
            // The same payload again is stored as a revisit.
            crawl.body("http://b.test/copy", "application/pdf", PDF, false);
            crawl.body(
                    "http://a.test/logo?size=2",
                    "image/png",
                    gzip(IMAGE),
                    false,
                    "Content-Encoding: gzip");
            assertThat(export(crawl, PageFilter.ALL).count()).isEqualTo(4);
            var revisits = new ArrayList<String>();
            crawl.pages()
                    .forEachPage(
                            page ->
                                    revisits.addAll(
                                            page.isRevisit() ? List.of(page.url()) : List.of()));
            assertThat(revisits).containsExactly("http://b.test/copy");
        }
        assertThat(out("a.test/docs/paper.pdf")).hasBinaryContent(PDF);
        assertThat(out("b.test/copy.pdf")).hasBinaryContent(PDF);
        assertThat(out("a.test/logo@size=2.png")).hasBinaryContent(IMAGE);
        assertThat(out("a.test/index.html")).hasContent("<a href=/docs/paper.pdf>paper</a>");
        var index = index();
        assertThat(index).hasSize(4);
        for (var line : index) {
            var bytes = Files.readAllBytes(out(line.path("path").asString()));
            assertThat(line.path("bytes").asLong()).isEqualTo(bytes.length);
            assertThat(line.path("sha256").asString())
                    .isEqualTo(HexFormat.of().formatHex(Hashes.sha256(bytes)));
            assertThat(line.path("truncated").asString()).isEmpty();
        }
        assertThat(index.get(1).path("url").asString()).isEqualTo("http://a.test/docs/paper.pdf");
        assertThat(index.get(1).path("type").asString()).isEqualTo("application/pdf");
        assertThat(index.get(1).path("time").asString()).isEqualTo("2030-01-01T00:00:01Z");
    }

    @Test
    void mediaTypesAndPathsSelect() throws IOException {
        try (var crawl = CrawlFixture.in(crawlDirectory())) {
            crawl.page("http://a.test/x.html", "<p>page");
            crawl.body("http://a.test/x.pdf", "Application/PDF; a=b", PDF, false);
            crawl.body("http://a.test/x.png", "image/png", IMAGE, false);
            crawl.body("http://a.test/y.gif", "image/gif", IMAGE, false);
            crawl.body("http://a.test/z.gif", "imagegif", IMAGE, false);
            var filter =
                    new PageFilter(List.of(), List.of("/x"), List.of("application/pdf", "image/*"));
            assertThat(export(crawl, filter).count()).isEqualTo(2);
        }
        assertThat(files()).containsExactly("a.test/x.pdf", "a.test/x.png", "files.jsonl");
    }

    @Test
    void twoUrlsNeverShareAFileAndNoDirectoryHasItsName() throws IOException {
        var urls =
                List.of(
                        "http://a.test/x.pdf",
                        "http://a.test/X.PDF",
                        "https://a.test/x.pdf",
                        "http://a.test/x.pdf/y.pdf",
                        "http://a.test/x",
                        "http://a.test/x/",
                        "http://a.test/v1.2",
                        "http://a.test/v1.2/notes",
                        "http://files.jsonl/a",
                        "http://files.jsonl.unfinished/a",
                        "http://a.test/..%2f..%2fescape.pdf",
                        "http://a.test/con.pdf");
        try (var crawl = CrawlFixture.in(crawlDirectory())) {
            for (var url : urls) {
                crawl.body(url, "application/pdf", url.getBytes(UTF_8), false);
            }
            assertThat(export(crawl, PageFilter.ALL).count()).isEqualTo(urls.size());
        }
        for (var line : index()) {
            assertThat(out(line.path("path").asString())).hasContent(line.path("url").asString());
        }
        assertThat(files())
                .hasSize(urls.size() + 1)
                .contains(
                        "a.test/x.pdf",
                        "a.test/x.pdf_/y.pdf",
                        "a.test/v1.2.pdf",
                        "a.test/v1.2/notes.pdf",
                        "files.jsonl",
                        "_files.jsonl/a.pdf",
                        "_files.jsonl.unfinished/a.pdf");
        assertThat(directory.resolve("escape.pdf")).doesNotExist();
    }

    @Test
    void anIncompleteBodyIsWrittenAndMarked() throws IOException {
        var zipped = gzip(PDF);
        try (var crawl = CrawlFixture.in(crawlDirectory())) {
            crawl.body("http://a.test/cut.pdf", "application/pdf", PDF, true);
            crawl.body(
                    "http://a.test/broken.pdf",
                    "application/pdf",
                    Arrays.copyOf(zipped, zipped.length / 2),
                    false,
                    "Content-Encoding: gzip");
            crawl.body(
                    "http://a.test/bomb",
                    "application/pdf",
                    gzip(new byte[64 << 20]),
                    false,
                    "Content-Encoding: gzip");
            crawl.body(
                    "http://a.test/odd", "text/plain", PDF, false, "Content-Encoding: compress-x");
            crawl.body("http://a.test/whole.pdf", "application/pdf", PDF, false);
            var report = export(crawl, PageFilter.ALL);
            assertThat(report.count()).isEqualTo(5);
            assertThat(report.notes())
                    .containsExactly(
                            "1 file is not complete: the crawl cut the body at max-body (truncated"
                                    + " in files.jsonl is \"length\")",
                            "3 files are not complete: the content coding could not be undone"
                                    + " completely (truncated in files.jsonl is \"encoding\")");
        }
        assertThat(index())
                .extracting(line -> line.path("truncated").asString())
                .containsExactly("length", "encoding", "encoding", "encoding", "");
        assertThat(out("a.test/whole.pdf")).hasBinaryContent(PDF);
        assertThat(Files.size(out("a.test/bomb.pdf"))).isLessThan(32 << 20);
    }

    @Test
    void aDirectoryWithFilesIsRefused() throws IOException {
        Files.createDirectories(out("old"));
        try (var crawl = CrawlFixture.in(crawlDirectory())) {
            crawl.page("http://a.test/", "<p>page");
            assertThatThrownBy(() -> export(crawl, PageFilter.ALL))
                    .hasMessageContaining("is not empty; expected a new or empty directory");
        }
    }

    private Path crawlDirectory() throws IOException {
        return Files.createDirectory(directory.resolve("crawl"));
    }

    private ExportReport export(CrawlFixture crawl, PageFilter filter) throws IOException {
        var target = new ExportTarget.PathTarget(directory.resolve("out"));
        return ExportRunner.run(
                crawl.pages(), ExportSettings.of(ExportFormat.FILES, target).with(filter));
    }

    private Path out(String name) {
        return directory.resolve("out").resolve(name);
    }

    private List<JsonNode> index() throws IOException {
        return Files.readAllLines(out("files.jsonl")).stream()
                .map(line -> JsonMapper.shared().readTree(line))
                .toList();
    }

    private List<String> files() throws IOException {
        try (var files = Files.walk(out(""))) {
            return files.filter(Files::isRegularFile)
                    .map(file -> out("").relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    private static byte[] bytes(int length, long seed) {
        var bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        var out = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }
}
