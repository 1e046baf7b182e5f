package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.Golden;
import dev.orbweaver.export.Query.Form;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

class QueryTest {

    @TempDir Path folder;

    @Test
    void anAnswerIsATableCsvOrJson() throws Exception {
        var sql =
                "select url, status, title, bytes > 20 as big, null as nothing from pages order by"
                        + " url";
        for (var form : Form.values()) {
            Golden.check("export/query-" + form.word() + ".txt", ask(sql, form));
        }
    }

    @Test
    void linksAndHostsAreTablesToo() throws Exception {
        assertThat(ask("select target, kind from links", Form.CSV))
                .isEqualTo("target,kind\r\n\"http://b.test/\",\"anchor\"\r\n");
        assertThat(ask("select host, in_degree from hosts order by host", Form.CSV))
                .isEqualTo("host,in_degree\r\n\"a.test\",0\r\n\"b.test\",1\r\n");
        assertThat(ask("select kind, count(*) from urls group by 1 order by 1", Form.CSV))
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
        var secret = Files.writeString(folder.resolve("secret.csv"), "secret\n1\n");
        assertThatThrownBy(() -> ask(sql.replace("FILE", secret.toString()), Form.CSV))
                .isInstanceOf(QueryException.class)
                .message()
                .doesNotContain("\n");
        assertThat(folder.resolve("secret.csv.db")).doesNotExist();
        assertThat(folder.resolve("secret.csv.csv")).doesNotExist();
    }

    @Test
    void aMistakeIsToldInASentence() {
        assertThatThrownBy(() -> ask("select titel from pages", Form.TABLE))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("titel")
                .hasMessageContaining("title");
    }

    private String ask(String sql, Form form) throws Exception {
        var crawl = Files.createTempDirectory(folder, "crawl");
        try (var shelf = Shelf.in(crawl)) {
            shelf.page("http://a.test/", "<title>One \"1\"</title><a href=http://b.test/>b</a>")
                    .page("http://a.test/=2", "<title>=2</title>")
                    .missing("http://a.test/3");
            var out = new ByteArrayOutputStream();
            Query.run(shelf.pages(), sql, form, out);
            return out.toString(UTF_8);
        }
    }
}
