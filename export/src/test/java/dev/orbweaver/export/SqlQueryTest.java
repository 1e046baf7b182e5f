package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.SqlQuery.OutputFormat;
import dev.orbweaver.testing.Golden;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

class SqlQueryTest {

    @TempDir Path directory;

    @Test
    void aResultIsATableCsvOrJson() throws Exception {
        var sql =
                "select url, status, title, bytes > 20 as big, null as nothing from pages order by"
                        + " url";
        for (var outputFormat : OutputFormat.values()) {
            Golden.check("export/query-" + outputFormat.id() + ".txt", query(sql, outputFormat));
        }
    }

    @Test
    void linksAndHostsAreTablesToo() throws Exception {
        assertThat(query("select target, kind from links", OutputFormat.CSV))
                .isEqualTo("target,kind\r\n\"http://b.test/\",\"anchor\"\r\n");
        assertThat(query("select host, in_degree from hosts order by host", OutputFormat.CSV))
                .isEqualTo("host,in_degree\r\n\"a.test\",0\r\n\"b.test\",1\r\n");
        assertThat(query("select kind, count(*) from urls group by 1 order by 1", OutputFormat.CSV))
                .contains("\"error\",1", "\"page\",2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select * from read_text('FILE')",
                "select * from read_csv('FILE')",
                "from 'FILE'",
                "select * from glob('/*')",
                "select 1; attach 'FILE.db'",
                "select 1; copy (select 1) to 'FILE.csv'",
                "select 1; set enable_external_access = true",
                "select 1; install httpfs",
                "with x as (select 1) insert into lines (seq) select * from x",
                "select 1; drop table lines",
                "drop table lines",
                "copy lines to 'FILE.csv'",
                "pragma database_list",
                "export database 'FILE'",
                ""
            })
    void nothingBesidesTheTablesCanBeReachedOrChanged(String sql) throws Exception {
        var secret = Files.writeString(directory.resolve("secret.csv"), "secret\n1\n");
        assertThatThrownBy(() -> query(sql.replace("FILE", secret.toString()), OutputFormat.CSV))
                .isInstanceOf(QueryException.class)
                .message()
                .doesNotContain("\n");
        assertThat(directory.resolve("secret.csv.db")).doesNotExist();
        assertThat(directory.resolve("secret.csv.csv")).doesNotExist();
    }

    @Test
    void anErrorInAQueryHasAMessage() {
        assertThatThrownBy(() -> query("select titel from pages", OutputFormat.TABLE))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("titel")
                .hasMessageContaining("title");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "select * from pages where status = 'abc' | Could not convert string 'abc' to"
                        + " INT32",
                "select * from pages where time > 'yesterday' | invalid timestamp field format:"
                        + " \"yesterday\"",
                "select title::integer from pages | to INT32 when casting from source column title",
                "select (case when i < 900000 then '1' else 'x' end)::integer from range(1000000)"
                        + " t(i) | Could not convert string 'x' to INT32",
                "select * from pagse | there is no table pagse; the tables are pages, urls, links"
                        + " and hosts",
                "select * from lines | there is no table lines; the tables are pages, urls, links"
                        + " and hosts",
                "select * from pages p join enum on true | there is no table enum; the tables are"
                        + " pages, urls, links and hosts"
            })
    void theMessageNamesTheWrongLiteralOrTable(String sql, String message) {
        assertThatThrownBy(() -> query(sql, OutputFormat.CSV))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining(message)
                .message()
                .doesNotContain("\n", "pg_", "Invalid result set");
    }

    @ParameterizedTest
    @ValueSource(strings = {"show tables", "SHOW TABLES;", "from (show tables)"})
    void theTablesOfTheManualAreListedAndNoOther(String sql) throws Exception {
        assertThat(query(sql, OutputFormat.CSV).lines().skip(1))
                .containsExactly("\"hosts\"", "\"links\"", "\"pages\"", "\"urls\"");
    }

    private String query(String sql, OutputFormat outputFormat) throws Exception {
        var crawl = Files.createTempDirectory(directory, "crawl");
        try (var crawlFixture = CrawlFixture.in(crawl)) {
            crawlFixture
                    .page("http://a.test/", "<title>One \"1\"</title><a href=http://b.test/>b</a>")
                    .page("http://a.test/=2", "<title>=2</title>")
                    .notFound("http://a.test/3");
            var out = new ByteArrayOutputStream();
            SqlQuery.run(crawlFixture.pages(), sql, outputFormat, out);
            return out.toString(UTF_8);
        }
    }
}
