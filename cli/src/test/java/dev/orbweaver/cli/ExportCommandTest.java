package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.ProjectFiles;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** The commands export, query, diff and docs. */
@Slow
class ExportCommandTest {

    @TempDir Path directory;
    private SmallSite site;

    @BeforeEach
    void crawl() throws IOException {
        site = new SmallSite();
        for (var name : List.of("archive", "older")) {
            var said =
                    CommandResult.run(
                            "crawl",
                            site.url(),
                            "--delay=0",
                            "--contact=me@a.test",
                            "--quiet",
                            "--out",
                            directory.resolve(name).toString());
            assertThat(said.code()).as(said.err()).isZero();
        }
    }

    @AfterEach
    void close() {
        site.close();
    }

    @Test
    void everyCommandOfTheManualWorks() throws IOException {
        var commands = commands(ProjectFiles.of("docs", "exports.md"));
        assertThat(commands).hasSizeGreaterThan(12);
        for (var command : commands) {
            var said = CommandResult.run(command.toArray(String[]::new));
            assertThat(said.code()).as("%s said %s", command, said.err()).isZero();
        }
        assertThat(directory.resolve("out/markdown/combined.md")).exists();
        assertThat(directory.resolve("out/site/sitemap.xml")).exists();
        assertThat(directory.resolve("out/guide/docs.md")).content().contains("the end");
        assertThat(directory.resolve("out/texts.jsonl")).content().contains("\"the end\\n\"");
        assertThat(directory.resolve("out/files/files.jsonl")).content().contains("text/html");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "export archive --to x | --format is missing; expected one of sitemap, jsonl",
                "export archive --format jsonx --to x | unknown format 'jsonx'; expected one",
                "export archive --format jsonl | --to is missing: the output file or directory",
                "export archive --format jsonl --to archive/pages.log | is inside the crawl"
                        + " directory",
                "export archive --format warc --to archive/warc/new/x.warc.gz | is inside the"
                        + " crawl directory",
                "export nowhere --format jsonl --to x | there is no crawl in",
                "export archive --format jsonl --to x --gzip | --gzip does not apply to format"
                        + " jsonl",
                "export archive --format chunks --to x --min-quality 101 | --min-quality: expected"
                        + " a number from 0 to 100, not '101'",
                "export archive --format csv --to x --path docs | --path: expected a prefix"
                        + " such as /docs/, not 'docs'",
                "export archive --format sitemap --to x --lastmod no | --lastmod: expected"
                        + " header, fetched or none, not 'no'",
                "export archive --format sitemap --to x --base-url ftp://a | --base-url: expected"
                        + " an http or https URL, not 'ftp://a'",
                "export archive --format jsonl --to x --content pdf | --content: expected text,"
                        + " markdown or html, not 'pdf'",
                "export archive --format chunks --to x --content text | --content does not apply to"
                        + " format chunks, only to jsonl, csv, parquet",
                "export archive --format jsonl --to x --content text --max-content 17MB |"
                        + " --max-content: expected a size from 1KB to 16MB, not '17MB'",
                "export archive --format jsonl --to x --max-content 2MB | --max-content needs"
                        + " --content",
                "export archive --format files --to x --media-type pdf | --media-type: expected a"
                        + " type such as application/pdf or image/*, not 'pdf'",
                "export archive --format errors --to x --media-type image/* | --media-type does not"
                        + " apply to format errors",
                "export --format jsonl --to x | Missing required parameter",
                "query archive drop | only read-only queries are allowed",
                "query archive select --output xml | --output: expected table, csv or json, not"
                        + " 'xml'",
                "diff archive | Missing required parameter",
                "docs | Missing required parameter",
                "docs archive: | is not an http or https URL",
                "crawl http://127.0.0.1:1/ --preset fast | preset: 'fast' is not one of none,"
                        + " documentation, large-site, careful, archive"
            })
    void aMistakeIsOneClearSentence(String line, String sentence) {
        var command = line.strip().replace("archive", directory.resolve("archive").toString());
        var said = CommandResult.run(command.split(" ", -1));
        assertThat(said.code()).as(said.err()).isEqualTo(2);
        assertThat(said.err()).startsWith("orbweaver: ").contains(sentence.strip());
        assertThat(said.err().lines().filter(it -> !it.startsWith("Try:"))).hasSize(1);
    }

    @Test
    void aFormatOfManyFilesCannotGoToStandardOutput() {
        var said =
                CommandResult.run(
                        "export",
                        directory.resolve("archive").toString(),
                        "--format=wacz",
                        "--to=-");
        assertThat(said.code()).isEqualTo(2);
        assertThat(said.err())
                .isEqualTo(
                        "orbweaver: format wacz cannot be written to standard output; set --to to a"
                                + " file or directory\n");
    }

    @Test
    void anInvalidTargetIsReportedWithItsOption() throws IOException {
        var file = Files.writeString(directory.resolve("file"), "somebody's");
        for (var format : List.of("csv", "links", "wacz")) {
            var said = export(format, file + "/below");
            assertThat(said.code()).as(said.err()).isEqualTo(4);
            assertThat(said.err()).contains(file.toString(), "with --to").doesNotContain("--out");
        }
        assertThat(file).hasContent("somebody's");
    }

    @Test
    void aDirectoryAsTargetIsReportedWithTheFileInIt() {
        var there = directory.resolve("there");
        var said = export("csv", there + "/");
        assertThat(said.out()).contains("3 pages written to " + there.resolve("pages.csv"));
        assertThat(there.resolve("pages.csv")).exists();
    }

    @Test
    void aMissingWarcFileIsReported() throws IOException {
        try (var files = Files.list(directory.resolve("archive/warc"))) {
            for (var file : files.toList()) {
                Files.delete(file);
            }
        }
        var said = export("chunks", "-");
        assertThat(said.code()).isEqualTo(4);
        assertThat(said.err()).contains("of the page log is missing");
    }

    private CommandResult export(String format, String to) {
        return CommandResult.run(
                "export", directory.resolve("archive").toString(), "--format", format, "--to", to);
    }

    @Test
    void aPipeGetsTheExportAndNothingElse() {
        var said =
                CommandResult.run(
                        "export",
                        directory.resolve("archive").toString(),
                        "--format=jsonl",
                        "--to=-");
        assertThat(said.code()).isZero();
        assertThat(said.out().lines()).hasSize(3).allMatch(line -> line.startsWith("{\"url\":"));
        assertThat(said.err()).isEqualTo("3 pages written to standard output\n");
    }

    @Test
    void twoCrawlsOfTheSameSiteDoNotDiffer() {
        var said =
                CommandResult.run(
                        "diff",
                        directory.resolve("older").toString(),
                        directory.resolve("archive").toString());
        assertThat(said.out()).isEmpty();
        assertThat(said.err()).isEqualTo("0 new, 0 gone, 0 changed, 3 unchanged\n");
    }

    @Test
    void documentationIsOneDocumentAndOneText() throws IOException {
        var out = directory.resolve("docs");
        var said =
                CommandResult.run(
                        "docs",
                        site.url(),
                        "--delay=0",
                        "--contact=me@a.test",
                        "--title=The *end*",
                        "--out",
                        out.toString());
        assertThat(said.code()).as(said.err()).isZero();
        assertThat(said.out()).contains("3 pages in " + out.resolve("docs.md"));
        assertThat(out.resolve("docs.md"))
                .content()
                .startsWith("# The \\*end\\*\n\n3 pages, fetched on");
        assertThat(out.resolve("llms-full.txt"))
                .content()
                .contains("Source: " + site.url() + "c\n");
        assertThat(out.resolve("crawl.yaml"))
                .content()
                .contains("preset: \"documentation\"", "concurrency: \"30\"", "scope: \"path\"");
    }

    @Test
    void documentationWithoutOutIsResumedInItsDirectory() throws Exception {
        var first = docsProcess(site.url());
        assertThat(first.code()).as(first.err()).isZero();
        assertThat(first.err()).doesNotContain("resuming");
        var again = docsProcess(site.url());
        assertThat(again.code()).as(again.err()).isZero();
        assertThat(again.err()).contains("resuming the crawl in 127.0.0.1 with the same settings");
        assertThat(again.out()).contains("3 pages in 127.0.0.1/docs.md");
        assertThat(docsProcess(site.url() + "b").code()).isZero();
        try (var files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .contains("127.0.0.1", "127.0.0.1-2")
                    .doesNotContain("127.0.0.1-3");
        }
    }

    private CommandResult docsProcess(String url) throws IOException, InterruptedException {
        return CommandResult.process(
                directory, CommandResult.java(), "docs", url, "--delay=0", "--contact=me@a.test");
    }

    @Test
    void aDirectoryWithoutItsSlashIsMeantAsThatDirectoryAlone() {
        var said =
                CommandResult.run(
                        "docs",
                        site.url() + "b",
                        "--delay=0",
                        "--contact=me@a.test",
                        "--out",
                        directory.resolve("docs").toString());
        assertThat(said.code()).as(said.err()).isZero();
        assertThat(said.out()).contains("1 page in ");
    }

    @Test
    void explicitSettingsOverrideAPreset() throws IOException {
        var out = directory.resolve("preset");
        var said =
                CommandResult.run(
                        "crawl",
                        site.url(),
                        "--preset=careful",
                        "--delay=0",
                        "--quiet",
                        "--out",
                        out.toString());
        assertThat(said.code()).as(said.err()).isZero();
        assertThat(Files.readString(out.resolve("crawl.yaml")))
                .contains("delay: \"0\"", "concurrency: \"10\"", "timeout: \"8s\"");
    }

    /** Returns the commands of the manual, with the test's directories and addresses. */
    private List<List<String>> commands(Path manual) throws IOException {
        var block =
                Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL)
                        .matcher(Files.readString(manual));
        assertThat(block.find()).isTrue();
        return Arrays.stream(block.group(1).split("\n", -1))
                .filter(line -> !line.isBlank())
                .map(line -> line.replaceFirst("\\s+#.*", "").replaceFirst("^\\./orbweaver ", ""))
                .map(this::words)
                .toList();
    }

    private List<String> words(String line) {
        var words = new ArrayList<String>();
        Pattern.compile("\"([^\"]*)\"|(\\S+)")
                .matcher(line)
                .results()
                .forEach(
                        match ->
                                words.add(
                                        match.group(1) == null
                                                ? place(match.group(2))
                                                : match.group(1)));
        if (words.getFirst().equals("docs")) {
            words.add("--delay=0");
        }
        return words;
    }

    private String place(String word) {
        if (word.startsWith("https://")) {
            return site.url();
        }
        return word.equals("archive") || word.equals("older") || word.startsWith("out/")
                ? directory.resolve(word).toString()
                : word;
    }
}
