package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

@Slow
class ImportCommandTest {

    @TempDir Path directory;

    private Path list(String text) throws Exception {
        return Files.writeString(directory.resolve("urls.txt"), text);
    }

    @Test
    void anImportedCrawlIsResumed() throws Exception {
        try (var site = new SmallSite()) {
            var list = list(site.url() + "\nnot a URL\n");
            var visited =
                    Files.writeString(directory.resolve("done.txt"), site.url() + "visited\n");
            var out = directory.resolve("out").toString();
            var imported =
                    CommandResult.run(
                            "import",
                            "scrapy",
                            list.toString(),
                            "--visited",
                            visited.toString(),
                            "--out",
                            out,
                            "--set",
                            "allow-private=true",
                            "--set",
                            "max-depth=0");
            assertThat(imported.err()).isEmpty();
            assertThat(imported)
                    .isEqualTo(
                            new CommandResult(
                                    0,
                                    """
                                               rows  imported  duplicate  rejected
                                      visited     1         1          0         0
                                      urls        2         1          0         1
                                    to crawl: orbweaver resume %s
                                    """
                                            .formatted(out),
                                    ""));
            var resumed = CommandResult.run("resume", out);
            assertThat(resumed.out())
                    .startsWith("crawling the URLs of its seed lists into " + out + "/\n");
            assertThat(resumed.code()).isZero();
            assertThat(CommandResult.run("status", out).out()).contains("pages");
        }
    }

    @Test
    void aDryRunWritesNothing() throws Exception {
        var out = directory.resolve("out");
        var result =
                CommandResult.run(
                        "import",
                        "scrapy",
                        list("https://example.org/\nftp://example.org/\n").toString(),
                        "--out",
                        out.toString(),
                        "--dry-run");
        assertThat(result.code()).isZero();
        assertThat(result.out())
                .contains("urls     2         1")
                .contains("urls, row 2: 'ftp://example.org/' is not an http or https URL")
                .contains("disk space needed: up to ");
        assertThat(out).doesNotExist();
    }

    @Test
    void aWrongCommandLineIsOneSentence() throws Exception {
        assertThat(CommandResult.run("import", "scrapy", list("").toString()))
                .isEqualTo(
                        new CommandResult(
                                2,
                                "",
                                "orbweaver: import needs --out DIR: the directory of the new"
                                        + " crawl\n"));
        var out = directory.resolve("out").toString();
        assertThat(CommandResult.run("import", "postgres", "--out", out).err())
                .isEqualTo(
                        "orbweaver: import postgres needs --jdbc URL, such as"
                                + " jdbc:postgresql://localhost/crawler?user=me\n");
        assertThat(
                        CommandResult.run("import", "postgres", "--out", out, "--jdbc", "mysql://x")
                                .err())
                .isEqualTo(
                        "orbweaver: the value of --jdbc does not begin with jdbc:postgresql:;"
                                + " expected for example"
                                + " jdbc:postgresql://localhost:5432/crawler?user=crawler\n");
        assertThat(
                        CommandResult.run(
                                        "import",
                                        "postgres",
                                        "--out",
                                        out,
                                        "--jdbc",
                                        "jdbc:postgresql:x",
                                        "--table",
                                        "pages=x")
                                .err())
                .isEqualTo(
                        "orbweaver: unknown name 'pages' in --table; expected one of frontier,"
                                + " hosts, visited\n");
        assertThat(CommandResult.run("import", "heritrix", out, "--out", out).err())
                .isEqualTo(
                        "orbweaver: %s is not a directory; name the directory of a Heritrix job\n"
                                .formatted(out));
    }
}
