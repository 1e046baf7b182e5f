package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16LE;

import dev.orbweaver.model.Link;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.testing.Fuzz;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Pages and header fields after every kind of damage. */
class ParseMutationTest {

    private static final String[] MARKUP = {
        "<",
        ">",
        "</",
        "/>",
        "<!--",
        "-->",
        "--!>",
        "<![CDATA[",
        "]]>",
        "<!DOCTYPE",
        "<?xml",
        "<script>",
        "</script",
        "<script><!--",
        "<style>",
        "<title>",
        "<textarea>",
        "<plaintext>",
        "<svg>",
        "</svg>",
        "<math>",
        "<template>",
        "</template>",
        "<noscript>",
        "<base href='//b/'>",
        "<a href=",
        "<a href=\"",
        "'",
        "\"",
        "=",
        "&",
        "&amp;",
        "&#x",
        "&#0;",
        "&#1114112;",
        "&notit;",
        "<meta charset=",
        "<meta http-equiv=refresh content='0;url=x'>",
        "<img srcset='a 1x, b 2w'>",
        "utf-16",
        "shift_jis",
        "iso-2022-jp",
        "gb18030",
        "x-user-defined",
        "replacement",
        "\uFEFF",
        "\u0000",
        "\f",
        "é",
        "javascript:",
        "http://",
        "//",
        "data:,",
        "mailto:",
        "#",
        "?",
        "\\"
    };

    private static final List<String> TYPES =
            List.of(
                    "",
                    "text/html",
                    "text/html; charset=utf-8",
                    "text/html;charset=\"utf-16\"",
                    "text/html; charset=gb18030",
                    "application/xhtml+xml; charset=iso-2022-jp");

    @Test
    void aPageIsReadWhateverItsBytesAre() {
        Fuzz.ofBytes("html", pages(), MARKUP)
                .run(
                        (input, random) -> {
                            var page = Pages.parse(input, TYPES.get(random.nextInt(TYPES.size())));
                            for (var link : page.links()) {
                                check(link);
                            }
                        });
    }

    private static List<byte[]> pages() {
        var pages = new ArrayList<byte[]>();
        for (var sample : Pages.SAMPLES) {
            pages.add(sample.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
        pages.add(("\uFEFF" + Pages.SAMPLES.getFirst()).getBytes(UTF_16LE));
        return pages;
    }

    private static void check(Link link) {
        var url = link.url().text();
        assertThat(url.chars().allMatch(c -> c > ' ' && c < 127)).as(url).isTrue();
        assertThat(Pages.URLS.parse(url)).as(url).contains(link.url());
    }

    @Test
    void anEncodingIsFoundInAnyBytes() {
        Fuzz.of(
                        "charset",
                        List.of(
                                "<meta charset=\"shift_jis\">",
                                "<meta http-equiv=Content-Type content='text/html; charset=big5'>",
                                "<?xml version='1.0' encoding='koi8-r'?><html>",
                                "<!-- <meta charset=x> --><meta charset = 'windows-1252' >"),
                        MARKUP)
                .run(
                        (input, random) -> {
                            var type = TYPES.get(random.nextInt(TYPES.size()));
                            assertThat(Charsets.of(input, input.length, type)).isNotNull();
                            var length = random.nextInt(input.length + 1);
                            assertThat(Charsets.of(input, length, "")).isNotNull();
                            var padded = Arrays.copyOf(new byte[1_024], 1_024 + input.length);
                            Arrays.fill(padded, (byte) ' ');
                            System.arraycopy(input, 0, padded, 1_024, input.length);
                            assertThat(Charsets.of(padded, padded.length, "")).isNotNull();
                        });
    }

    @Test
    void headerFieldsAreReadWhateverTheyHold() {
        Fuzz.of(
                        "header fields",
                        List.of(
                                "text/html; charset=utf-8",
                                "text/html; charset=\"a\\\"b\"; x=y, text/plain",
                                "<a>; rel=next; title=\"x, y\", <b>; rel=\"prev canonical\";"
                                        + " anchor=c",
                                "5; url='there.html'",
                                "a.png 1x, b.png 2x, c.png (x y) 300w 20h, d.png"),
                        "\"",
                        "\\",
                        ";",
                        ",",
                        "=",
                        "<",
                        ">",
                        " ",
                        "\t",
                        "charset",
                        "rel",
                        "anchor",
                        "/",
                        "*/*",
                        "url",
                        "'",
                        "(",
                        ")",
                        "1x",
                        "-0x",
                        "1e9x",
                        "0w",
                        ".",
                        "é",
                        "\u0000")
                .run(this::readFields);
    }

    private void readFields(byte[] input, Random random) {
        var text = new String(input, ISO_8859_1);
        ContentType.charset(text)
                .ifPresent(value -> assertThat(value.length()).isLessThanOrEqualTo(text.length()));
        for (var link : LinkHeader.parse(text)) {
            assertThat(text).contains(link.target());
        }
        MetaRefresh.parse(text)
                .flatMap(MetaRefresh::url)
                .ifPresent(url -> assertThat(text).contains(url));
        for (var url : Srcset.urls(text)) {
            assertThat(text).contains(url);
        }
        var head =
                new ResponseHead(
                        ("HTTP/1.1 200 OK\r\nContent-Type: " + text + "\r\n\r\n")
                                .getBytes(ISO_8859_1),
                        200);
        assertThat(head.mediaType()).matches("|[^/\\s;,]+/[^/\\s;,]+");
    }
}
