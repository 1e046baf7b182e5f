package dev.orbweaver.export.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.spi.Document;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(strings = {"search", "cookies", "comments", "share", "toc", "nav", "sidebar"})
    void anIdAloneRemovesNothing(String id) {
        var page =
                convert(
                        ("<h1>Title</h1><p>%2$s</p><div id='%1$s'><h2>Part</h2><p>Words of"
                             + " it.</p></div><p id='%1$s'>Short one.</p><ul><li id='%1$s'>An"
                             + " item</ul><dl><dt id='re.%1$s'>re.%1$s(x)<dd"
                             + " id='%1$s'>Scans.</dl><table"
                             + " id='%1$s'><tr><th>a<th>b<tr><td>1<td>2</table>")
                                .formatted(id, "Some words. ".repeat(40)));
        assertThat(page)
                .contains("## Part\n\nWords of it.", "Short one.", "- An item")
                .contains("re." + id + "(x)", "Scans.", "| 1 | 2 |");
    }

    @Test
    void aClassThatNamesBoilerplateRemovesNoHeadingTermCodeOrFootnote() {
        var page =
                convert(
                        "<h1>Title</h1><p>Words.</p><div class=sidebar><p class=sidebar-title>A"
                                + " program</p><pre>run()</pre></div><div class=related><h2>Related"
                                + " work</h2><p>It is long ago.</p></div><div class=toc><dl><dt><a"
                                + " href=2.html>2. Chapter</a></dt></dl></div><aside"
                                + " class=footnote><p>A footnote.</p></aside><div"
                                + " class=search><dl><dt>search</dt><dd>Finds.</dd></dl></div>");
        assertThat(page)
                .contains("A program", "run()", "## Related work", "It is long ago.")
                .contains("2. Chapter", "A footnote.", "**search**", "Finds.");
    }

    @Test
    void anAsideOfTheTextStaysAndOneOfLinksDoesNot() {
        var page =
                convert(
                        "<main><h1>Title</h1><p>Words.</p><aside><h2>History</h2><p>It was"
                            + " older.</p></aside><aside><p>A remark.</p></aside><aside><ul><li><a"
                            + " href=a>Elsewhere</a><li><a"
                            + " href=b>There</a></ul></aside></main><aside><h2>Recent</h2><ul><li><a"
                            + " href=c>Newest</a></ul></aside>");
        assertThat(page)
                .contains("## History", "A remark.")
                .doesNotContain("Elsewhere", "Recent", "Newest");
    }

    @Test
    void aFooterWithFootnotesAndTheSourceOfAQuoteStay() {
        var page =
                convert(
                        "<article><h1>Title</h1><blockquote><p>Said.</p><footer>A"
                                + " poet</footer></blockquote><footer><ol class=footnotes><li>A"
                                + " note.</ol></footer><footer>Filed under x</footer></article>");
        assertThat(page).contains("A poet", "A note.").doesNotContain("Filed");
    }

    @Test
    void aTabThatIsHiddenIsContentAndAHiddenMenuIsNot() {
        var page =
                convert(
                        "<main><h1>Title</h1><div role=tabpanel><pre>one</pre></div><div"
                                + " role=tabpanel hidden><pre>two</pre></div><p hidden>Loading</p>"
                                + "</main><div style='display: none'><h2>Menu</h2></div>");
        assertThat(MarkdownReader.code(page)).containsExactly("one", "two");
        assertThat(page).doesNotContain("Loading", "Menu");
    }

    @Test
    void aHeadingThatIsAButtonAndATermThatIsTheWordLinkStay() {
        var page =
                convert(
                        "<main><h2><button>Questions</button></h2><p>Words.<button>Copy</button></p><h2>The"
                            + " <a href=#anchor>anchor</a> tag</h2><dl><dt><a href=t.html>LINK</a>"
                            + " - a field</dt><dd>x</dd></dl></main>");
        assertThat(MarkdownReader.headings(page))
                .containsExactly("2 Questions", "2 The anchor tag");
        assertThat(page).contains("[LINK](https://docs.example/t.html) - a field");
        assertThat(page).doesNotContain("Copy");
    }

    @Test
    void theTitleOfANoteIsNotAHeading() {
        var page =
                convert(
                        "<main><h1>Title</h1><div class=note><h3 class=title>Note</h3><p>Be"
                                + " careful.</p></div></main>");
        assertThat(page).isEqualTo("# Title\n\n> **Note**\n>\n> Be careful.\n");
    }

    @Test
    void aPartNamedContentIsNotThePageIfCodeIsOutside() {
        var page =
                convert(
                        "<div class=content><p>"
                                + "Words. ".repeat(50)
                                + "</p></div><div><h2>Usage</h2><pre>run</pre></div>");
        assertThat(page).contains("Words.", "## Usage", "run");
    }

    @Test
    void textBesideTheLargestPartStays() {
        var page =
                convert(
                        "<p>An introduction of one or two sentences, which says what the page is"
                                + " about and what it is not, and why anyone should read it at"
                                + " all.</p><div><p>"
                                + "Words. ".repeat(400)
                                + "</p></div>");
        assertThat(page).startsWith("An introduction");
    }

    @Test
    void aSectionOnEveryPageStaysUnlessItIsTheSamePagesLinks() {
        var memory = new RepeatedBlocks();
        for (var i = 0; i < 6; i++) {
            memory.addPage(document(manualPage(i)));
        }
        assertThat(convert(manualPage(3), memory))
                .isEqualTo(
                        "# Command 3\n\nDoes 3.\n\n## See Also\n\n- [help"
                                + " 3](https://docs.example/h3)\n- [help"
                                + " 4](https://docs.example/h4)\n\n## Suite\n\nPart of the"
                                + " suite.\n");
    }

    private static String manualPage(int number) {
        return """
        <h1>Command %1$d</h1><p>Does %1$d.</p><h2>See Also</h2><ul><li><a href=h%1$d>help %1$d</a>
        <li><a href=h%2$d>help %2$d</a></ul><h2>Suite</h2><p>Part of the suite.</p>
        <h2>Elsewhere</h2><ul><li><a href=a>Home</a><li><a href=b>Shop</a></ul>
        """
                .formatted(number, number + 1);
    }

    @Test
    void insideAMarkedMainPartOnlyItsEndsAreBoilerplate() {
        var memory = new RepeatedBlocks();
        for (var i = 0; i < 6; i++) {
            memory.addPage(document(markedPage("Class " + i, "Text " + i + ".")));
        }
        assertThat(convert(markedPage("Class 3", "Text 3."), memory))
                .isEqualTo(
                        """
                        # Class 3

                        Text 3.

                        ## Inherited

                        clone, equals

                        Of Object.

                        Text 3.
                        """);
        var stub = "<main><h1>Old page</h1><p>Moved.</p></main>";
        for (var i = 0; i < 30; i++) {
            memory.addPage(document(stub + "<p>Page " + i + "<p>More."));
        }
        assertThat(convert(stub, memory)).isEqualTo("# Old page\n\nMoved.\n");
    }

    private static String markedPage(String title, String text) {
        return "<main><p>A manual.</p><h1>%1$s</h1><p>Print</p><p>%2$s</p><h2>Inherited</h2><p>clone, equals</p><p>Of Object.</p><p>%2$s</p><p>Was this helpful?</p></main>"
                .formatted(title, text);
    }

    @Test
    void aRepeatedSectionBehindThePartWithTheTextIsNotOfThePage() {
        var memory = new RepeatedBlocks();
        for (var i = 0; i < 6; i++) {
            memory.addPage(document(modulePage(i)));
        }
        assertThat(convert(modulePage(3), memory))
                .startsWith("# Module 3\n\n## Description\n\nWords of 3.")
                .contains("## Suite\n\nPart of the server.")
                .doesNotContain("Comments", "moderators");
    }

    private static String modulePage(int number) {
        return "<div><h1>Module %1$d</h1><h2>Description</h2><p>%2$s</p><h2>Suite</h2><p>Part of the server.</p></div><div><h2>Comments</h2><p>They may be removed by our moderators if they are either implemented or considered invalid, or else sent to our mailing lists.</p></div>"
                .formatted(number, ("Words of " + number + ". ").repeat(100));
    }

    @Test
    void theRowOfLinksOfOldManualsIsAPager() {
        var page =
                convert(
                        "<div class=header><p>Next: <a href=b rel=next>Recipes</a>, Previous: <a"
                                + " href=a rel=prev>Files</a>, Up: <a href=i rel=up>Top</a>"
                                + " &nbsp;</p></div><hr><h2>Rules</h2><p>A rule.</p><table"
                                + " class=menu><tr><td><a href=x>Example</a>:<td>An example"
                                + " explained.</table>");
        assertThat(page).startsWith("## Rules").contains("An example explained.");
    }

    @Test
    void aShortMainPartIsThePageAndAHelpBoxIsNot() {
        var page =
                convert(
                        "<div><h2>Keyboard shortcuts</h2><p>Press S to search in the"
                                + " book.</p></div><main><h1>Commands</h1><ul><li><a"
                                + " href=a>a</a></ul></main>");
        assertThat(page).isEqualTo("# Commands\n\n- [a](https://docs.example/a)\n");
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
