package dev.orbweaver.internal.url;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.testing.Fuzz;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;

class UrlMutationTest {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);
    private static final LinkResolver BASE = new LinkResolver(URLS, "https://example.org/a/b?c#d");

    @Test
    void aUrlParsesToItselfAndTheQuickWayAgreesWithTheSlow() {
        Fuzz.of(
                        "url",
                        List.of(
                                "https://user:pw@example.org:8080/a/../b/./c?d=e&f#g",
                                "http://[2001:db8::1]/x",
                                "http://192.0.2.1/%7Ex/%c3%a9",
                                "//bücher.example/straße?ü",
                                "../../x;y=z?q",
                                "file:///C|/x",
                                "HTTP:\\\\EXAMPLE.org\\a"),
                        "http:",
                        "https:",
                        "//",
                        "\\",
                        "@",
                        ":",
                        "[",
                        "]",
                        "::",
                        "%",
                        "%2e",
                        "%00",
                        "%zz",
                        "..",
                        ".",
                        "?",
                        "#",
                        "0x7f",
                        "1.2",
                        "256",
                        "xn--",
                        "xn--a",
                        "ß",
                        "。",
                        "\u00AD",
                        "\u200D",
                        "\t",
                        "\n",
                        " ",
                        "\u0000",
                        "|",
                        "C|",
                        "localhost",
                        "65536",
                        "00080",
                        "é",
                        "\uFFFD")
                .run(this::check);
    }

    private void check(byte[] input, Random random) {
        var text = new String(input, UTF_8);
        WhatwgUrl.parse(text)
                .ifPresent(url -> assertThat(WhatwgUrl.parse(url.href())).contains(url));
        var bytes = text.getBytes(UTF_8);
        var quick = BASE.resolve(bytes, 0, bytes.length);
        assertThat(quick).isEqualTo(BASE.resolveSlowly(text, UTF_8));
        quick.ifPresent(
                url -> {
                    assertThat(url.text().chars().allMatch(c -> c > ' ' && c < 127)).isTrue();
                    assertThat(URLS.parse(url.text())).contains(url);
                    assertThat(RegistrableDomain.of(url.host())).isNotEmpty();
                });
    }

    /** Found by mutation: ICU throws at labels of more than a thousand characters. */
    @Test
    void aLabelLongerThanPunycodeTakesIsNoHostAndNoException() {
        assertThat(WhatwgUrl.parse("http://" + "ü".repeat(1_001) + ".example/")).isEmpty();
        assertThat(WhatwgUrl.parse("http://" + "\uFDFA".repeat(100) + ".example/")).isEmpty();
        assertThat(WhatwgUrl.parse("http://" + "ü".repeat(60) + ".example/")).isPresent();
    }
}
