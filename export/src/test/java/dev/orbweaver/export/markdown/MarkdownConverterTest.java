package dev.orbweaver.export.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.parse.SimHash;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.spi.Document;
import dev.orbweaver.testing.Golden;
import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;

class MarkdownConverterTest {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);
    private static final Path PAGES = Path.of("src", "test", "resources", "markdown");
    private static final Instant THEN = Instant.parse("2026-01-02T03:04:05Z");

    /** A tag, or a link or image with a javascript or data URL. */
    private static final Pattern DANGEROUS =
            Pattern.compile(
                    "(?<!\\\\)<[a-zA-Z/!?]|]\\(\\s*(?:javascript|data|vbscript)",
                    Pattern.CASE_INSENSITIVE);

    @ParameterizedTest
    @ValueSource(strings = {"everything", "hostile", "laid-out", "missing"})
    void aPageBecomesItsGoldenMarkdown(String name) throws IOException {
        var bytes = Files.readAllBytes(PAGES.resolve(name + ".html"));
        var page = converter(name.equals("everything")).convert(document(bytes), THEN);
        Golden.check("markdown/" + name + ".md", page.withFrontMatter());
    }

    @Test
    void pageContentNeverBecomesHtmlOrAScript() {
        for (var test : Vectors.json("security/xss-payloads.json")) {
            var payload = test.get("html").asString();
            for (var html :
                    List.of(
                            payload,
                            "<title>" + payload + "</title><p>text</p>",
                            "<p>" + payload.replace("<", "&lt;") + "</p>",
                            "<a href='" + payload.replace("'", "&#39;") + "'>x</a>",
                            "<table><tr><td>" + payload + "</td><td>b</td></tr></table>")) {
                var body = convert(html).body();
                assertThat(DANGEROUS.matcher(withoutCode(body)).find())
                        .as("%s%n%s", html, body)
                        .isFalse();
            }
        }
    }

    private static String withoutCode(String markdown) {
        var text = new StringBuilder();
        for (var line : MarkdownReader.outside(markdown)) {
            text.append(line.replaceAll("(`+)[^`](?:.*?[^`])?\\1(?!`)", "")).append('\n');
        }
        return text.toString();
    }

    @Test
    void aGoodPageScoresHighAndAnErrorOrAnEmptyOneLow() throws IOException {
        var manual = new SampleManual(1).pages(1).getFirst();
        assertThat(convert(Theme.PLAIN.page(manual, List.of(manual))).quality()).isGreaterThan(70);
        var missing = Files.readString(PAGES.resolve("missing.html"));
        assertThat(convert(missing).quality()).isLessThan(20);
        assertThat(convert("").quality()).isZero();
        assertThat(convert("<p>Please enable JavaScript to go on.</p>").quality()).isLessThan(15);
        var links = "<p><a href=x>some words of a link</a></p>".repeat(200);
        assertThat(convert(links).quality()).isLessThan(50);
    }

    @Test
    void anIndexScoresLowAndAListOfOtherSitesOrAPageWithSummariesDoesNot() {
        var index = new StringBuilder("<h1>Index</h1>");
        var terms = new StringBuilder("<h1>Index</h1><dl>");
        var acronyms = new StringBuilder("<h1>Acronyms</h1><dl>");
        var members = new StringBuilder("<h1>Class</h1><table><tr><th>Name<th>Does");
        var details = new StringBuilder();
        for (var i = 0; i < 200; i++) {
            index.append("<p><a href=a.html#%1$d>entry number %1$d</a> (in part)</p>".formatted(i));
            terms.append(
                    "<dt><a href=x>method%1$d</a> - Method in class <a href=c>Class</a><dd>Gets it."
                            .formatted(i));
            acronyms.append("<dt>AC%d<dd><a href=http://b.test/>Some Long Name</a>".formatted(i));
            members.append("<tr><td><a href=#m%1$d>m%1$d</a><td>Gets the value.".formatted(i));
            details.append(
                    "<h2>m%d</h2><p>%s</p>"
                            .formatted(i, "It returns the value that was set before. ".repeat(4)));
        }
        assertThat(convert(index.toString()).quality()).isBetween(1, 25);
        assertThat(convert(terms.toString()).quality()).isBetween(1, 25);
        assertThat(convert(acronyms.toString()).quality()).isGreaterThan(30);
        assertThat(convert(members + "</table>" + details).quality()).isGreaterThan(80);
    }

    @Test
    void estimatedTokensAreCloseToThoseOfModels() {
        assertThat(TokenEstimator.estimate("")).isZero();
        assertThat(TokenEstimator.estimate("The spider repairs her web every night."))
                .isBetween(8, 12);
        assertThat(TokenEstimator.estimate("internationalisation")).isEqualTo(4);
        assertThat(TokenEstimator.estimate("蜘蛛每天晚上")).isEqualTo(6);
        assertThat(TokenEstimator.estimate("| --- | --- |")).isLessThan(8);
    }

    @Test
    void aLanguageIsNamedWhereThePageNamesIt() {
        assertThat(convert("<pre><code class='hljs language-Rust'>x</code></pre>").body())
                .isEqualTo("```rust\nx\n```\n");
        assertThat(convert("<div data-lang=toml><pre>x</pre></div>").body()).contains("```toml\n");
        assertThat(convert("<pre class='rust rust-example-rendered'>x</pre>").body())
                .contains("```rust\n");
        assertThat(convert("<pre class='language-a`b'>x</pre>").body()).contains("```a\n");
        assertThat(convert("<pre>x</pre>").body()).isEqualTo("```\nx\n```\n");
    }

    @Test
    void lineNumbersAreNoCode() {
        assertThat(
                        convert(
                                        "<pre><span class=lineno>1 </span>a\n"
                                                + "<span class=lineno>2 </span>b</pre>")
                                .body())
                .isEqualTo("```\na\nb\n```\n");
        assertThat(
                        convert(
                                        "<pre><div class=line>a</div><div class=line>\n"
                                                + "</div><div>b</div></pre>")
                                .body())
                .isEqualTo("```\na\n\nb\n```\n");
    }

    @Test
    void nearDuplicatesHaveNearHashes() {
        var pages = new SampleManual(5).pages(2);
        var a = convert(Theme.SPHINX.page(pages.get(0), pages)).simHash();
        var dressed = convert(Theme.MKDOCS.page(pages.get(0), pages)).simHash();
        var other = convert(Theme.SPHINX.page(pages.get(1), pages)).simHash();
        assertThat(SimHash.distance(a, dressed)).isLessThan(SimHash.distance(a, other));
    }

    @Test
    void repeatedBlocksAreCountedAndCanBeSerialised() throws IOException {
        var memory = new RepeatedBlocks();
        for (var i = 0; i < 10; i++) {
            memory.addPage(document(repeating(i).getBytes(UTF_8)));
        }
        var written = new ByteArrayOutputStream();
        memory.write(new DataOutputStream(written));
        var again =
                RepeatedBlocks.read(
                        new DataInputStream(new ByteArrayInputStream(written.toByteArray())));
        assertThat(again.pages()).isEqualTo(10);
        for (var each : List.of(memory, again)) {
            var body =
                    new MarkdownConverter(each, false)
                            .convert(document(repeating(3).getBytes(UTF_8)), THEN)
                            .body();
            assertThat(body).isEqualTo("# Page 3\n\n## Examples\n\nText 3 of its own.\n");
        }
        assertThat(convert(repeating(3)).body()).contains("Brought to you").contains("Offers");
    }

    private static String repeating(int number) {
        return """
        <h1>Page %1$d</h1><p>Brought to you by nobody.</p><h2>Examples</h2><p>Text %1$d of its own.</p>
        <h2>Offers</h2><p><a href=x>Buy two.</a></p><p>Today.</p><div><h3>Links</h3><ul><li><a href=y>Home</a></ul></div>
        """
                .formatted(number);
    }

    @Test
    void fewPagesAreNotEnoughToDetectRepetition() {
        var memory = new RepeatedBlocks();
        memory.addPage(document("<p>Hello</p>".getBytes(UTF_8)));
        assertThat(
                        new MarkdownConverter(memory, false)
                                .convert(document("<p>Hello</p>".getBytes(UTF_8)), THEN)
                                .body())
                .isEqualTo("Hello\n");
    }

    private static MarkdownPage convert(String html) {
        return converter(false).convert(document(html.getBytes(UTF_8)), THEN);
    }

    private static MarkdownConverter converter(boolean images) {
        return new MarkdownConverter(new RepeatedBlocks(), images);
    }

    private static Document document(byte[] bytes) {
        var url = URLS.parse("https://spider.example/docs/page.html").orElseThrow();
        return new Document(url, "text/html; charset=utf-8", List.of(), bytes, bytes.length);
    }
}
