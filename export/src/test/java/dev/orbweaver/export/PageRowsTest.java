package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.testing.Golden;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.json.JsonMapper;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.List;

class PageRowsTest {

    @TempDir Path directory;

    @Test
    void everyPageIsARowThatNoSpreadsheetTakesForAFormula() throws IOException {
        try (var crawlFixture = hostile()) {
            Golden.check(
                    "export/pages.csv",
                    withoutLocations(export(crawlFixture, ExportFormat.CSV, false)));
        }
    }

    @Test
    void everyPageIsALineOfJson() throws IOException {
        try (var crawlFixture = hostile()) {
            var lines = export(crawlFixture, ExportFormat.JSONL, false);
            assertThat(lines.lines()).hasSize(5);
            assertThat(lines.lines())
                    .allSatisfy(line -> assertThat(JsonMapper.shared().readTree(line)).isNotNull());
            Golden.check("export/pages.jsonl", withoutLocations(lines));
        }
    }

    @Test
    void everySettledUrlIsALineOnRequest() throws IOException {
        try (var crawlFixture = hostile()) {
            var lines = export(crawlFixture, ExportFormat.JSONL, true);
            assertThat(lines.lines()).hasSize(8);
            assertThat(lines).contains("\"kind\":\"failed\"", "\"location\":\"/2\"");
        }
    }

    /** For pages alone and for all lines; a reader of one format can read the others. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void csvJsonAndParquetHaveTheSameColumnsAndRows(boolean all) throws Exception {
        var parquet = directory.resolve("pages.parquet");
        try (var crawlFixture = hostile()) {
            var csv = export(crawlFixture, ExportFormat.CSV, all);
            var columns = List.of(csv.lines().findFirst().orElseThrow().split(",", -1));
            var json =
                    export(crawlFixture, ExportFormat.JSONL, all)
                            .lines()
                            .map(line -> JsonMapper.shared().readTree(line))
                            .toList();
            assertThat(json)
                    .allSatisfy(
                            line ->
                                    assertThat(line.propertyNames())
                                            .containsExactlyElementsOf(columns));
            var settings =
                    ExportSettings.of(ExportFormat.PARQUET, new ExportTarget.PathTarget(parquet));
            var _ =
                    ExportRunner.run(
                            crawlFixture.pages(), all ? settings.withAllLines() : settings);
            try (var connection = DriverManager.getConnection("jdbc:duckdb:");
                    var statement = connection.createStatement();
                    var rows =
                            statement.executeQuery(
                                    "SELECT * FROM read_parquet('%s') ORDER BY seq"
                                            .formatted(parquet))) {
                assertThat(SqlCsv.names(rows.getMetaData())).containsExactlyElementsOf(columns);
                for (var line : json) {
                    assertThat(rows.next()).isTrue();
                    for (var column : List.of("url", "path", "kind", "warc", "seq", "title")) {
                        assertThat(rows.getString(column))
                                .isEqualTo(line.path(column).asString(""));
                    }
                }
                assertThat(rows.next()).isFalse();
            }
        }
    }

    @Test
    void aFailedExportKeepsTheOldFile() throws IOException {
        var file = directory.resolve("x.csv");
        Files.writeString(file, "old");
        try (var text = AtomicTextFile.create(file)) {
            text.write("new");
        }
        assertThat(file).hasContent("old");
        assertThat(AtomicTextFile.unfinishedPath(file)).doesNotExist();
    }

    private CrawlFixture hostile() throws IOException {
        return CrawlFixture.in(directory)
                .page("http://a.test/1", "<title>=HYPERLINK(\"http://e.test\")</title>")
                .page("http://a.test/2", "<title>+1 \"quoted\", comma</title>")
                .page("http://a.test/3", "<title>@SUM(1;2)</title>")
                .page("http://a.test/4", "<title>-2+3|cmd</title>")
                .page("http://a.test/5", "<title>Grüße 🕸 = fine</title>")
                .redirect("http://a.test/6", "/2")
                .notFound("http://a.test/7")
                .failed("http://a.test/8", "timeout");
    }

    private static String export(CrawlFixture crawlFixture, ExportFormat exportFormat, boolean all)
            throws IOException {
        var out = new ByteArrayOutputStream();
        var settings = ExportSettings.of(exportFormat, new ExportTarget.StreamTarget(out));
        var _ = ExportRunner.run(crawlFixture.pages(), all ? settings.withAllLines() : settings);
        return out.toString(UTF_8);
    }

    /** Record ids are random, so the compressed length of records varies. */
    private static String withoutLocations(String lines) {
        return lines.replaceAll("\"(offset|length)\":\\d+", "\"$1\":0")
                .replaceAll("(\\.warc\\.gz\"),\\d+,\\d+,", "$1,0,0,");
    }
}
