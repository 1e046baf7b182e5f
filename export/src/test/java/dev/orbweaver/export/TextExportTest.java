package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.export.ExportSettings.Text;
import dev.orbweaver.testing.Golden;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;

class TextExportTest {

    @TempDir Path directory;

    @Test
    void everyPageIsAFileInTheSitesOwnTreeAndAllAreOneDocument() throws IOException {
        try (var crawlFixture = site()) {
            var report = export(crawlFixture, ExportFormat.MARKDOWN, "out", Text.DEFAULT);
            assertThat(report.count()).isEqualTo(6);
            assertThat(report.notes()).isEmpty();
        }
        var out = directory.resolve("out");
        assertThat(files(out))
                .containsExactly(
                        "a.test/docs/guide/index.md",
                        "a.test/docs/guide/install.md",
                        "a.test/docs/guide/use.md",
                        "a.test/docs/index.md",
                        "a.test/docs/odd_(1).md",
                        "a.test/docs/reference.md",
                        "combined.md");
        Golden.check(
                "export/install.md", Files.readString(out.resolve("a.test/docs/guide/install.md")));
        Golden.check("export/combined.md", Files.readString(out.resolve("combined.md")));
    }

    @Test
    void everyLinkWithinTheExportLeadsToAFileOrAnAnchor() throws IOException {
        try (var crawlFixture = site()) {
            var _ = export(crawlFixture, ExportFormat.MARKDOWN, "out", Text.DEFAULT);
        }
        var out = directory.resolve("out");
        var relative = 0;
        var fragments = 0;
        for (var name : files(out)) {
            for (var target : targets(Files.readString(out.resolve(name)))) {
                if (name.equals("combined.md") && target.startsWith("#")) {
                    assertThat(out.resolve(name))
                            .content()
                            .contains("<a id=\"" + target.substring(1) + "\">");
                } else if (!target.startsWith("http")) {
                    var path =
                            target.replaceFirst("#.*", "").replace("%28", "(").replace("%29", ")");
                    var file =
                            path.isEmpty()
                                    ? out.resolve(name)
                                    : out.resolve(name).resolveSibling(path);
                    assertThat(file).as(name).exists();
                    if (target.contains("#")) {
                        var id = target.replaceFirst(".*#", "");
                        assertThat(file).content().contains("<a id=\"" + id + "\"></a>");
                        fragments++;
                    }
                    relative++;
                }
            }
        }
        assertThat(relative).isGreaterThan(5);
        assertThat(fragments).isEqualTo(2);
    }

    @Test
    void aLinkToAPlaceInAPageLeadsToAnAnchorBeforeItsBlock() throws IOException {
        try (var crawlFixture = CrawlFixture.in(directory)) {
            crawlFixture
                    .page(
                            "http://a.test/one",
                            "<main><h1 id=top>One</h1><p>To <a href=#re.search>search</a>, <a"
                                + " href='two#sec'>a section</a>, <a href='two#f(int)'>f</a>, <a"
                                + " href='two#a%20%22b%22%3Ci%3E'>odd</a>, <a"
                                + " href='two#nowhere'>nowhere</a>, <a href='two#code'>code</a>, <a"
                                + " href='two#row'>row</a>.</p><dl><dt id=re.search>re.search(x)"
                                + "</dt><dd>Scans.</dd></dl></main>")
                    .page(
                            "http://a.test/two",
                            "<main><h1>Two</h1><section id=sec><h2>Section</h2><p>Words of two. <a"
                                + " href='one#top'>Back</a></p></section><p id='f(int)'># not a"
                                + " heading</p><p id='a &quot;b&quot;&lt;i&gt;'>odd</p><ul><li><pre"
                                + " id=code>x</pre></ul><table><tr><th>a<th>b<tr"
                                + " id=row><td>1<td>2</table><p id=unused>Last.</p></main>");
            var _ = export(crawlFixture, ExportFormat.MARKDOWN, "out", Text.DEFAULT);
        }
        var one = Files.readString(directory.resolve("out/a.test/one.md"));
        var two = Files.readString(directory.resolve("out/a.test/two.md"));
        assertThat(one)
                .contains("[search](#re.search)", "[a section](two.md#sec)", "[f](two.md#f(int))")
                .contains("[odd](two.md#a%20%22b%22%3Ci%3E)", "[nowhere](two.md)")
                .contains(
                        "<a id=\"re.search\"></a>**re.search(x)**", "<a id=\"top\"></a>\n\n# One");
        assertThat(two)
                .contains("<a id=\"sec\"></a>\n\n## Section")
                .contains("<a id=\"f(int)\"></a>\\# not a heading")
                .contains("- <a id=\"code\"></a>\n  ```\n  x\n  ```")
                .contains("| <a id=\"row\"></a>1 | 2 |")
                .doesNotContain("unused");
        var combined = Files.readString(directory.resolve("out/combined.md"));
        for (var target : targets(combined)) {
            var id = target.substring(1).replace("%20", " ").replace("%22", "&quot;");
            id = id.replace("%3C", "&lt;").replace("%3E", "&gt;");
            assertThat(combined).contains("<a id=\"" + id);
        }
        assertThat(combined).contains("[f](#p-531acefb37-f(int))");
        assertThat(targets(combined)).hasSize(10);
    }

    @Test
    void theListForLanguageModelsHasSectionsAndTheFullTextHasEveryPage() throws IOException {
        try (var crawlFixture = site()) {
            var text = new Text(List.of(), 1, false, false, 512, "The *Manual*");
            assertThat(export(crawlFixture, ExportFormat.LLMS_TXT, "out", text).count())
                    .isEqualTo(6);
        }
        Golden.check("export/llms.txt", Files.readString(directory.resolve("out/llms.txt")));
        Golden.check(
                "export/llms-full.txt", Files.readString(directory.resolve("out/llms-full.txt")));
    }

    @Test
    void titlesDescriptionsAndHeadingsAreEscaped() throws IOException {
        try (var crawlFixture = CrawlFixture.in(directory)) {
            var evil = "[free](javascript:alert(1)) ![x](data:text/html,x) <b>\u009b2J\u202e";
            for (var page : List.of("1", "2")) {
                crawlFixture.page(
                        "http://a.test/" + page,
                        """
                        <title>%1$s</title><meta name=description content="%1$s">
                        <main><h1>T <a href="http://elsewhere.test/">sneaky</a> %2$s</h1><p>Some words of page %2$s.</p></main>
                        """
                                .formatted(evil, page));
                crawlFixture.page(
                        "http://b.test/" + page,
                        """
                        <title>%s</title><meta name=description content="%s"><main><p>Other words of %s.</p></main>
                        """
                                .formatted(evil, evil, page));
            }
            var all = new Text(List.of(), 1, true, false, 512, "");
            var _ = export(crawlFixture, ExportFormat.LLMS_TXT, "out", all);
            var _ = export(crawlFixture, ExportFormat.MARKDOWN, "md", all);
        }
        for (var name : List.of("out/llms.txt", "md/combined.md")) {
            var text = Files.readString(directory.resolve(name));
            assertThat(text)
                    .as(name)
                    .contains("\\[free\\](javascript:")
                    .doesNotContain("[free](", "![x](", "\u009b", "\u202e", "<b>");
        }
        assertThat(directory.resolve("out/llms.txt")).content().doesNotContain("(http://elsewhere");
    }

    @Test
    void chunksKeepTheirIdsWhenOtherPartsOfThePageChange() throws IOException {
        var one = Files.createDirectory(directory.resolve("one"));
        var two = Files.createDirectory(directory.resolve("two"));
        try (var before = CrawlFixture.in(one);
                var after = CrawlFixture.in(two)) {
            var stays = "<h2>Stays</h2><p>These words are the same in both.</p>";
            before.page("http://a.test/", "<main><h1>T</h1><h2>Old</h2><p>old words</p>" + stays);
            after.page("http://a.test/", "<main><h1>T</h1><h2>New</h2><p>new words</p>" + stays);
            var first = chunks(before, "one.jsonl");
            var second = chunks(after, "two.jsonl");
            assertThat(first).hasSize(2);
            assertThat(second.getLast().path("id")).isEqualTo(first.getLast().path("id"));
            assertThat(second.getFirst().path("id")).isNotEqualTo(first.getFirst().path("id"));
            assertThat(second.getLast().path("headings").toString()).isEqualTo("[\"T\",\"Stays\"]");
        }
    }

    @Test
    void repeatedTextOfAPageHasTwoIds() throws IOException {
        try (var crawlFixture = CrawlFixture.in(directory)) {
            var twice = "<h2>Note</h2><p>This is said in the same words.</p>";
            crawlFixture.page("http://a.test/", "<main><h1>T</h1><p>x</p>" + twice + twice);
            var ids = new HashSet<String>();
            var chunks = chunks(crawlFixture, "out.jsonl");
            chunks.forEach(chunk -> ids.add(chunk.path("id").asString()));
            assertThat(chunks).hasSize(3);
            assertThat(ids).hasSize(3);
        }
    }

    @Test
    void filtersGoByQualityLanguageAndPath() throws IOException {
        try (var crawlFixture = CrawlFixture.in(directory)) {
            crawlFixture
                    .article("http://a.test/good", "good", 300)
                    .article("http://a.test/short", "short", 3)
                    .page("http://a.test/empty", "<title>x</title>")
                    .page(
                            "http://a.test/de",
                            CrawlFixture.html("deutsch", 300).replace("en", "de-AT"))
                    .page(
                            "http://a.test/none",
                            CrawlFixture.html("none", 300).replace("lang=en", ""));
            assertThat(export(crawlFixture, ExportFormat.LLMS_TXT, "all", Text.DEFAULT).count())
                    .isEqualTo(4);
            var good = new Text(List.of(), 40, false, false, 512, "");
            assertThat(export(crawlFixture, ExportFormat.LLMS_TXT, "good", good).count())
                    .isEqualTo(3);
            var german = new Text(List.of("DE"), 1, false, false, 512, "");
            var report = export(crawlFixture, ExportFormat.LLMS_TXT, "de", german);
            assertThat(report.count()).isEqualTo(1);
            assertThat(report.notes())
                    .containsExactly(
                            "1 page was omitted: below the minimum quality",
                            "3 pages were omitted: in other languages");
        }
    }

    @Test
    void nearDuplicatesAreMergedIntoTheFirstPage() throws IOException {
        try (var crawlFixture = CrawlFixture.in(directory)) {
            var text = CrawlFixture.html("spider", 2000);
            crawlFixture
                    .page("http://a.test/1", text)
                    .page("http://a.test/2", text.replace("spider77", "spinne77"))
                    .article("http://a.test/3", "another", 400);
            var report = export(crawlFixture, ExportFormat.MARKDOWN, "folded", Text.DEFAULT);
            assertThat(report.count()).isEqualTo(2);
            assertThat(report.notes()).singleElement().asString().contains("near-duplicate");
            var all = new Text(List.of(), 1, true, false, 512, "");
            assertThat(export(crawlFixture, ExportFormat.MARKDOWN, "all", all).count())
                    .isEqualTo(3);
        }
    }

    @Test
    void blocksRepeatedOnEveryPageAreOmitted() throws IOException {
        try (var crawlFixture = CrawlFixture.in(directory)) {
            for (var i = 0; i < 6; i++) {
                crawlFixture.page(
                        "http://a.test/" + i,
                        "<h1>Page %d</h1><p>Own words %d, %s.</p><p>Subscribe to our famous letter</p>"
                                .formatted(i, i, CrawlFixture.html("w" + i, 40).hashCode()));
            }
            var _ = export(crawlFixture, ExportFormat.MARKDOWN, "out", Text.DEFAULT);
        }
        assertThat(directory.resolve("out/combined.md"))
                .content()
                .contains("Own words 3")
                .doesNotContain("famous letter");
    }

    @Test
    void aDirectoryWithFilesInItIsRefused() throws IOException {
        Files.createDirectories(directory.resolve("out/x"));
        try (var crawlFixture = CrawlFixture.in(directory)) {
            crawlFixture.article("http://a.test/", "t", 30);
            assertThatThrownBy(
                            () -> export(crawlFixture, ExportFormat.MARKDOWN, "out", Text.DEFAULT))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("not empty");
        }
    }

    private CrawlFixture site() throws IOException {
        var nav =
                "<nav><a href=/docs/>Home</a><a href=/docs/guide/>Guide</a><a"
                    + " href=/docs/guide/install>Install</a><a href=/docs/guide/use.html>Use</a><a"
                    + " href=/docs/reference>Reference</a></nav>";
        return CrawlFixture.in(directory)
                .page(
                        "http://a.test/docs/",
                        nav
                                + "<html lang=en><title>Web</title><meta name=description"
                                + " content=\"All about [webs]\"><main><h1>Webs</h1><p>Begin with"
                                + " the <a href=guide/>guide</a> or look at <a href='odd_(1)'>an"
                                + " odd page</a>, or <a"
                                + " href=http://b.test/>elsewhere</a>.</p></main>")
                .page(
                        "http://a.test/docs/reference",
                        nav
                                + "<main><h1>Reference</h1><p>See <a"
                                + " href=guide/install#deb>installing</a>.</p><pre><code># not a"
                                + " heading\n"
                                + "[not](http://a.test/docs/) a link\n"
                                + "</code></pre>"
                                + "<h2>Options</h2><table><tr><th>a<th>b<tr><td>1<td>2</table></main>")
                .page(
                        "http://a.test/docs/guide/",
                        nav
                                + "<main><h1>Guide</h1><p>First <a"
                                + " href=install>install</a>.</p></main>")
                .page(
                        "http://a.test/docs/guide/use.html",
                        nav
                                + "<main><h2>Using it</h2><p>Like"
                                + " <code>[this](http://a.test/docs/)</code>.</p><h3"
                                + " id=more>More</h3><p>Words.</p></main>")
                .page(
                        "http://a.test/docs/guide/install",
                        nav
                                + "<title>Install - Webs</title><meta name=description content='How"
                                + " to install it'><main><h1>Install</h1><p>Back to <a"
                                + " href=/docs/>the start</a>, on to <a href=use.html#more>its"
                                + " use</a>.</p><h2 id=deb>On Debian</h2><p>With apt.</p></main>")
                .page(
                        "http://a.test/docs/odd_(1)",
                        nav + "<main><h1>Odd (1)</h1><p>An odd name.</p></main>");
    }

    private ExportReport export(
            CrawlFixture crawlFixture, ExportFormat exportFormat, String to, Text text)
            throws IOException {
        var target = new ExportTarget.PathTarget(directory.resolve(to));
        return ExportRunner.run(
                crawlFixture.pages(), ExportSettings.of(exportFormat, target).with(text));
    }

    private List<JsonNode> chunks(CrawlFixture crawlFixture, String to) throws IOException {
        var _ = export(crawlFixture, ExportFormat.CHUNKS, to, Text.DEFAULT);
        try (var lines = Files.lines(directory.resolve(to))) {
            return lines.map(line -> JsonMapper.shared().readTree(line)).toList();
        }
    }

    private static List<String> files(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> directory.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    private static List<String> targets(String markdown) {
        return Pattern.compile("\\]\\(([^)]+)\\)")
                .matcher(markdown.replaceAll("(?s)```.*?```|`[^`]*`", ""))
                .results()
                .map(match -> match.group(1))
                .toList();
    }
}
