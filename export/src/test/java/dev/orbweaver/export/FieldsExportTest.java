package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.Crawler;
import dev.orbweaver.export.SqlQuery.OutputFormat;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.Tombstones;
import dev.orbweaver.testing.ProjectFiles;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Fields of extractors in every format that has them. The crawl has two pages: {@code /product}
 * with fields of every type, and the home page without fields.
 */
class FieldsExportTest {

    /** UTF-8 has no lone surrogates: the page log has a question mark for each. */
    private static final String FIELDS =
            """
            {"name":"A \\"quoted\\" tag\\nGrüße ☃ 🕸","formula":"=1+1","lone":"x?y",\
            "nul":"a\\u0000b","price":19.5,"mass":1.0E10,"count":9007199254740993,"sold":true,\
            "tags":["a,b","=2"],"it's \\"new\\"":""}\
            """;

    private static final String FRONT_MATTER =
            """
            fields:
              "name": "A \\"quoted\\" tag\\nGrüße ☃ 🕸"
              "formula": "=1+1"
              "lone": "x?y"
              "nul": "a\\u0000b"
              "price": 19.5
              "mass": 1.0E+10
              "count": 9007199254740993
              "sold": true
              "tags": ["a,b", "=2"]
              "it's \\"new\\"": ""
            ---
            """;

    @TempDir static Path crawl;
    @TempDir Path directory;

    @BeforeAll
    static void crawlTwoPages() throws Exception {
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    var body =
                            switch (exchange.getRequestURI().getPath()) {
                                case "/" -> page("Home", "<a href='/product'>our product</a>");
                                case "/product" -> page("Product", "<p>Buy it today.</p>");
                                default -> new byte[0];
                            };
                    exchange.getResponseHeaders().set("Content-Type", "text/html");
                    exchange.sendResponseHeaders(
                            body.length == 0 ? 404 : 200, body.length == 0 ? -1 : body.length);
                    try (var out = exchange.getResponseBody()) {
                        out.write(body);
                    }
                });
        server.start();
        var home = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        try (var running =
                Crawler.builder(home)
                        .delay(Duration.ZERO)
                        .sitemaps(false)
                        .extractor(
                                page -> {
                                    if (page.url().endsWith("/product")) {
                                        page.put("name", "A \"quoted\" tag\nGrüße ☃ 🕸");
                                        page.put("formula", "=1+1");
                                        page.put("lone", "x\ud800y");
                                        page.put("nul", "a\0b");
                                        page.put("price", 19.5);
                                        page.put("mass", 1e10);
                                        page.put("count", 9_007_199_254_740_993L);
                                        page.put("sold", true);
                                        page.put("tags", List.of("a,b", "=2"));
                                        page.put("it's \"new\"", "");
                                    }
                                })
                        .open(crawl)) {
            assertThat(running.run().pages()).isEqualTo(2);
        } finally {
            server.stop(0);
        }
    }

    private static byte[] page(String title, String text) {
        return "<html lang=en><title>%s</title><main><h1>%s</h1>%s</main>"
                .formatted(title, title, text)
                .getBytes(UTF_8);
    }

    @Test
    void aJsonLineHasThemAsAnObject() throws IOException {
        var lines = export(ExportFormat.JSONL).lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).contains("\"title\":\"Home\"").endsWith(",\"fields\":null}");
        assertThat(lines.get(1)).endsWith(",\"fields\":" + FIELDS + "}");
        assertThat(JsonMapper.shared().readTree(lines.get(1)).at("/fields/count").asLong())
                .isEqualTo(9_007_199_254_740_993L);
    }

    @Test
    void aCsvRowHasThemAsOneTextThatIsNoFormula() throws IOException {
        var lines = export(ExportFormat.CSV).lines().toList();
        assertThat(lines).as("no line breaks within rows").hasSize(3);
        assertThat(lines.get(0)).endsWith(",seq,fields");
        assertThat(lines.get(1)).contains("\"Home\"").endsWith(",\"\"");
        assertThat(lines.get(2)).endsWith(",\"" + FIELDS.replace("\"", "\"\"") + "\"");
    }

    @Test
    void parquetHasAColumnOfJson() throws Exception {
        var file = directory.resolve("pages.parquet");
        var _ =
                ExportRunner.run(
                        pages(),
                        ExportSettings.of(ExportFormat.PARQUET, new ExportTarget.PathTarget(file)));
        try (var connection = DriverManager.getConnection("jdbc:duckdb:");
                var statement = connection.createStatement();
                var rows =
                        statement.executeQuery(
                                "SELECT typeof(fields), fields, (fields->>'count')::BIGINT"
                                        + " FROM read_parquet('%s') ORDER BY title"
                                                .formatted(file))) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(2)).as("fields of the home page").isNull();
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(1)).isEqualTo("JSON");
            assertThat(rows.getString(2)).isEqualTo(FIELDS);
            assertThat(rows.getLong(3)).isEqualTo(9_007_199_254_740_993L);
        }
    }

    @Test
    void queriesReadSingleFields() throws Exception {
        assertThat(
                        query(
                                "SELECT fields->>'price' AS price, (fields->>'price')::DOUBLE * 2"
                                        + " AS two, (fields->>'count')::BIGINT + 1 AS count,"
                                        + " (fields->>'sold')::BOOLEAN AS sold,"
                                        + " fields->>'$.tags[1]' AS tag, fields->>'name' AS name,"
                                        + " fields->>'none' AS none"
                                        + " FROM pages WHERE (fields->>'mass')::DOUBLE > 1e9",
                                OutputFormat.JSON))
                .isEqualTo(
                        """
                        {"price":"19.5","two":39.0,"count":9007199254740994,"sold":true,\
                        "tag":"=2","name":"A \\"quoted\\" tag\\nGrüße ☃ 🕸","none":null}
                        """);
        assertThat(query("SELECT fields->>'formula' AS f FROM pages", OutputFormat.CSV))
                .as("a formula")
                .contains("\"'=1+1\"");
        assertThat(query("SELECT count(*) AS n FROM pages WHERE fields IS NULL", OutputFormat.CSV))
                .isEqualTo("n\r\n1\r\n");
    }

    @Test
    void aQueryReturnsJsonAsJson() throws Exception {
        assertThat(query("SELECT fields FROM pages ORDER BY title", OutputFormat.JSON))
                .isEqualTo("{\"fields\":null}\n{\"fields\":" + FIELDS + "}\n");
        assertThat(
                        query(
                                "SELECT json_pretty(fields)::JSON AS fields FROM pages ORDER BY"
                                        + " title",
                                OutputFormat.JSON))
                .as("JSON with line breaks")
                .isEqualTo("{\"fields\":null}\n{\"fields\":" + FIELDS + "}\n");
    }

    @Test
    void theQueriesOfTheManualReturnWhatTheySay() throws Exception {
        var manual = Files.readString(ProjectFiles.of("docs/exports.md"));
        var results = new ArrayList<String>();
        var queries =
                Pattern.compile("query archive \"(SELECT [^\"]*fields->[^\"]*)\"").matcher(manual);
        while (queries.find()) {
            results.add(
                    query(queries.group(1), OutputFormat.CSV)
                            .replaceAll("http://[^/]*", "")
                            .replace("\r\n", ";"));
        }
        assertThat(results)
                .containsExactly(
                        "url,name;\"/product\",\"A \"\"quoted\"\" tag\nGrüße ☃ 🕸\";",
                        "url,price;\"/product\",19.5;\"/\",;",
                        "sold;1;",
                        "url,tag;\"/product\",\"a,b\";\"/product\",\"'=2\";");
        assertThat(
                        query(
                                "SELECT TRY_CAST(fields->>'name' AS DOUBLE) AS n FROM pages",
                                OutputFormat.CSV))
                .as("a text that is not a number")
                .isEqualTo("n\r\n\r\n\r\n");
    }

    /** Texts of a site cannot make a query fail. */
    @Test
    void everyFieldCanBeQueried() throws Exception {
        for (var name : JsonMapper.shared().readTree(FIELDS).propertyNames()) {
            var path = "$.\"" + name.replace("\"", "\\\"").replace("'", "''") + "\"";
            var sql = "SELECT count(fields->>'%s') AS n FROM pages".formatted(path);
            assertThat(query(sql, OutputFormat.CSV)).as(sql).isEqualTo("n\r\n1\r\n");
        }
    }

    @Test
    void markdownHasThemInTheFrontMatter() throws IOException {
        var to = directory.resolve("markdown");
        var _ =
                ExportRunner.run(
                        pages(),
                        ExportSettings.of(ExportFormat.MARKDOWN, new ExportTarget.PathTarget(to)));
        assertThat(read(to, "product")).contains("\n" + FRONT_MATTER + "\n# Product");
        assertThat(read(to, "index")).contains("# Home").doesNotContain("fields:");
    }

    private static String read(Path directory, String name) throws IOException {
        try (var files = Files.walk(directory)) {
            var file =
                    files.filter(it -> it.getFileName().toString().startsWith(name))
                            .findFirst()
                            .orElseThrow();
            return Files.readString(file);
        }
    }

    @Test
    void everyChunkHasThoseOfItsPage() throws IOException {
        var lines = export(ExportFormat.CHUNKS).lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).contains("\"title\":\"Home\"").doesNotContain("fields");
        assertThat(lines.get(1)).endsWith(",\"fields\":" + FIELDS + "}");
    }

    private static CrawlPages pages() throws IOException {
        return new CrawlPages(List.of(CrawlFixture.withoutFrontier(crawl)), Tombstones.NONE);
    }

    private static String export(ExportFormat exportFormat) throws IOException {
        var out = new ByteArrayOutputStream();
        var _ =
                ExportRunner.run(
                        pages(),
                        ExportSettings.of(exportFormat, new ExportTarget.StreamTarget(out)));
        return out.toString(UTF_8);
    }

    private static String query(String sql, OutputFormat outputFormat) throws Exception {
        var out = new ByteArrayOutputStream();
        SqlQuery.run(pages(), sql, outputFormat, out);
        return out.toString(UTF_8);
    }
}
