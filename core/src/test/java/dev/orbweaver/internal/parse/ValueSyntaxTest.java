package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The small languages inside attributes and headers. */
class ValueSyntaxTest {

    @Test
    void aSrcsetGivesTheCandidatesWhoseDescriptorsAreInOrder() {
        assertThat(Srcset.urls(" a.png, b.png 2x,c.png 100w 50h,, d.png"))
                .containsExactly("a.png", "b.png", "c.png", "d.png");
        assertThat(Srcset.urls("a 0w, b -1x, c 1x 2x, d 5h, e 1.x, f (1x, 2x), g 1e3x"))
                .containsExactly("g");
        assertThat(Srcset.urls("data:,a 1x")).containsExactly("data:,a");
        assertThat(Srcset.urls(" , ,")).isEmpty();
    }

    @Test
    void aRefreshMayNameItsUrlInManyWays() {
        assertThat(refresh("0;url=x")).isEqualTo("x");
        assertThat(refresh(" 5 , URL = 'x y' z")).isEqualTo("x y");
        assertThat(refresh("1.5 x")).isEqualTo("x");
        assertThat(refresh("3;urly")).isEqualTo("urly");
        assertThat(refresh("3")).isEqualTo("itself");
        assertThat(refresh("x;url=y")).isEqualTo("none");
    }

    private static String refresh(String content) {
        return MetaRefresh.parse(content).map(r -> r.url().orElse("itself")).orElse("none");
    }

    @Test
    void aLinkHeaderHoldsSeveralLinksWithQuotedParameters() {
        assertThat(
                        LinkHeader.parse(
                                "<a;b,c>; title=\"x\\\", <no>\"; REL=\"next up\" ,"
                                        + " <d>;rel=prev;rel=no"))
                .containsExactly(new LinkHeader("a;b,c", "next up"), new LinkHeader("d", "prev"));
        assertThat(LinkHeader.parse("<never closed")).isEmpty();
        assertThat(LinkHeader.parse("no target; rel=next, <a>")).isEmpty();
    }

    @Test
    void aContentTypeNamesItsFirstCharset() {
        assertThat(
                        ContentType.charset(
                                "text/html; x=\";charset=a\"; charset = b; charset=\"c\\d\""))
                .contains("cd");
        assertThat(ContentType.charset("text/html;charset=;charset=x")).contains("x");
        assertThat(ContentType.charset("html;charset=x")).isEmpty();
        assertThat(ContentType.mediaType(" Text/HTML ; a=b")).isEqualTo("text/html");
    }

    @Test
    void labelsAreReadAsTheWebMeansThem() {
        assertThat(Encoding.forLabel("\tISO-8859-1 ").orElseThrow().name())
                .isEqualTo("windows-1252");
        assertThat(Encoding.forLabel("GB2312").orElseThrow().name()).isEqualTo("gbk");
        assertThat(Encoding.forLabel("utf-32")).isEmpty();
        var latin6 = Encoding.forLabel("latin6").orElseThrow().charset();
        assertThat(new String("\u0138x".getBytes(latin6), latin6)).isEqualTo("\u0138x");
        assertThat(new String("\uD83D\uDE00".getBytes(latin6), latin6)).isEqualTo("?");
    }
}
