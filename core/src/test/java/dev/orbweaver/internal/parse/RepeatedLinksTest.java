package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/** Repeated links are found early or late; either way a page's links are the same. */
class RepeatedLinksTest {

    @Test
    void manyRepeatedLinksComeOutOnceInOrder() {
        var seed = Long.getLong("orbweaver.seed", 12L);
        var random = new Random(seed);
        for (var run = 0; run < 60; run++) {
            var html = new StringBuilder();
            var expected = new LinkedHashMap<String, Boolean>();
            for (var i = random.nextInt(3_000); i >= 0; i--) {
                var path = "/p" + random.nextInt(1 + run * 20);
                var nofollow = random.nextInt(4) == 0;
                html.append("<a href=\"")
                        .append(random.nextBoolean() ? path : path.replace("p", "&#112;"))
                        .append(random.nextBoolean() ? "" : "#f" + i)
                        .append(nofollow ? "\" rel=nofollow>" : "\">");
                expected.merge(path, nofollow, Boolean::logicalAnd);
            }
            var actual = new LinkedHashMap<String, Boolean>();
            for (var link : Pages.parse(html.toString()).links()) {
                actual.put(link.url().pathAndQuery(), link.nofollow());
            }
            assertThat(Map.copyOf(actual)).as("seed %d, run %d", seed, run).isEqualTo(expected);
            assertThat(actual.keySet().stream().toList())
                    .as("order, seed %d, run %d", seed, run)
                    .isEqualTo(expected.keySet().stream().toList());
        }
    }

    @Test
    void aFragmentBehindAReferenceIsNoFragmentYet() {
        var page =
                Pages.parse(
                        "<a href='?a=&#49;#x'></a><a href='?b&#35;c'></a><a href='#only'></a><a"
                                + " href=''></a>");
        assertThat(Pages.links(page, LinkKind.ANCHOR))
                .containsExactly("/web/silk.html?a=1", "/web/silk.html?b", "/web/silk.html");
    }

    @Test
    void referencesAreShownAsTheyStand() {
        var seen = new ArrayList<String>();
        new HtmlParser(Pages.URLS)
                .references(
                        Pages.document(
                                "<a href='x?a&amp;b'></a><a href=y#z></a><a href=y><img src=i>"),
                        (bytes, start, end, kind) ->
                                seen.add(
                                        kind + " " + new String(bytes, start, end - start, UTF_8)));
        assertThat(seen).containsExactly("ANCHOR x?a&amp;b", "ANCHOR y", "REQUISITE i");
    }

    @Test
    void oneUrlOfTwoKindsIsTwoLinks() {
        assertThat(
                        Pages.parse("<a href=x></a><iframe src=x></iframe><img src=x><a href=x>")
                                .links()
                                .stream()
                                .map(Link::kind))
                .containsExactly(LinkKind.ANCHOR, LinkKind.FRAME, LinkKind.REQUISITE);
    }

    @Test
    void aTagIsNamedByItsBytesAndNotByWhatFoldingMakesOfThem() {
        var bytes = "h1 H1 h\u0011 a A ! blockquote BLOCKQUOTE xblockquote".getBytes(UTF_8);
        assertThat(Tag.of(bytes, 0, 2)).isEqualTo(Tag.H1);
        assertThat(Tag.of(bytes, 3, 5)).isEqualTo(Tag.H1);
        assertThat(Tag.of(bytes, 6, 8)).isEqualTo(Tag.OTHER);
        assertThat(Tag.of(bytes, 9, 10)).isEqualTo(Tag.A);
        assertThat(Tag.of(bytes, 11, 12)).isEqualTo(Tag.A);
        assertThat(Tag.of(bytes, 13, 14)).isEqualTo(Tag.OTHER);
        assertThat(Tag.of(bytes, 15, 25)).isEqualTo(Tag.BLOCKQUOTE);
        assertThat(Tag.of(bytes, 26, 36)).isEqualTo(Tag.BLOCKQUOTE);
        assertThat(Tag.of(bytes, 37, 48)).isEqualTo(Tag.OTHER);
        for (var tag : Tag.values()) {
            if (tag != Tag.OTHER) {
                assertThat(Tag.of(tag.bytes(), 0, tag.bytes().length)).isEqualTo(tag);
            }
        }
    }
}
