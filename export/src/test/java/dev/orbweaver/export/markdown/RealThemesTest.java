package dev.orbweaver.export.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.spi.Document;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;

/** Tests patterns of documentation themes, each found on real pages whose Markdown was wrong. */
class RealThemesTest {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    @Test
    void elementsWithTableRolesAreATable() {
        var page =
                convert(
                        "<main><p>Some words.</p><div role=table><div role=row><span"
                                + " role=columnheader>Name</span><span"
                                + " role=columnheader>Use</span></div><div role=row><span"
                                + " role=cell>a</span><span role=cell>b</span></div></div></main>");
        assertThat(MarkdownReader.tables(page))
                .containsExactly(List.of("Name", "Use"), List.of("a", "b"));
    }

    @Test
    void javadocsColumnsAreATable() {
        var page =
                convert(
                        "<main><h1>C</h1><div class='summary-table'><div class='table-header"
                            + " col-first'>Type</div><div class='table-header"
                            + " col-last'>Method</div><div class='col-first'>int</div><div"
                            + " class='col-last'>size()</div><div class='col-first'>void</div><div"
                            + " class='col-last'>clear()</div></div></main>");
        assertThat(MarkdownReader.tables(page))
                .containsExactly(
                        List.of("Type", "Method"),
                        List.of("int", "size()"),
                        List.of("void", "clear()"));
    }

    @Test
    void javadocsSignaturesAreCode() {
        var page =
                convert(
                        "<main><h3>get</h3><div class=member-signature>@Deprecated\n"
                                + "public&nbsp;<a"
                                + " href=x>int</a>&nbsp;get&#8203;(int&nbsp;i)</div></main>");
        assertThat(page).contains("```java\n@Deprecated\npublic int get(int i)\n```");
    }

    @Test
    void aSignatureOfSphinxIsCode() {
        var page =
                convert(
                        "<main><p>Words.</p><dl><dt class='sig sig-object py'><em>class</em>"
                                + " a.B(<em>*x</em>)</dt><dd><p>Does.</p></dd></dl></main>");
        assertThat(page).contains("`class a.B(*x)`");
    }

    @Test
    void aNameThatDescribesOtherElementsRemovesNothing() {
        var page =
                convert(
                        "<main><p>"
                                + "Words. ".repeat(40)
                                + "</p><section class='method has-srclink'><h4>fn as_str</h4><a"
                                + " class=srclink href=s>source</a></section></main>");
        assertThat(page).contains("#### fn as_str").doesNotContain("source");
    }

    @Test
    void aHeadingThatIsALinkToTheContentsStays() {
        var page =
                convert(
                        "<main><p>Words.</p><h3><a class=toc-backref href=#i>Running the loop</a><a"
                                + " class=headerlink href=#r>¶</a></h3><p>More.</p></main>");
        assertThat(MarkdownReader.headings(page)).containsExactly("3 Running the loop");
    }

    @Test
    void aHeaderWithThePagesTitleStaysAndTheSitesDoesNot() {
        var title = "<title>star - Mark packages</title>";
        assertThat(
                        convert(
                                title
                                        + "<section><header><h1>star <span>@11</span></h1></header>"
                                        + "<p>Words and more words.</p></section>"))
                .contains("# star @11");
        assertThat(convert(title + "<header><h1>npm Docs</h1></header><p>Words enough.</p>"))
                .doesNotContain("npm Docs");
    }

    @Test
    void aListUnderAHeadingIsNotTakenForThePage() {
        var page =
                convert(
                        "<div><h2>Building</h2><p>Do this:</p><div class=itemizedlist><ul><li>"
                                + "Include the header. ".repeat(60)
                                + "</ul></div></div>");
        assertThat(page).startsWith("## Building\n\nDo this:\n\n- Include");
    }

    @Test
    void aFooterIsRemovedEvenFromAShortPage() {
        var licence = "Distributed under some licence, with many words. ".repeat(5);
        var page =
                convert(
                        "<div><h1>Short</h1><p>Few words.</p><div class=copyright-footer>© 2008 "
                                + licence
                                + "</div></div><footer><p>"
                                + licence
                                + "</p></footer>");
        assertThat(page).isEqualTo("# Short\n\nFew words.\n");
    }

    @Test
    void aFooterWithoutANameIsRecognisedByItsRepetition() {
        var memory = new RepeatedBlocks();
        var footer = "<div class=foot><p>Please donate to the spiders.</p></div>";
        for (var i = 0; i < 6; i++) {
            memory.addPage(
                    document(
                            "<main><h1>Page "
                                    + i
                                    + "</h1><p>Text of page "
                                    + i
                                    + "</p></main><aside>"
                                    + footer
                                    + "</aside>"));
        }
        assertThat(convert("<p>Few words.</p>" + footer, memory)).isEqualTo("Few words.\n");
    }

    @Test
    void aLogoOnMostPagesIsNoContentAndAPictureIs() {
        var memory = new RepeatedBlocks();
        for (var i = 0; i < 6; i++) {
            memory.addPage(document(page("../".repeat(i) + "logo.svg", "figure" + i + ".png")));
        }
        assertThat(convert(page("logo.svg", "figure3.png"), memory))
                .contains("figure3.png")
                .doesNotContain("logo.svg");
    }

    private static String page(String logo, String picture) {
        return "<main><div><a href=/><img src='"
                + logo
                + "'></a></div><h1>"
                + picture
                + "</h1><p>About "
                + picture
                + "</p><p><img src='"
                + picture
                + "'></p></main>";
    }

    @Test
    void aRedirectPageIsNotCounted() {
        var memory = new RepeatedBlocks();
        memory.addPage(document("<p>Redirecting to <a href=x>there</a>...</p>"));
        assertThat(memory.pages()).isZero();
    }

    @Test
    void emptyCodeAndRulesAtTheEndsAreOmitted() {
        assertThat(convert("<main><hr><p>a</p><hr><p>b</p><pre> \n</pre><hr></main>"))
                .isEqualTo("a\n\n---\n\nb\n");
    }

    private static String convert(String html) {
        return convert(html, new RepeatedBlocks());
    }

    private static String convert(String html, RepeatedBlocks memory) {
        return new MarkdownConverter(memory, true).convert(document(html), Instant.EPOCH).body();
    }

    private static Document document(String html) {
        var bytes = html.getBytes(UTF_8);
        return new Document(
                URLS.parse("https://docs.example/a").orElseThrow(),
                "text/html; charset=utf-8",
                List.of(),
                bytes,
                bytes.length);
    }
}
