package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.spi.Document;
import dev.orbweaver.testing.Fuzz;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.util.List;

class CssScannerTest {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a { background: url(a.png) } | a.png",
                "a { background: URL( 'a b.png' ) } | a b.png",
                "a { background: u\\72l(a.png) } | a.png",
                "a { background: url(a\\29 b.png) } | a)b.png",
                "a { background: url(\"a\\\"b.png\") } | a\"b.png",
                "@import 'x.css'; | x.css",
                "@import\"x.css\" screen; | x.css",
                "@IMPORT url(x.css) layer('y.css'); | x.css",
                "@font-face { src: url(f.woff2) format('woff2'), url(f.ttf) } | f.woff2 f.ttf",
                "a { background: image-set('a.png' 1x, url(b.png) 2x) } | a.png b.png",
                "a { background: image-set('a.png' type('image/png')) } | a.png",
                "a { background: src('a.png') } | a.png",
                "/* url(no.png) */ a { b: url(/*c*/) } | /*c*/",
                "a::before { content: 'url(no.png)' } b { c: url(yes.png) } | yes.png",
                "@namespace url(http://www.w3.org/1999/xhtml); a { b: url(c) } | c",
                "@namespace svg 'http://www.w3.org/2000/svg'; | ``",
                "@charset 'utf-8'; a { filter: url(#blur) } | ``",
                "a { b: url(a b) } c { d: url(e) } | e",
                "a { b: url(a'b) } c { d: url(e) } | e",
                "a { b: url() ; c: url('') } | ``",
                "a { b: url(unclosed.png | unclosed.png",
                "background: url(inline.png) | inline.png",
                "a { b: my-url(no.png); c: curl(no.png) } | ``"
            })
    void aStyleSheetAsksForWhatItsUrlsName(String css, String references) {
        var expected = references.isEmpty() ? List.of() : List.of(split(references));
        assertThat(CssScanner.references(css)).isEqualTo(expected);
    }

    private static String[] split(String references) {
        return references.equals("a b.png") ? new String[] {"a b.png"} : references.split(" ", -1);
    }

    @Test
    void aStringEndsWithItsLine() {
        assertThat(CssScanner.references("a { b: 'open\n; c: url(d.png) }"))
                .containsExactly("d.png");
    }

    @Test
    void referencesAreResolvedAgainstTheStyleSheet() {
        var css = "@import '../b.css'; a { b: url(//cdn.test/i.png), url(data:x) }";
        var bytes = css.getBytes(StandardCharsets.UTF_8);
        var url = URLS.parse("http://a.test/css/deep/a.css").orElseThrow();
        var page =
                new CssParser(URLS)
                        .parse(new Document(url, "text/css", List.of(), bytes, bytes.length));
        assertThat(page.links())
                .extracting(link -> link.url().text())
                .containsExactly("http://a.test/css/b.css", "http://cdn.test/i.png");
        assertThat(page.links()).extracting(Link::kind).containsOnly(LinkKind.REQUISITE);
    }

    @Test
    void stylesWithinAPageAreReadOnlyWhenAskedFor() {
        var html =
                """
                <base href="http://cdn.test/x/"><style>a { b: url(1.png) }</style>
                <p style="background: url(&quot;2.png&quot;)"><template style="b: url(no.png)">
                <style>c { d: url(no.png) }</style></template><svg><rect style="fill:url(3.png)">
                """;
        var bytes = html.getBytes(StandardCharsets.UTF_8);
        var url = URLS.parse("http://a.test/").orElseThrow();
        var document = new Document(url, "text/html", List.of(), bytes, bytes.length);
        assertThat(new HtmlParser(URLS, false, true).parse(document).links())
                .extracting(link -> link.url().text())
                .containsExactly(
                        "http://cdn.test/x/1.png",
                        "http://cdn.test/x/2.png",
                        "http://cdn.test/x/3.png");
        assertThat(new HtmlParser(URLS, false).parse(document).links()).isEmpty();
    }

    @Test
    void anyTextIsReadToItsEnd() {
        Fuzz.of(
                        "css",
                        List.of("@import 'a'; b { c: url(d) image-set('e' 1x) } /* f */", "url("),
                        "url(",
                        "\\",
                        "\"",
                        "/*",
                        "@import",
                        "image-set(",
                        "\\110000 ",
                        "\\d800 ")
                .run(
                        (input, _) ->
                                assertThat(
                                                CssScanner.references(
                                                        new String(input, StandardCharsets.UTF_8)))
                                        .doesNotContain("")
                                        .allMatch(text -> !text.startsWith("#")));
    }
}
