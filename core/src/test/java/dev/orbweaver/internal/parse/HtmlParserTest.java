package dev.orbweaver.internal.parse;

import static dev.orbweaver.internal.parse.Pages.links;
import static dev.orbweaver.internal.parse.Pages.parse;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.spi.Document;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.Charset;
import java.util.List;

class HtmlParserTest {

    @Test
    void eachLinkHasTheKindItsElementGivesIt() {
        var page =
                parse(
                        """
                        <link rel=canonical href=c><link rel="alternate" hreflang=de href=de>
                        <link rel="alternate stylesheet" href=alt.css><link rel=icon href=i.ico>
                        <link rel=prev href=p><link rel=dns-prefetch href=//cdn.example>
                        <a href=a></a><area href=b><iframe src=f></iframe>
                        <meta http-equiv=refresh content="3; url=r"><form action=g></form>
                        <form method=POST action=no></form><img src=p.png srcset="q.png 2x, r.png 3x">
                        <input type=IMAGE src=b.gif><input src=no.gif><object data=o></object>
                        """);
        assertThat(links(page, LinkKind.CANONICAL)).containsExactly("/web/c");
        assertThat(links(page, LinkKind.ALTERNATE)).containsExactly("/web/de");
        assertThat(links(page, LinkKind.RELATED)).containsExactly("/web/p");
        assertThat(links(page, LinkKind.ANCHOR)).containsExactly("/web/a", "/web/b");
        assertThat(links(page, LinkKind.FRAME)).containsExactly("/web/f");
        assertThat(links(page, LinkKind.REFRESH)).containsExactly("/web/r");
        assertThat(links(page, LinkKind.FORM)).containsExactly("/web/g");
        assertThat(links(page, LinkKind.REQUISITE))
                .containsExactly(
                        "/web/alt.css",
                        "/web/i.ico",
                        "/web/p.png",
                        "/web/q.png",
                        "/web/r.png",
                        "/web/b.gif",
                        "/web/o");
    }

    @Test
    void aLateBaseCountsForTheLinksBeforeIt() {
        var page = parse("<a href=x></a><base target=t><base href='/b/'><base href='/no/'>");
        assertThat(links(page, LinkKind.ANCHOR)).containsExactly("/b/x");
    }

    @Test
    void aBaseThatIsNoWebAddressLeavesOnlyAbsoluteLinks() {
        var page =
                parse("<base href='ftp://f.example/'><a href=x></a><a href='https://h.example/'>");
        assertThat(links(page, LinkKind.ANCHOR)).containsExactly("https://h.example/");
    }

    @Test
    void aBaseThatRunsScriptIsNone() {
        var page = parse("<base href='javascript:/x'><a href=x></a>");
        assertThat(links(page, LinkKind.ANCHOR)).containsExactly("/web/x");
    }

    @Test
    void aFrameCountsInAFramesetOnly() {
        assertThat(parse("<frameset><frame src=f></frameset>").links()).hasSize(1);
        assertThat(parse("<body><frame src=f><frameset><frame src=g>").links()).isEmpty();
    }

    @Test
    void aFramesetHasFramesAndNothingElse() {
        var page =
                parse(
                        "<head><link rel=next href=n></head><div><a href=no></a></div>"
                                + "<frameset><script><frame src=f1></script><a href=no><frameset>"
                                + "<frame src=f2></frameset><frame src=f3></frameset><frame src=no>"
                                + "<noframes><frame src=no><a href=no></noframes><a href=no>");
        assertThat(links(page, LinkKind.FRAME)).containsExactly("/web/f1", "/web/f2", "/web/f3");
        assertThat(links(page, LinkKind.RELATED)).containsExactly("/web/n");
        assertThat(links(page, LinkKind.ANCHOR)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "<table>", "<input>", "</br>", "<div><hr>", "<select>"})
    void aPageThatHasShownABodyIsNoFrameset(String shown) {
        var page = parse(shown + "<frameset><a href=y><frame src=no>");
        assertThat(links(page, LinkKind.ANCHOR)).containsExactly("/web/y");
        assertThat(links(page, LinkKind.FRAME)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {" \n", "<div>", "<input type=hidden>", "<svg></svg>", "<p><b>"})
    void whatShowsNothingMayStandBeforeAFrameset(String hidden) {
        var page = parse(hidden + "<frameset><a href=no><frame src=f>");
        assertThat(page.links()).hasSize(1);
    }

    @Test
    void insideATokenOfMathMlTwoTagsAreMathMlAndTheOthersHtml() {
        assertThat(parse("<math><mo><mglyph><area href=no></math>").links()).isEmpty();
        assertThat(parse("<math><mo><malignmark/><a href=y></math>").links()).hasSize(1);
        assertThat(parse("<math><mo><b><mglyph><a href=y></math>").links()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"<html>", "<body>", "<td>", "<col>"})
    void aTagThatOpensNothingInAnSvgTitleKeepsNothingOpen(String tag) {
        // Otherwise the rest would be HTML, and a style sheet of HTML contains no tags.
        var page = parse("<svg><title>" + tag + "</title><style><a href=y></a></style></svg>");
        assertThat(links(page, LinkKind.ANCHOR)).containsExactly("/web/y");
    }

    /** Found by comparison with jsoup, which has other links here; the standard has these. */
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "<body><noscript><template><a href=x></a></noscript><a href=y>,",
                "<body><noscript><plaintext><a href=x></noscript><a href=y>,",
                "<body><p><script><!-- --<script>></script><a href=x>,",
                "<body><a href='x?a&amp-b'>, /web/x?a&-b",
                "<body><select><a href=x></select>, /web/x",
                "<body><a href=,",
                "<!DOCTYPE ><a href=x>, /web/x",
                "<!DOCTYPEp><a href=x>, /web/x"
            })
    void whereJsoupDiffersTheStandardHolds(String html, @Nullable String link) {
        assertThat(links(parse(html), LinkKind.ANCHOR))
                .isEqualTo(link == null ? List.of() : List.of(link));
    }

    /** Found by comparison with jsoup: the fragment was removed and the space then trimmed. */
    @Test
    void aSpaceBeforeAFragmentBelongsToTheUrl() {
        assertThat(links(parse("<a href='x #f'><a href=' y# f '>"), LinkKind.ANCHOR))
                .containsExactly("/web/x%20", "/web/y");
    }

    @Test
    void aLinkFoundTwiceStandsOnceAndIsFollowedIfEitherIs() {
        var page = parse("<a rel='noopener UGC' href=x></a><a rel=sponsored href=y><a href='x#f'>");
        assertThat(page.links()).extracting(Link::nofollow).containsExactly(false, true);
    }

    @Test
    void linksInATemplateAreNoLinks() {
        var page =
                parse("<template><a href=no><template></template><a href=no></template><a href=y>");
        assertThat(links(page, LinkKind.ANCHOR)).containsExactly("/web/y");
    }

    @Test
    void inSvgStyleHoldsTagsAndInHtmlItDoesNot() {
        var page =
                parse(
                        "<svg><style><a href=s></a></style><image xlink:href=i /></svg>"
                                + "<style><a href=no></style>");
        assertThat(links(page, LinkKind.ANCHOR)).containsExactly("/web/s");
        assertThat(links(page, LinkKind.REQUISITE)).containsExactly("/web/i");
    }

    @Test
    void aTagOfHtmlLeavesSvgThatWasNotClosed() {
        var page = parse("<svg><g><p><script>'<a href=no>'</script><a href=y>");
        assertThat(links(page, LinkKind.ANCHOR)).containsExactly("/web/y");
    }

    @Test
    void theTitleIsTheFirstOutsideSvgDecodedAndCollapsed() {
        var page =
                parse("<svg><title>no</title></svg><title>\n a &lt;b>\t&eacute; </title><title>x");
        assertThat(page.title()).isEqualTo("a <b> é");
    }

    @Test
    void aTitleIsCutAtAThousandCharacters() {
        assertThat(parse("<title>" + "ab".repeat(5000)).title()).hasSize(1000);
    }

    @Test
    void robotsDirectivesAreReadForAllAndForUs() {
        var page =
                parse(
                        "<meta name=Robots content='noarchive, NoFollow'><meta name=other"
                                + " content=none>");
        assertThat(page.nofollow()).isTrue();
        assertThat(page.noindex()).isFalse();
        assertThat(parse("<meta name=orbweaver content=none>").noindex()).isTrue();
    }

    @Test
    void theQueryIsEscapedInTheEncodingOfThePage() {
        var page =
                parse(
                        "<title>\u00FC</title><a href='/\u00FC?\u00FC&amp;&euro;'>"
                                .getBytes(ISO_8859_1),
                        "text/html; charset=iso-8859-1");
        assertThat(page.charset()).isEqualTo("windows-1252");
        assertThat(page.title()).isEqualTo("\u00FC");
        assertThat(links(page, LinkKind.ANCHOR)).containsExactly("/%C3%BC?%FC&%80");
    }

    @Test
    void utf16AndShiftingEncodingsAreTurnedIntoUtf8First() {
        var html = "<title>\u7DB2</title><a href='/x?\u7DB2'>";
        var utf16 = parse(("\uFEFF" + html).getBytes(UTF_16LE), "");
        assertThat(utf16.title()).isEqualTo("\u7DB2");
        assertThat(links(utf16, LinkKind.ANCHOR)).containsExactly("/x?%E7%B6%B2");
        var japanese =
                parse(
                        html.getBytes(Charset.forName("ISO-2022-JP")),
                        "text/html;charset=ISO-2022-JP");
        assertThat(japanese.title()).isEqualTo("\u7DB2");
        assertThat(links(japanese, LinkKind.ANCHOR)).hasSize(1);
    }

    @Test
    void linkHeadersAreLinksOfTheDocumentWhateverItsBase() {
        var html = "<base href='/b/'><a href=x>".getBytes(UTF_8);
        var page =
                new HtmlParser(Pages.URLS)
                        .parse(
                                new Document(
                                        Pages.URLS.parse(Pages.ADDRESS).orElseThrow(),
                                        "text/html",
                                        List.of(
                                                "<n,1>; rel=\"next\", <c>;title=\"a,b\";"
                                                        + " rel=canonical",
                                                "<z>;rel=next;anchor=\"#q\""),
                                        html,
                                        html.length));
        assertThat(links(page, LinkKind.RELATED)).containsExactly("/web/n,1");
        assertThat(links(page, LinkKind.CANONICAL)).containsExactly("/web/c");
        assertThat(links(page, LinkKind.ANCHOR)).containsExactly("/b/x");
    }

    @Test
    void bytesOfUnknownTypeAreReadOnlyWhenTheyLookLikeHtml() {
        assertThat(parse(" \n<a href=x>".getBytes(UTF_8), "").links()).hasSize(1);
        assertThat(parse("x <a href=x>".getBytes(UTF_8), "").links()).isEmpty();
    }

    @Test
    void inXhtmlAnElementMayCloseItselfAndSectionsHoldText() {
        var page =
                parse(
                        "<script src='s.js'/><![CDATA[<a href='no'/>]]><a href='x'/>"
                                .getBytes(UTF_8),
                        "application/xhtml+xml; charset=utf-8");
        assertThat(links(page, LinkKind.ANCHOR)).containsExactly("/web/x");
    }

    @Test
    void encodingsThatAreUnsafeToReadHaveNoText() {
        var page = parse("<a href=x>".getBytes(UTF_8), "text/html; charset=iso-2022-kr");
        assertThat(page.charset()).isEqualTo("replacement");
        assertThat(page.links()).isEmpty();
    }
}
