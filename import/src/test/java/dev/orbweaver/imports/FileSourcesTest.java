package dev.orbweaver.imports;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.duckdb.DuckDBDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import java.util.zip.GZIPOutputStream;

class FileSourcesTest {

    @TempDir private Path directory;

    @Test
    void aTextFileHasOneUrlPerLineAndMayHaveComments() throws Exception {
        var run =
                read("txt:", "urls.txt", "\uFEFFhttps://a.example/\r\n# no\n\n  b.example  \nlast");

        assertThat(run.urls()).containsExactly("https://a.example/", "b.example", "last");
    }

    @Test
    void aLineTooLongIsRejectedWithItsNumberAndTheNextIsRead() throws Exception {
        var run =
                read(
                        "txt:",
                        "urls.txt",
                        "x".repeat(2 << 20) + "\n" + "y".repeat(9_000) + "\nhttps://a.example/\n");

        assertThat(run.urls()).containsExactly("https://a.example/");
        assertThat(run.rejected)
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("1 xxx").endsWith("longer than 1 MB"),
                        second ->
                                assertThat(second)
                                        .startsWith("2 yyy")
                                        .endsWith("longer than 8,192 characters"));
    }

    @Test
    void standardInputIsReadAndGzipIsKnownByItsFirstBytes() throws Exception {
        var run =
                SourceRun.of(
                        directory,
                        new ByteArrayInputStream(gzip("https://a.example/\nhttps://b.example/\n")),
                        "-");

        assertThat(run.urls()).containsExactly("https://a.example/", "https://b.example/");
    }

    @Test
    void damagedGzipIsOneSentenceAndTheLinesBeforeAreKept() throws Exception {
        var whole = gzip("https://a.example/\n".repeat(100_000));
        Files.write(directory.resolve("urls.gz"), Arrays.copyOf(whole, whole.length / 2));

        var run = SourceRun.of(directory, "txt:" + directory.resolve("urls.gz"));

        assertThat(run.entries).hasSizeGreaterThan(1_000);
        assertThat(run.failure).contains("urls.gz: the gzip data is damaged or incomplete");
    }

    @Test
    void aMissingFileIsOneSentence() throws Exception {
        assertThat(SourceRun.of(directory, "txt:nowhere.txt").failure)
                .isEqualTo("nowhere.txt: no such file");
        assertThat(SourceRun.of(directory, "warc:" + directory).failure)
                .isEqualTo(directory + " is a directory; name a file");
    }

    @Test
    void aColumnOfACsvFileIsChosenByNameOrNumber() throws Exception {
        var csv =
                """
                id,Link,"a ""quoted"" name"
                1,https://a.example/,x
                2,"https://b.example/?q=a,b","two
                lines"
                3
                4,,y
                """;
        var byName = read("csv:", "urls.csv", csv, "#column=link");
        var byNumber = read("csv:", "urls.csv", csv, "#column=2");

        assertThat(byName.urls()).containsExactly("https://a.example/", "https://b.example/?q=a,b");
        assertThat(byName.rejected)
                .containsExactly(
                        "5 3: the line has 1 fields, and the URL is in field 2", "6 : no URL");
        assertThat(byNumber.urls()).startsWith("Link");
    }

    @Test
    void withoutAColumnTheOneNamedUrlOrTheOnlyOneIsRead() throws Exception {
        assertThat(read("csv:", "a.csv", "n;url\n1;https://a.example/;x\n").urls())
                .containsExactly("https://a.example/");
        assertThat(read("csv:", "a.csv", "address\na.example\n").urls())
                .containsExactly("a.example");
        assertThat(read("csv:", "a.csv", "https://a.example/;b\nhttps://b.example/\n").urls())
                .containsExactly("https://a.example/;b", "https://b.example/");
        assertThat(read("csv:", "a.csv", "n,link\n1,https://a.example/\n").failure)
                .endsWith("a.csv has no column 'url'; choose one with #column=NAME: n, link");
    }

    @Test
    void aFieldOfJsonLinesIsRead() throws Exception {
        var run =
                read(
                        "jsonl:",
                        "urls.jsonl",
                        """
                        {"link":"https://a.example/"}
                        "https://b.example/"
                        {}
                        {"link":
                        """,
                        "#column=link");

        assertThat(run.urls()).containsExactly("https://a.example/", "https://b.example/");
        assertThat(run.rejected)
                .containsExactly("3 {}: no field 'link' with a text", "4 {\"link\":: not JSON");
    }

    @Test
    void theTopOfARankedListIsRead() throws Exception {
        var run =
                read(
                        "tranco:",
                        "top.csv",
                        "1,a.example\nx\n3,c.example\n1234567890123456789,d.example\n2,b.example\n",
                        "#top=2");

        assertThat(run.urls()).containsExactly("a.example", "b.example");
        assertThat(run.rejected)
                .containsExactly(
                        "2 x: expected RANK,DOMAIN",
                        "4 1234567890123456789,d.example: expected RANK,DOMAIN");
    }

    @Test
    void aColumnOfAParquetFileIsRead() throws Exception {
        var file = directory.resolve("it's [1]*?.parquet");
        Files.writeString(
                directory.resolve("it's 1 of 2.parquet"), "matches the name as a pattern");
        try (var connection = new DuckDBDriver().connect("jdbc:duckdb:", new Properties());
                var statement = connection.createStatement()) {
            statement.execute(
                    "COPY (SELECT i AS n, CASE WHEN i = 7 THEN NULL ELSE 'https://a.example/' || i"
                            + " END AS \"my link\" FROM range(10000) t(i)) TO '"
                            + file.toString().replace("'", "''")
                            + "' (FORMAT parquet)");
        }

        var run = SourceRun.of(directory, "parquet:" + file + "#column=my link");

        assertThat(run.urls()).hasSize(9_999).contains("https://a.example/9999");
        assertThat(run.rejected).containsExactly("8 : no URL");
        assertThat(SourceRun.of(directory, "parquet:" + file).failure)
                .endsWith("has no column 'url'; choose one with #column=NAME: n, my link");
        Files.writeString(file, "no parquet");
        assertThat(SourceRun.of(directory, "parquet:" + file).failure)
                .contains("it's [1]*?.parquet cannot be read as Parquet: ");
    }

    private SourceRun read(String type, String name, String content, String... options)
            throws Exception {
        var file = directory.resolve(name);
        Files.writeString(file, content);
        return SourceRun.of(directory, type + file + String.join("", options));
    }

    private static byte[] gzip(String text) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(UTF_8));
        }
        return bytes.toByteArray();
    }
}
