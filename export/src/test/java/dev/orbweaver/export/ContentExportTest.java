package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.ExportSettings.Content;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;

/** The content of pages as a column of jsonl, csv and parquet. */
class ContentExportTest {

    private static final String PAGE =
            """
            <html lang=de><title>Grüße</title><body><nav><a href=/>Home</a></nav>
            <main><h1>Grüße</h1><p>Ein <b>fettes</b> Wort &amp; ein <a href=/x>Link</a>.
            <ul><li>eins<li>zwei</ul>
            <table><tr><th>a<th>b<tr><td>1<td>2</table>
            <pre>if (x) {
              y();
            }</pre>
            <p>Erste Zeile<br>zweite Zeile</main></body></html>
            """;

    @TempDir Path directory;

    @Test
    void theTextHasNoMarkup() throws IOException {
        assertThat(content(ContentKind.TEXT))
                .isEqualTo(
                        """
                        Grüße

                        Ein fettes Wort & ein Link.

                        eins
                        zwei

                        a\tb
                        1\t2

                        if (x) {
                          y();
                        }

                        Erste Zeile
                        zweite Zeile
                        """);
    }

    @Test
    void theMarkdownIsThatOfTheConverter() throws IOException {
        assertThat(content(ContentKind.MARKDOWN))
                .startsWith(
                        "# Grüße\n\nEin **fettes** Wort & ein [Link](http://a.test/x).\n\n- eins")
                .doesNotContain("Home");
    }

    @Test
    void theHtmlIsTheWholeDocumentDecoded() throws IOException {
        assertThat(content(ContentKind.HTML)).isEqualTo(PAGE);
    }

    private String content(ContentKind kind) throws IOException {
        try (var crawl = CrawlFixture.in(directory)) {
            crawl.body(
                    "http://a.test/",
                    "text/html; charset=iso-8859-1",
                    PAGE.getBytes(ISO_8859_1),
                    false);
            var line = jsonl(crawl, new Content(kind, 1 << 20), false).getFirst();
            assertThat(line.path("content_truncated").asBoolean(true)).isFalse();
            return line.path("content").asString();
        }
    }

    @Test
    void longContentIsCutAtACharacterAndMarked() throws IOException {
        try (var crawl = CrawlFixture.in(directory)) {
            crawl.page("http://a.test/", "é".repeat(1000));
            crawl.page("http://a.test/b", "🕸".repeat(512));
            var lines = jsonl(crawl, new Content(ContentKind.HTML, 1025), false);
            assertThat(lines.get(0).path("content").asString()).isEqualTo("é".repeat(512));
            assertThat(lines.get(1).path("content").asString()).isEqualTo("🕸".repeat(256));
            assertThat(lines).allMatch(line -> line.path("content_truncated").asBoolean());
            var whole = jsonl(crawl, new Content(ContentKind.HTML, 2048), false);
            assertThat(whole.get(0).path("content").asString()).hasSize(1000);
            assertThat(whole).noneMatch(line -> line.path("content_truncated").asBoolean());
        }
    }

    @Test
    void aBodyThatTheCrawlCutIsMarked() throws IOException {
        try (var crawl = CrawlFixture.in(directory)) {
            crawl.body("http://a.test/", "text/html", "<p>half of".getBytes(UTF_8), true);
            var line = jsonl(crawl, new Content(ContentKind.TEXT, 1 << 20), false).getFirst();
            assertThat(line.path("content").asString()).isEqualTo("half of\n");
            assertThat(line.path("content_truncated").asBoolean()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ExportFormat.class,
            names = {"JSONL", "CSV", "PARQUET"})
    void rowsWithoutContentHaveNone(ExportFormat format) throws Exception {
        var file = directory.resolve("out." + format.id());
        try (var crawl = CrawlFixture.in(directory)) {
            crawl.page("http://a.test/", "<p>A page, \"quoted\".");
            crawl.body("http://a.test/b.pdf", "application/pdf", new byte[] {1, 2}, false);
            crawl.redirect("http://a.test/c", "/");
            crawl.failed("http://a.test/d", "timeout");
            var settings =
                    ExportSettings.of(format, new ExportTarget.PathTarget(file))
                            .with(new Content(ContentKind.TEXT, 1 << 20))
                            .withAllLines();
            var report = ExportRunner.run(crawl.pages(), settings);
            assertThat(report.count()).isEqualTo(4);
            assertThat(report.notes()).containsExactly("1 page is without content: not HTML");
        }
        assertThat(rows(file, format))
                .containsExactly(
                        "A page, \"quoted\".\n|false", "null|null", "null|null", "null|null");
    }

    /** Reads what was written with DuckDB, which reads all three formats. */
    private static List<String> rows(Path file, ExportFormat format) throws Exception {
        var reader =
                switch (format) {
                    case JSONL -> "read_json('%s', format='newline_delimited')";
                    case CSV -> "read_csv('%s', auto_detect=true, all_varchar=true)";
                    default -> "read_parquet('%s')";
                };
        var rows = new ArrayList<String>();
        try (var connection = DriverManager.getConnection("jdbc:duckdb:");
                var statement = connection.createStatement();
                var result =
                        statement.executeQuery(
                                "SELECT content, content_truncated FROM %s ORDER BY url"
                                        .formatted(reader.formatted(file)))) {
            while (result.next()) {
                rows.add(result.getString(1) + "|" + result.getString(2));
            }
        }
        return rows;
    }

    /** Rows with content take another way through DuckDB than those without. */
    @Test
    void allOtherColumnsOfParquetAreThoseWithoutContent() throws Exception {
        try (var crawl = CrawlFixture.in(directory)) {
            crawl.page("http://a.test/", "<title>T</title><p>A page.");
            crawl.body("http://a.test/b.pdf", "application/pdf", new byte[] {1, 2}, false);
            crawl.redirect("http://a.test/c?d=e", "/");
            crawl.failed("http://a.test/d", "timeout");
            for (var name : List.of("plain", "content")) {
                var file = new ExportTarget.PathTarget(directory.resolve(name + ".parquet"));
                var settings = ExportSettings.of(ExportFormat.PARQUET, file).withAllLines();
                var _ =
                        ExportRunner.run(
                                crawl.pages(),
                                name.equals("plain")
                                        ? settings
                                        : settings.with(new Content(ContentKind.HTML, 1 << 20)));
            }
        }
        var difference =
                """
                SELECT count(*) FROM (
                  (SELECT * FROM '%1$s/plain.parquet' EXCEPT
                   SELECT * EXCLUDE (content, content_truncated) FROM '%1$s/content.parquet')
                  UNION ALL
                  (SELECT * EXCLUDE (content, content_truncated) FROM '%1$s/content.parquet' EXCEPT
                   SELECT * FROM '%1$s/plain.parquet'))
                """
                        .formatted(directory);
        try (var connection = DriverManager.getConnection("jdbc:duckdb:");
                var statement = connection.createStatement();
                var result = statement.executeQuery(difference)) {
            assertThat(result.next()).isTrue();
            assertThat(result.getLong(1)).isZero();
        }
    }

    @Test
    void theColumnsAreThereOnlyOnRequest() throws IOException {
        try (var crawl = CrawlFixture.in(directory)) {
            crawl.page("http://a.test/", "<p>A page.");
            var out = new ByteArrayOutputStream();
            var _ =
                    ExportRunner.run(
                            crawl.pages(),
                            ExportSettings.of(
                                    ExportFormat.JSONL, new ExportTarget.StreamTarget(out)));
            assertThat(out.toString(UTF_8)).doesNotContain("content");
        }
    }

    @Test
    void aPageThatTheSurrogatesOfItsTextBreakIsStillARow() throws Exception {
        var file = directory.resolve("out.parquet");
        try (var crawl = CrawlFixture.in(directory)) {
            crawl.page("http://a.test/", "<p>a&#xD800;b&#0;c");
            var settings =
                    ExportSettings.of(ExportFormat.PARQUET, new ExportTarget.PathTarget(file))
                            .with(new Content(ContentKind.TEXT, 1 << 20));
            assertThat(ExportRunner.run(crawl.pages(), settings).count()).isEqualTo(1);
        }
        assertThat(rows(file, ExportFormat.PARQUET)).hasSize(1);
    }

    private static List<JsonNode> jsonl(CrawlFixture crawl, Content content, boolean all)
            throws IOException {
        var out = new ByteArrayOutputStream();
        var settings =
                ExportSettings.of(ExportFormat.JSONL, new ExportTarget.StreamTarget(out))
                        .with(content);
        var _ = ExportRunner.run(crawl.pages(), all ? settings.withAllLines() : settings);
        return out.toString(UTF_8).lines().map(line -> JsonMapper.shared().readTree(line)).toList();
    }
}
